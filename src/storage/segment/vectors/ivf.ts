/**
 * Groups the vectors of one embedder into cells of near ones, from their codes: pure work in a memory of its own, heavy,
 * the same for the same vectors. Some vectors find their nearest centres and each centre moves to the middle of those
 * that found it, several times over; in the end all find theirs. What is done with cells, and when, is decided elsewhere.
 *
 * k-means over a sample: Lloyd 1957, "Least Squares Quantization in PCM"; cells are the lists of an inverted file (IVF): Sivic,
 * Zisserman 2003, "Video Google".
 */
import { CellJob } from "../../../base/kernels/vector/generated/layout.ts";
import { vectorKernels } from "../../../base/kernels/vector/kernels.ts";
import { Workspace } from "../../memory/workspace.ts";
import { type CodedVectors, codeInto, normOf } from "./format.ts";

/** Cells for each root of the number of vectors. */
const CELLS_PER_ROOT = 2.5;
const CELLS_STEP = 4;
/** Vectors for each cell from which centres are found, and how often. */
const SAMPLED_PER_CELL = 16;
const MOVES = 4;
/** Bytes of centres that one stretch looks at: about a tenth of a second. */
const STRETCH_BYTES = 1.5e9;
/** Stretches that can be worked on at a time. */
export const LANES = 2;
/** What aligning the pieces of the work may take. */
const ALIGNMENT_BYTES = 1024;

/** Cells on their way: a memory of its own and where in it what lies. Can cross threads. */
export interface CellWork {
  memory: WebAssembly.Memory;
  job: number;
  vectors: number;
  scales: number;
  /** Room for each lane. */
  rooms: number[];
}

/** Every `step`-th of the vectors, `count` of them. */
export interface Stretch {
  first: number;
  step: number;
  count: number;
}

export function cellCount(vectors: number): number {
  return Math.max(1, Math.round((CELLS_PER_ROOT * Math.sqrt(vectors)) / CELLS_STEP)) * CELLS_STEP;
}

/** Lays everything out; the first centres are some of the vectors. */
export function prepareCells({ codes, scales, stride }: CodedVectors): CellWork {
  const vectors = scales.length;
  const cells = cellCount(vectors);
  const room = codes.length + vectors * 8 + cells * (stride + 4) + LANES * stride * 2 + CellJob.WORDS * 4;
  const { workspace } = Workspace.around(new Uint8Array(0), room + ALIGNMENT_BYTES);
  const { memory, u8, u32, f32 } = workspace;
  const job = workspace.allocate(CellJob.WORDS * 4);
  const words = u32.subarray(job >>> 2, (job >>> 2) + CellJob.WORDS);
  words[CellJob.codes] = workspace.allocate(codes.length);
  u8.set(codes, words[CellJob.codes]);
  words[CellJob.stride] = stride;
  words[CellJob.centres] = workspace.allocate(cells * stride);
  words[CellJob.factors] = workspace.allocate(cells * 4);
  words[CellJob.cells] = cells;
  words[CellJob.cellOf] = workspace.allocate(vectors * 4);
  for (let cell = 0; cell < cells; cell++) {
    const vector = Math.floor((cell * vectors) / cells);
    u8.copyWithin(
      words[CellJob.centres]! + cell * stride,
      words[CellJob.codes]! + vector * stride,
      words[CellJob.codes]! + (vector + 1) * stride,
    );
    f32[(words[CellJob.factors]! >>> 2) + cell] = scales[vector]!;
  }
  const scalesAt = workspace.allocate(vectors * 4);
  f32.set(scales, scalesAt >>> 2);
  const rooms = Array.from({ length: LANES }, () => workspace.allocate(stride * 2));
  return { memory, job, vectors, scales: scalesAt, rooms };
}

/** Stretches that can be done at the same time; after all of them, centres may move by what they found. */
interface Round {
  step: number;
  stretches: Stretch[];
  movesCentres: boolean;
}

/** What is to be done, in order. */
export function roundsOf({ memory, job, vectors }: CellWork): Round[] {
  const { [CellJob.cells]: cells, [CellJob.stride]: stride } = new Uint32Array(memory.buffer, job, CellJob.WORDS);
  const step = Math.max(1, Math.floor(vectors / (SAMPLED_PER_CELL * cells!)));
  const most = Math.ceil(STRETCH_BYTES / (cells! * stride!));
  const stretches = (every: number): Stretch[] => {
    const all: Stretch[] = [];
    for (let first = 0; first < vectors; first += most * every) {
      all.push({ first, step: every, count: Math.min(most, Math.ceil((vectors - first) / every)) });
    }
    return all;
  };
  const moves = Array.from({ length: MOVES }, () => ({ step, stretches: stretches(step), movesCentres: true }));
  return [...moves, { step: 1, stretches: stretches(1), movesCentres: false }];
}

/** The vectors of a stretch find their nearest centres. */
export function assignCells({ memory, job, rooms }: CellWork, { first, step, count }: Stretch, lane: number): void {
  vectorKernels(memory).assignCells(job, first, step, count, rooms[lane]!);
}

/** Centres move to the middle of those that found them; ones that none has found stay. */
export function moveCentres({ memory, job, scales, vectors }: CellWork, step: number): void {
  const words = new Uint32Array(memory.buffer, job, CellJob.WORDS);
  const [codes, stride, centres, factors, cells, cellOf] = words as unknown as number[] as JobWords;
  const numbers = new Int8Array(memory.buffer);
  const floats = new Float32Array(memory.buffer);
  const chosen = new Uint32Array(memory.buffer, cellOf, vectors);
  const sums = new Float32Array(cells * stride);
  for (let vector = 0; vector < vectors; vector += step) {
    const scale = floats[(scales >>> 2) + vector]!;
    const from = codes + vector * stride;
    const to = chosen[vector]! * stride;
    for (let d = 0; d < stride; d++) sums[to + d]! += numbers[from + d]! * scale;
  }
  for (let cell = 0; cell < cells; cell++) {
    const norm = normOf(sums, cell * stride, stride);
    if (norm === 0) continue;
    const sum = sums.subarray(cell * stride, (cell + 1) * stride);
    floats[(factors >>> 2) + cell] = codeInto(sum, norm, numbers.subarray(centres + cell * stride));
  }
}

type JobWords = [number, number, number, number, number, number];

/** The cell of each vector, once all rounds are done. */
export function finishedCells({ memory, job, vectors }: CellWork): { cells: number; cellOf: Uint32Array } {
  const words = new Uint32Array(memory.buffer, job, CellJob.WORDS);
  return { cells: words[CellJob.cells]!, cellOf: new Uint32Array(memory.buffer, words[CellJob.cellOf]!, vectors) };
}
