/**
 * Finds the vectors of a segment that are likely to be the nearest, from their bit codes alone: those of the nearest
 * IVF cells, or all of them where a segment has no cells. How many candidates are needed, and how they are ranked, is
 * decided by `segment-search.ts`; cells are probed by compiled code (`cell-scan.ts`).
 */
import {
  BitCodeScan,
  BLOCK_VECTORS,
  DISTANCE_STEPS,
  FAR,
  SCAN_ROOM_BYTES,
  SUM_STEPS,
} from "../../base/kernels/vector/generated/layout.ts";
import { KEY_BYTES, type VectorKernels, vectorKernels } from "../../base/kernels/vector/kernels.ts";
import type { SegmentReader } from "../../storage/segment/reader.ts";
import type { BitCodeCells, BitCodes } from "../../storage/segment/vectors/bit-codes.ts";
import type { EmbedderVectors } from "../../storage/segment/vectors/reader.ts";
import type { Deadline } from "../query/deadline.ts";
import { writeTables } from "./bit-code-tables.ts";
import type { CandidateBudget } from "./cost-model.ts";
import type { VectorTarget } from "./target.ts";

/** Bytes of sketches that one call looks at: a fraction of a millisecond. */
const STRETCH_BYTES = 1 << 20;
/** Work that makes the clock look at the time. */
const SPENT = 4096;
/** One block in this many is scanned first, to estimate which sum is near enough. */
const SAMPLE_STEP = 16;
/** Oversampling: the threshold that a sample suggests may be off. */
const SAMPLE_MARGIN = 1.5;
const SAMPLED_MIN = 16;
/** When fewer than this share of those to be kept were found, the sample was wrong by too much. */
const ENOUGH = 0.75;
/** Cells whose centre is further below the limit than this many standard deviations have few vectors above it. */
const REACH = 5.2;
/** Margin for the error of bit codes: by this many standard deviations a vector that is sought may look worse than the best. */
const BEHIND = 3;
/** What a weight of 1 makes of a sum. */
const WEIGHED = 0.5;

/** Below every sum. */
const NO_LIMIT = -1;
const NO_LIMIT_IN_CELLS = -(2 ** 23);

/** Keys in the workspace, ids in their lower halves, in no order; behind them room for those without direction. */
export interface Candidates {
  keys: number;
  size: number;
  /** What ids are numbers of: with cells a slot may come several times. */
  ids: "slots" | "vectors";
  /** Vectors without direction, of which nothing is known. */
  loose: Uint32Array;
}

interface BitCodeQuery {
  /** Address of the rows that may be found, 0 for all. */
  rows: number;
  /** How many candidates to keep. */
  wanted: number;
  /** How many of the nearest are sought among them. */
  sought: number;
  /** Of the vectors that may be found so many are to be looked at where there are cells: at least, and at most. */
  seen: CandidateBudget;
  /** Whether so many may be found that it is asked only of those that look near. */
  isMany: boolean;
}

/** Throws TimeIsUp. */
export function findCandidates(
  segment: { reader: SegmentReader; vectors: EmbedderVectors },
  sketches: BitCodes,
  target: VectorTarget,
  query: BitCodeQuery,
  clock: Deadline,
): Candidates {
  const { workspace } = segment.reader.home;
  const kernels = vectorKernels(workspace.memory);
  const scan = describe(segment, sketches, target, query);
  const keys = workspace.u32[scan + BitCodeScan.keys]!;
  const { loose } = sketches;
  if (sketches.cells === null)
    return { keys, size: ofAll(kernels, workspace.u32, scan, sketches, clock), ids: "vectors", loose };
  rankCells(segment.reader, sketches.cells, target, scan);
  const stretch = Math.max(1, Math.floor(STRETCH_BYTES / sketches.blockBytes));
  for (let isMore = true; isMore; clock.spend(SPENT)) isMore = kernels.scanCells(scan * 4, stretch) !== 0;
  return { keys, size: kernels.settle(scan * 4), ids: "slots", loose };
}

