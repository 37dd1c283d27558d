/**
 * Cells for the vectors of a segment file: laid out, found a bit at a time so that other jobs get their turn, and put
 * into a copy of the file as sketches that lie in cells. The file itself is only read; the copy is durable when it is
 * there.
 */
import { closeSync, openSync, readSync } from "node:fs";
import {
  type PartEntry,
  readHotParts,
  readSegmentHeader,
  type SegmentSummary,
  writeSegmentFile,
} from "../segment/container.ts";
import { PART_DOCUMENTS, PART_GRAPHS, PART_SKETCHES, type Part } from "../segment/parts.ts";
import { SegmentReader } from "../segment/reader.ts";
import { type CellWork, finishedCells, prepareCells } from "../segment/vectors/cells.ts";
import { imagesPart, type NamedImage } from "../segment/vectors/images.ts";
import type { EmbedderVectors } from "../segment/vectors/reader.ts";
import { sketchesOf } from "../segment/vectors/sketches.ts";

export interface NamedWork {
  embedder: string;
  work: CellWork;
}

const READ_BYTES = 1 << 20;

export function prepareCellsOf(path: string, embedder: string): CellWork {
  const reader = new SegmentReader(readHotParts(path), path);
  try {
    return prepareCells(codedOf(vectorsOf(reader, embedder)));
  } finally {
    reader.close();
  }
}

function vectorsOf({ vectors }: SegmentReader, embedder: string): EmbedderVectors {
  const own = vectors?.embedder(embedder);
  if (!own) throw new Error(`the segment has no vectors of \`${embedder}\``);
  return own;
}

function codedOf({ codes, scales, codeBytes }: EmbedderVectors) {
  return { codes, scales, stride: codeBytes };
}

/** The segment with these cells, in place of any it had. */
export function addCells(
  path: string,
  output: string,
  cells: readonly NamedWork[],
  documentBytes: number,
): SegmentSummary {
  const hot = readHotParts(path);
  const { parts, rows } = readSegmentHeader(hot);
  const reader = new SegmentReader(hot, path);
  const fd = openSync(path, "r");
  try {
    const kept = parts.filter(({ kind }) => kind !== PART_GRAPHS && kind !== PART_SKETCHES);
    const copies = kept.map((entry): Part => {
      const { kind, offset, length } = entry;
      return { kind, chunks: kind === PART_DOCUMENTS ? pieces(fd, entry) : [hot.subarray(offset, offset + length)] };
    });
    const sketches = imagesPart(PART_SKETCHES, sketchesWith(reader, cells));
    return writeSegmentFile(output, { rows, documentBytes, parts: [...copies, sketches] });
  } finally {
    closeSync(fd);
    reader.close();
  }
}

/** New sketches of those that have cells now, and those there are of all others. */
function sketchesWith(reader: SegmentReader, cells: readonly NamedWork[]): NamedImage[] {
  return reader.vectors!.embedders.flatMap(({ name }) => {
    const work = cells.find(({ embedder }) => embedder === name)?.work;
    const image = work === undefined ? (reader.sketches?.image(name) ?? null) : imageOf(vectorsOf(reader, name), work);
    return image === null ? [] : [{ embedder: name, image }];
  });
}

function imageOf(vectors: EmbedderVectors, work: CellWork): Uint32Array {
  const { count, dimensions } = vectors;
  const slotOf = (vector: number): number => vectors.slotOfVector(vector);
  return sketchesOf(
    { dimensions, vectors: count, coded: () => [codedOf(vectors)] },
    { ...finishedCells(work), slotOf },
  );
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
