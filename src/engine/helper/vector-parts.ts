/**
 * Builds the parts that a segment gets after it was written: IVF cells and HNSW graphs of its vectors. Works in short
 * slices, so that other jobs get their turn, and writes them into a copy of the file. The file itself is only read; the
 * copy is durable when it is there.
 */
import { closeSync, openSync, readSync } from "node:fs";
import {
  type PartEntry,
  readHotParts,
  readSegmentHeader,
  type SegmentSummary,
  writeSegmentFile,
} from "../../storage/segment/container.ts";
import { PART, type Part } from "../../storage/segment/parts.ts";
import { SegmentReader } from "../../storage/segment/reader.ts";
import { bitCodesOf } from "../../storage/segment/vectors/bit-codes.ts";
import { type BlobsReader, blobsPart, type NamedBlob } from "../../storage/segment/vectors/blobs.ts";
import type { CodedVectors } from "../../storage/segment/vectors/format.ts";
import { type GraphWork, prepareGraph } from "../../storage/segment/vectors/graph-builder.ts";
import { type CellWork, finishedCells, prepareCells } from "../../storage/segment/vectors/ivf.ts";
import type { EmbedderVectors } from "../../storage/segment/vectors/reader.ts";
import { buildByHnswlib, type NewHnswlibIndex } from "./hnswlib.ts";

/** What was made, by embedder. */
export interface VectorParts {
  cells: { embedder: string; work: CellWork }[];
  graphs: NamedBlob[];
}

const READ_BYTES = 1 << 20;

export function prepareCellsOf(path: string, embedder: string): CellWork {
  return prepare(path, embedder, prepareCells);
}

export function prepareGraphOf(path: string, embedder: string): GraphWork {
  return prepare(path, embedder, prepareGraph);
}

/** All at once: what the library has begun cannot be taken up by another thread. */
export function graphByHnswlib(Index: NewHnswlibIndex, path: string, embedder: string): Uint32Array {
  return withVectors(path, embedder, (vectors) => buildByHnswlib(Index, vectors, `${path}.hnswlib`));
}

function prepare<Work>(path: string, embedder: string, layOut: (coded: CodedVectors) => Work): Work {
  return withVectors(path, embedder, (vectors) => layOut(codedOf(vectors)));
}

function withVectors<Result>(path: string, embedder: string, use: (vectors: EmbedderVectors) => Result): Result {
  const reader = new SegmentReader(readHotParts(path), path);
  try {
    return use(vectorsOf(reader, embedder));
  } finally {
    reader.close();
  }
}

function vectorsOf({ vectors }: SegmentReader, embedder: string): EmbedderVectors {
  const own = vectors?.embedder(embedder);
  if (!own) throw new Error(`the segment has no vectors of \`${embedder}\``);
  return own;
}

function codedOf({ codes, scales, codeBytes }: EmbedderVectors): CodedVectors {
  return { codes, scales, stride: codeBytes };
}

/** The segment with what was made, in place of what it had of these; of other embedders it keeps what it had. */
export function addVectorParts(path: string, output: string, made: VectorParts, documentBytes: number): SegmentSummary {
  const hot = readHotParts(path);
  const { parts, rows } = readSegmentHeader(hot);
  const reader = new SegmentReader(hot, path);
  const fd = openSync(path, "r");
  try {
    const kept = parts.filter(({ kind }) => kind !== PART.graphs && kind !== PART.bitCodes);
    const copies = kept.map((entry): Part => {
      const { kind, offset, length } = entry;
      return { kind, chunks: kind === PART.documents ? pieces(fd, entry) : [hot.subarray(offset, offset + length)] };
    });
    const sketches = imagesWith(reader, reader.sketches, made.cells, (vectors, { work }) =>
      sketchesInCells(vectors, work),
    );
    const graphs = imagesWith(reader, reader.graphs, made.graphs, (_, { image }) => image);
    const images = [...partsOf(PART.bitCodes, sketches), ...partsOf(PART.graphs, graphs)];
    return writeSegmentFile(output, { rows, documentBytes, parts: [...copies, ...images] });
  } finally {
    closeSync(fd);
    reader.close();
  }
}

function partsOf(kind: number, images: readonly NamedBlob[]): Part[] {
  return images.length === 0 ? [] : [blobsPart(kind, images)];
}

/** Images of what was made, and those there are of all others. */
function imagesWith<Made extends { embedder: string }>(
  reader: SegmentReader,
  there: BlobsReader | null,
  made: readonly Made[],
  imageOf: (vectors: EmbedderVectors, own: Made) => Uint32Array,
): NamedBlob[] {
  return reader.vectors!.embedders.flatMap((vectors) => {
    const embedder = vectors.name;
    const own = made.find((named) => named.embedder === embedder);
    const image = own === undefined ? (there?.image(embedder) ?? null) : imageOf(vectors, own);
    return image === null ? [] : [{ embedder, image }];
  });
}

function sketchesInCells(vectors: EmbedderVectors, work: CellWork): Uint32Array {
  const { count, dimensions } = vectors;
  const slotOf = (vector: number): number => vectors.slotOfVector(vector);
  return bitCodesOf(
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