/** Lays out what kernels must know; returns the address of it in words. */
function describe(
  { reader, vectors }: { reader: SegmentReader; vectors: EmbedderVectors },
  sketches: BitCodes,
  target: VectorTarget,
  { isMany, rows, seen, sought, wanted }: BitCodeQuery,
): number {
  const { workspace } = reader.home;
  const { u32 } = workspace;
  const { at, placeList, places, factor, middle, spread } = writeTables(sketches, target.floats, reader);
  const scan = workspace.allocate(BitCodeScan.WORDS * 4) >>> 2;
  u32[scan + BitCodeScan.blocks] = reader.addressOf(sketches.blocks);
  u32[scan + BitCodeScan.blockBytes] = sketches.blockBytes;
  u32[scan + BitCodeScan.places] = places;
  u32[scan + BitCodeScan.placeList] = placeList;
  u32[scan + BitCodeScan.tables] = at;
  u32[scan + BitCodeScan.vectors] = sketches.vectors;
  u32[scan + BitCodeScan.rows] = rows;
  u32[scan + BitCodeScan.rowList] = vectors.isDense ? 0 : reader.addressOf(vectors.rowList);
  u32[scan + BitCodeScan.starts] = vectors.isSingle ? 0 : reader.addressOf(vectors.starts);
  u32[scan + BitCodeScan.slots] = vectors.rowList.length;
  u32[scan + BitCodeScan.wanted] = wanted;
  u32[scan + BitCodeScan.keys] = workspace.allocate((2 * wanted + sketches.loose.length) * KEY_BYTES);
  u32[scan + BitCodeScan.size] = 0;
  u32[scan + BitCodeScan.room] = workspace.allocate(SCAN_ROOM_BYTES);
  u32[scan + BitCodeScan.middle] = middle;
  u32[scan + BitCodeScan.least] = seen.least;
  u32[scan + BitCodeScan.enough] = seen.most;
  u32[scan + BitCodeScan.isMany] = isMany ? 1 : 0;
  u32[scan + BitCodeScan.reach] = Math.ceil(REACH * spread * factor * WEIGHED);
  // Where slots have several vectors they may come several times, and the best are fewer than it seems.
  u32[scan + BitCodeScan.sought] = vectors.isSingle ? sought : wanted;
  u32[scan + BitCodeScan.behind] = Math.ceil(BEHIND * spread * factor * WEIGHED);
  workspace.f32[scan + BitCodeScan.factor] = factor * target.norm * WEIGHED;
  return scan;
}

function ofAll(kernels: VectorKernels, u32: Uint32Array, scan: number, sketches: BitCodes, clock: Deadline): number {
  const blocks = Math.ceil(sketches.vectors / BLOCK_VECTORS);
  const stretch = Math.max(1, Math.floor(STRETCH_BYTES / sketches.blockBytes));
  const wanted = u32[scan + BitCodeScan.wanted]!;
  /** Keeps those above `limit`, of every `step`-th block; returns how many. */
  const keep = (count: number, limit: number, step: number): number => {
    u32[scan + BitCodeScan.wanted] = count;
    u32[scan + BitCodeScan.size] = 0;
    u32[scan + BitCodeScan.limit] = limit;
    for (let from = 0; from < blocks; from += stretch * step) {
      kernels.scanSketches(scan * 4, from, Math.min(blocks, from + stretch * step), step);
      clock.spend(SPENT);
    }
    const size = u32[scan + BitCodeScan.size]!;
    if (size >= count) kernels.select(u32[scan + BitCodeScan.keys]!, size, count);
    return Math.min(size, count);
  };
  const sampled = Math.ceil((wanted / SAMPLE_STEP) * SAMPLE_MARGIN) + SAMPLED_MIN;
  const isFull = keep(sampled, NO_LIMIT, SAMPLE_STEP) === sampled;
  // The last of those kept is the farthest.
  const limit = isFull ? FAR - u32[(u32[scan + BitCodeScan.keys]! >>> 2) + 2 * sampled - 1]! : NO_LIMIT;
  const size = keep(wanted, limit, 1);
  return size < ENOUGH * wanted && isFull ? keep(wanted, NO_LIMIT, 1) : size;
}

/** Puts all cells in order, the nearest first. */
function rankCells(reader: SegmentReader, cells: BitCodeCells, target: VectorTarget, scan: number): void {
  const { workspace } = reader.home;
  const { u32 } = workspace;
  const { numbers, unit } = target.wide;
  const query = workspace.allocate(numbers.byteLength);
  workspace.u8.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), query);
  const keys = workspace.allocate(cells.count * KEY_BYTES);
  const room = workspace.allocate((DISTANCE_STEPS + 2 * cells.count) * 4);
  const counts = workspace.allocate(SUM_STEPS * 4);
  u32.fill(0, counts >>> 2, (counts >>> 2) + SUM_STEPS);
  u32[scan + BitCodeScan.limit] = NO_LIMIT_IN_CELLS;
  u32[scan + BitCodeScan.slotList] = reader.addressOf(cells.slots);
  u32[scan + BitCodeScan.cellKeys] = keys;
  u32[scan + BitCodeScan.cells] = cells.count;
  u32[scan + BitCodeScan.allCells] = cells.count;
  u32[scan + BitCodeScan.counts] = counts;
  u32[scan + BitCodeScan.firstStep] = 0;
  u32[scan + BitCodeScan.kept] = 0;
  u32[scan + BitCodeScan.bestStep] = 0;
  u32[scan + BitCodeScan.best] = 0;
  u32[scan + BitCodeScan.firstBlocks] = reader.addressOf(cells.firstBlocks);
  u32[scan + BitCodeScan.cellSizes] = reader.addressOf(cells.sizes);
  u32[scan + BitCodeScan.seen] = 0;
  const { rankCells: rank } = vectorKernels(workspace.memory);
  rank(
    reader.addressOf(cells.centres),
    reader.addressOf(cells.steps),
    cells.stride,
    cells.count,
    query,
    unit,
    keys,
    room,
  );
}
