/** Segments from segments, file to file. The inputs are only read; the output is durable when a function returns. */

import { decodeBitmap } from "../../storage/segment/bitmap.ts";
import { readHotParts, type SegmentSummary, writeSegmentFile } from "../../storage/segment/container.ts";
import { type MergeInput, mergeSegments, rebuildSegment } from "../../storage/segment/merge.ts";
import { MergeMemory, MergeTooLarge } from "../../storage/segment/merge-memory.ts";
import { SegmentReader } from "../../storage/segment/reader.ts";
import { extractionRules } from "../../storage/segment/rules.ts";
import type { Settings } from "../../storage/settings/settings.ts";

/** A segment file and the rows in it that no longer count (`encodeBitmap`). */
export interface SegmentFile {
  path: string;
  deleted: Uint8Array | null;
}

/** Throws `MergeTooLarge` when there is not enough memory that can be addressed. */
export function mergeSegmentFiles(
  files: readonly SegmentFile[],
  output: string,
  memory = new MergeMemory(),
): SegmentSummary {
  const inputs: MergeInput[] = [];
  try {
    for (const file of files)
      inputs.push(
        openInput(
          file,
          readHotParts(file.path, (bytes) => memory.room(bytes)),
        ),
      );
    return writeSegmentFile(output, mergeSegments(inputs, memory));
  } catch (problem) {
    // The way in which compiled code says that it cannot grow its memory.
    throw problem instanceof WebAssembly.RuntimeError ? new MergeTooLarge() : problem;
  } finally {
    for (const { reader } of inputs) reader.close();
  }
}

export function rebuildSegmentFile(file: SegmentFile, settings: Settings, output: string): SegmentSummary {
  const input = openInput(file, readHotParts(file.path));
  try {
    return writeSegmentFile(output, rebuildSegment(input, extractionRules(settings)));
  } finally {
    input.reader.close();
  }
}

function openInput({ path, deleted }: SegmentFile, hot: Uint8Array): MergeInput {
  const reader = new SegmentReader(hot, path);
  return { reader, live: deleted === null ? null : decodeBitmap(deleted, reader.rows).invert() };
}
