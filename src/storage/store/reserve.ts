/**
 * Room in the file of the store for what is about to be written, made by writing zeros behind its last page. Where there is
 * none, the disk is full before the database has begun.
 */

import { type FileHandle, open } from "node:fs/promises";
import type { Change } from "./environment.ts";
import { PAGE_HEADER_BYTES } from "./file/pages.ts";

/** Pages that any commit may write: heads and branches of all tables, the list of free pages. */
const PAGES_ANYWAY = 64;
/** Pages that a change of one record may have copied: the leaf it lies on and what leads there. */
const COPIES_A_RECORD = 3;
/** Of a record that shares its page with others, besides its value and a long key. */
const RECORD_HEAD_BYTES = 32;
/** Pages that have been split may be so little filled. */
const FILL_MIN = 1 / 4;
/** Taken beyond what is needed, so that it is not asked for each time. */
const SLACK_BYTES = 1 << 20;
const ZEROS = Buffer.alloc(1 << 18);

/**
 * More bytes than a commit of these can take. `treePages`: those that lead to records; each is copied once at most. They are counted,
 * which takes longer than many a commit, only where what there is, `spareBytes`, may not do.
 */
export function roomFor(
  changes: readonly Change[],
  pageBytes: number,
  spareBytes: number,
  treePages: () => number,
): number {
  let ownPages = 0;
  let sharedBytes = 0;
  for (const { key, value } of changes) {
    if (value === null) continue;
    const keyBytes = typeof key === "string" ? Buffer.byteLength(key) : 0;
    if (value.byteLength > pageBytes * FILL_MIN) {
      ownPages += 1 + Math.ceil((PAGE_HEADER_BYTES + value.byteLength) / pageBytes);
    } else sharedBytes += RECORD_HEAD_BYTES + keyBytes + value.byteLength;
  }
  const shared = Math.ceil(sharedBytes / (pageBytes * FILL_MIN));
  const touched = COPIES_A_RECORD * changes.length;
  // Beside them, what leads to the new ones, and the list of those that are free now.
  const bytesWith = (copies: number): number =>
    Math.ceil((PAGES_ANYWAY + ownPages + shared + copies) * 1.1) * pageBytes;
  const most = bytesWith(touched);
  return touched <= PAGES_ANYWAY || most <= spareBytes ? most : bytesWith(Math.min(touched, treePages()));
}

/** Off this thread: megabytes take milliseconds, and a disk that is slow any time. */
export async function reserve(file: string, fileBytes: number, usedBytes: number, roomBytes: number): Promise<void> {
  if (fileBytes - usedBytes >= roomBytes) return;
  const handle = await open(file, "r+");
  try {
    await grow(handle, fileBytes, usedBytes + roomBytes + SLACK_BYTES);
  } catch {
    // There may be room for what is needed, if not for more.
    await grow(handle, fileBytes, usedBytes + roomBytes);
  } finally {
    await handle.close();
  }
}

/** To at least so many bytes, or not at all. */
async function grow(handle: FileHandle, fileBytes: number, wantedBytes: number): Promise<void> {
  try {
    for (let at = fileBytes; at < wantedBytes; ) {
      at += (await handle.write(ZEROS, 0, Math.min(ZEROS.length, wantedBytes - at), at)).bytesWritten;
    }
  } catch (problem) {
    await handle.truncate(fileBytes);
    throw problem;
  }
}
