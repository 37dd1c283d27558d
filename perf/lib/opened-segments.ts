/** Segment files opened the way readers do, side by side in one memory with room to work in, and an index of them. */
import { closeSync, openSync } from "node:fs";
import type { IndexView } from "../../src/storage/index/view.ts";
import { Workspace } from "../../src/storage/memory/workspace.ts";
import { loadHotParts, readSegmentHeader, type SegmentHeader } from "../../src/storage/segment/container.ts";
import { SegmentReader } from "../../src/storage/segment/reader.ts";

const PAGE_BYTES = 64 * 1024;

export function headerOf(file: string): SegmentHeader {
  const fd = openSync(file, "r");
  const header = readSegmentHeader(fd);
  closeSync(fd);
  return header;
}

/** `leave` is given the room to work in, to put there what others may have left. */
export function openTogether(
  files: readonly string[],
  workspaceBytes: number,
  leave: (room: Uint8Array) => void = () => {},
): SegmentReader[] {
  const headers = files.map(headerOf);
  const sizes = headers.map(({ hotBytes }) => Math.ceil(hotBytes / PAGE_BYTES));
  const pages = 2 + workspaceBytes / PAGE_BYTES + sizes.reduce((sum, size) => sum + size, 0);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  leave(new Uint8Array(memory.buffer, PAGE_BYTES, workspaceBytes));
  const workspace = new Workspace(memory, PAGE_BYTES, workspaceBytes);
  let at = PAGE_BYTES + workspaceBytes;
  return files.map((file, i) => {
    const hot = new Uint8Array(memory.buffer, at, headers[i]!.hotBytes);
    at += sizes[i]! * PAGE_BYTES;
    loadHotParts(file, headers[i]!, hot);
    return new SegmentReader(hot, file, workspace);
  });
}

export function viewOfSegments(given: Pick<IndexView, "id" | "settings" | "documentCount" | "segments">): IndexView {
  return {
    ...given,
    held: given.segments,
    uid: "opened",
    version: 1,
    createdAt: 0,
    updatedAt: 0,
    primaryKey: "id",
    contentVersion: 1,
    settingsVersion: 1,
    hasLongSettings: false,
    fieldOrder: [],
    fieldDistribution: {},
    fileBytes: 0,
    documentBytes: 0,
    liveDocumentBytes: 0,
    shards: 1,
    shardsElsewhere: [],
    problem: null,
  };
}
