/** Segments of random vectors in clusters, with what helper threads add to them, and exact neighbours to compare with. */
import {
  addVectorParts,
  prepareCellsOf,
  prepareGraphOf,
  type VectorParts,
} from "../../../src/engine/helper/vector-parts.ts";
import { vectorsIn } from "../../../src/engine/semantic/search.ts";
import type { SegmentVectors } from "../../../src/engine/vector/segment-search.ts";
import type { Bitmap } from "../../../src/storage/segment/bitmap.ts";
import type { SegmentReader } from "../../../src/storage/segment/reader.ts";
import { finishedGraph, growGraph } from "../../../src/storage/segment/vectors/graph-builder.ts";
import { assignCells, finishedCells, LANES, moveCentres, roundsOf } from "../../../src/storage/segment/vectors/ivf.ts";
import { build, EVERYTHING, freshPath, open, rowsOf, write } from "../../storage/segment/support.ts";

export const DIMENSIONS = 24;
const CLUSTERS = 60;
const SPREAD = 0.35;

/** The same numbers on every run. */
class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return this.#state / 2 ** 32;
  }

  /** About normal, around 0. */
  bell(): number {
    return this.next() + this.next() + this.next() + this.next() - 2;
  }
}

/** Vectors around some centres; what is drawn later with the same `random` lies around the same ones. */
export class Clusters {
  readonly #random: Random;
  readonly #centres: number[][];

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#centres = Array.from({ length: CLUSTERS }, () =>
      Array.from({ length: DIMENSIONS }, () => this.#random.bell()),
    );
  }

  vector(): number[] {
    const centre = this.#centres[Math.floor(this.#random.next() * CLUSTERS)]!;
    return centre.map((value) => Math.fround(value + this.#random.bell() * SPREAD));
  }
}

/** A segment file with one document for each list of vectors. */
export function segmentOf(documents: readonly (readonly number[][])[]): string {
  const rules = [{ name: "e", dimensions: DIMENSIONS, quantized: false, userProvided: true }];
  const docs = documents.map((vectors, id) => ({ id, name: `d${id}`, _vectors: { e: vectors } }));
  return write(build(rowsOf(docs), { ...EVERYTHING, embedders: rules }));
}

/** A copy of the file whose vectors lie in cells. */
export function withCells(file: string): string {
  return copyWith(file, { cells: [{ embedder: "e", work: found(file) }], graphs: [] });
}

/** A copy of the file with a graph, its own if no other is given. */
export function withGraph(file: string, image = graphOf(file)): string {
  return copyWith(file, { cells: [], graphs: [{ embedder: "e", image }] });
}

function copyWith(file: string, made: VectorParts): string {
  const output = freshPath();
  addVectorParts(file, output, made, 0);
  return output;
}

function found(file: string) {
  const work = prepareCellsOf(file, "e");
  for (const { step, stretches, movesCentres } of roundsOf(work)) {
    for (const [i, stretch] of stretches.entries()) assignCells(work, stretch, i % LANES);
    if (movesCentres) moveCentres(work, step);
  }
  return work;
}

export function cellsOf(file: string): Uint32Array {
  return finishedCells(found(file)).cellOf;
}

function grown(file: string) {
  const work = prepareGraphOf(file, "e");
  while (growGraph(work, 500) > 0);
  return work;
}

export function graphOf(file: string): Uint32Array {
  return finishedGraph(grown(file));
}

export function openVectors(file: string): SegmentVectors & { reader: SegmentReader } {
  const reader = open(file);
  return { ...vectorsIn(reader, "e")!, reader };
}

/** Documents by the similarity of their best vector, nearest first. */
export function exactNeighbours(
  documents: readonly (readonly number[][])[],
  target: readonly number[],
  rows: Bitmap,
  wanted: number,
): number[] {
  const scored = documents.flatMap((own, row) =>
    rows.has(row) ? [{ row, similarity: Math.max(...own.map((vector) => cosine(vector, target))) }] : [],
  );
  scored.sort((a, b) => b.similarity - a.similarity || a.row - b.row);
  return scored.slice(0, wanted).map(({ row }) => row);
}

function cosine(a: readonly number[], b: readonly number[]): number {
  let dot = 0;
  let left = 0;
  let right = 0;
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!;
    left += a[i]! * a[i]!;
    right += b[i]! * b[i]!;
  }
  return left === 0 || right === 0 ? 1 : dot / Math.sqrt(left * right);
}
