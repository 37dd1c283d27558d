/**
 * Room in the file of the store for what is about to be written, made by writing zeros behind its last page. Where there is
 * none, the disk is full before the database has begun.
 */
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import type { Change } from "./environment.ts";

/** Pages that any commit may write: heads and branches of all tables, the list of free pages. */
const PAGES_ANYWAY = 64;
/** Pages that one record may take apart from its own: the leaf it lies on and what leads there. */
const PAGES_A_RECORD = 3;
const PAGE_HEADER_BYTES = 24;
/** Taken beyond what is needed, so that it is not asked for each time. */
const SLACK_BYTES = 1 << 20;
const ZEROS = Buffer.alloc(1 << 18);

/** More bytes than a commit of these can take. */
export function roomFor(changes: readonly Change[], pageBytes: number): number {
  let pages = PAGES_ANYWAY;
  for (const { value } of changes) {
    pages += PAGES_A_RECORD + Math.ceil((PAGE_HEADER_BYTES + (value?.byteLength ?? 0)) / pageBytes);
  }
  return pages * pageBytes;
}

export function reserve(file: string, fileBytes: number, usedBytes: number, roomBytes: number): void {
  if (fileBytes - usedBytes >= roomBytes) return;
  const fd = openSync(file, "r+");
  try {
    grow(fd, fileBytes, usedBytes + roomBytes + SLACK_BYTES);
  } catch {
    // There may be room for what is needed, if not for more.
    grow(fd, fileBytes, usedBytes + roomBytes);
  } finally {
    closeSync(fd);
  }
}

/** To at least so many bytes, or not at all. */
function grow(fd: number, fileBytes: number, wantedBytes: number): void {
  try {
    for (let at = fileBytes; at < wantedBytes; ) {
      at += writeSync(fd, ZEROS, 0, Math.min(ZEROS.length, wantedBytes - at), at);
    }
  } catch (problem) {
    ftruncateSync(fd, fileBytes);
    throw problem;
  }
}
