/**
 * The vectors of a segment that are likeliest to be the nearest, judged by their sketches alone. How many there must be
 * so that the nearest are among them, and what is done with them, is decided elsewhere.
 */
import { KEY_BYTES, LOOK, LOOK_ROOM_BYTES, vectorKernels } from "../kernels/vector/kernels.ts";
import type { Clock } from "../rank/clock.ts";
import type { SegmentReader } from "../segment/reader.ts";
import type { EmbedderVectors } from "../segment/vectors/reader.ts";
import { type Sketches, writeTables } from "../segment/vectors/sketches.ts";
import type { VectorTarget } from "./target.ts";

/** Bytes of sketches that one call looks at: a fraction of a millisecond. */
const STRETCH_BYTES = 1 << 20;
/** Work that makes the clock look at the time. */
const SPENT = 4096;
/** One in so many blocks is looked at first, to learn how near is near enough. */
const SAMPLE_STEP = 16;
/** For each that is to be kept, so many would be by what the sample says: it may be wrong. */
const SAMPLE_MARGIN = 1.5;
const SAMPLED_MIN = 16;
/** When fewer than this share of those to be kept were found, the sample was wrong by too much. */
const ENOUGH = 0.75;
const PLACE_BYTES = 16;
const BLOCK = 32;

/** Below every sum. */
const NO_LIMIT = -1;
const SUM_MAX = 32_767;

/** Keys in the workspace, vectors in their lower halves, in no order; behind them room for those without direction. */
export interface Likely {
  keys: number;
  size: number;
}

/** `rows`: address of those that may be found, 0 for all. Throws TimeIsUp. */
export function likeliest(
  { reader, vectors }: { reader: SegmentReader; vectors: EmbedderVectors },
  sketches: Sketches,
  target: VectorTarget,
  rows: number,
  wanted: number,
  clock: Clock,
): Likely {
  const { workspace } = reader.home;
  const { u8, u32 } = workspace;
  const kernels = vectorKernels(workspace.memory);
  const blockBytes = sketches.places * PLACE_BYTES;
  const tables = workspace.allocate(blockBytes);
  const placeList = workspace.allocate(sketches.places * 4);
  const places = writeTables(
    sketches,
    target.floats,
    u8.subarray(tables, tables + blockBytes),
    u32.subarray(placeList >>> 2, (placeList >>> 2) + sketches.places),
  );
  const look = workspace.allocate(LOOK.words * 4) >>> 2;
  const keys = workspace.allocate((2 * wanted + sketches.loose.length) * KEY_BYTES);
  u32[look + LOOK.blocks] = reader.addressOf(sketches.blocks);
  u32[look + LOOK.blockBytes] = blockBytes;
  u32[look + LOOK.places] = places;
  u32[look + LOOK.placeList] = placeList;
  u32[look + LOOK.tables] = tables;
  u32[look + LOOK.vectors] = sketches.vectors;
  u32[look + LOOK.rows] = rows;
  u32[look + LOOK.rowList] = vectors.isDense ? 0 : reader.addressOf(vectors.rowList);
  u32[look + LOOK.starts] = vectors.isSingle ? 0 : reader.addressOf(vectors.starts);
  u32[look + LOOK.slots] = vectors.rowList.length;
  u32[look + LOOK.keys] = keys;
  u32[look + LOOK.room] = workspace.allocate(LOOK_ROOM_BYTES);
  const blocks = Math.ceil(sketches.vectors / BLOCK);
  const stretch = Math.max(1, Math.floor(STRETCH_BYTES / blockBytes));
  /** Keeps those above `limit`, of every `step`-th block; returns how many. */
  const keep = (count: number, limit: number, step: number): number => {
    u32[look + LOOK.wanted] = count;
    u32[look + LOOK.size] = 0;
    u32[look + LOOK.limit] = limit;
    for (let from = 0; from < blocks; from += stretch * step) {
      kernels.scanSketches(look * 4, from, Math.min(blocks, from + stretch * step), step);
      clock.spend(SPENT);
    }
    const size = u32[look + LOOK.size]!;
    if (size >= count) kernels.select(keys, size, count);
    return Math.min(size, count);
  };
  const sampled = Math.ceil((wanted / SAMPLE_STEP) * SAMPLE_MARGIN) + SAMPLED_MIN;
  const isFull = keep(sampled, NO_LIMIT, SAMPLE_STEP) === sampled;
  // The last of those kept is the farthest.
  const limit = isFull ? SUM_MAX - u32[(keys >>> 2) + 2 * sampled - 1]! : NO_LIMIT;
  const size = keep(wanted, limit, 1);
  return { keys, size: size < ENOUGH * wanted && isFull ? keep(wanted, NO_LIMIT, 1) : size };
}
