/**
 * Graphs for the vectors of a segment file: laid out, grown a bit at a time so that other jobs get their turn, and put
 * into a copy of the file. The file itself is only read; the copy is durable when it is there.
 */
import { closeSync, openSync, readSync } from "node:fs";
import {
  type PartEntry,
  readHotParts,
  readSegmentHeader,
  type SegmentSummary,
  writeSegmentFile,
} from "../segment/container.ts";
import { PART_DOCUMENTS, PART_GRAPHS, type Part } from "../segment/parts.ts";
import { SegmentReader } from "../segment/reader.ts";
import { finishedGraph, type GraphWork, prepareGraph } from "../segment/vectors/graph-builder.ts";
import { imagesPart } from "../segment/vectors/images.ts";

export interface NamedWork {
  embedder: string;
  work: GraphWork;
}

const READ_BYTES = 1 << 20;

export function prepareGraphOf(path: string, embedder: string): GraphWork {
  const reader = new SegmentReader(readHotParts(path), path);
  try {
    const vectors = reader.vectors?.embedder(embedder);
    if (!vectors) throw new Error(`the segment has no vectors of \`${embedder}\``);
    return prepareGraph({ codes: vectors.codes, scales: vectors.scales, stride: vectors.codeBytes });
  } finally {
    reader.close();
  }
}

/** The segment with these graphs, in place of any it had. */
export function addGraphs(
  path: string,
  output: string,
  graphs: readonly NamedWork[],
  documentBytes: number,
): SegmentSummary {
  const hot = readHotParts(path);
  const { parts, rows } = readSegmentHeader(hot);
  const fd = openSync(path, "r");
  try {
    const kept = parts.filter(({ kind }) => kind !== PART_GRAPHS);
    const copies = kept.map((entry): Part => {
      const { kind, offset, length } = entry;
      return { kind, chunks: kind === PART_DOCUMENTS ? pieces(fd, entry) : [hot.subarray(offset, offset + length)] };
    });
    const images = graphs.map(({ embedder, work }) => ({ embedder, image: finishedGraph(work) }));
    return writeSegmentFile(output, { rows, documentBytes, parts: [...copies, imagesPart(PART_GRAPHS, images)] });
  } finally {
    closeSync(fd);
  }
}

/** The bytes of a part that is not in memory. */
function* pieces(fd: number, { offset, length }: PartEntry): Generator<Uint8Array> {
  const buffer = new Uint8Array(Math.min(READ_BYTES, length));
  for (let done = 0; done < length; ) {
    const count = readSync(fd, buffer, 0, Math.min(buffer.length, length - done), offset + done);
    if (count === 0) throw new Error("the segment file ends too early");
    yield buffer.subarray(0, count);
    done += count;
  }
}
