/**
 * What vector search does in bulk, as functions over addresses of one memory. They keep nothing between calls, allocate
 * nothing and check nothing: callers see to room, order and bounds. How far one call goes is theirs to say, so that
 * they can watch the time.
 *
 * Key: 64 bits, a distance above an id; see assembly/heap.ts. Set, scan, walk, jobs: structs that describe what is
 * searched or built; see assembly/layout.ts.
 */
import { kernelsOver } from "../load.ts";
import { GraphWalk, LINKS_BELOW, VectorSet } from "./generated/layout.ts";
import { MODULE } from "./generated/module.ts";

/** Bytes of a key. */
export const KEY_BYTES = 8;

/** Words of a set and of a walk, with the room behind them. */
export const SET_WORDS = VectorSet.WORDS + 8;
export const WALK_WORDS = GraphWalk.WORDS + 2 * (LINKS_BELOW + 4);
/** Words of `room` of a job. */
export const GRAPH_JOB_ROOM_WORDS = 3 * (LINKS_BELOW + 4);

export interface VectorKernels {
  /** Orders the keys of a heap, nearest first. */
  sorted(heap: number, size: number): void;
  /** Lists the slots in [from, to) whose rows may be kept; returns how many. With `list` 0 it only counts them. */
  listSlots(set: number, from: number, to: number, list: number): number;
  /** Gathers what could be among the `wanted` nearest; returns how many slots it looked at before it ran out of room. */
  scanCodes(
    set: number,
    list: number,
    from: number,
    count: number,
    wanted: number,
    found: number,
    capacity: number,
  ): number;
  /** Keep the nearest in a heap; return its new size. */
  scanFloats: KeepNearest;
  scanBits: KeepNearest;
  rankFloats(set: number, keys: number, count: number, heap: number, size: number, capacity: number): number;
  /** The number of the nearest vector of a slot. */
  bestOfFloats(set: number, slot: number): number;
  bestOfBits(set: number, slot: number): number;
  /** Looks at every `step`-th of the blocks in [from, to) and keeps those that look nearest, and up to as many more. */
  scanSketches(scan: number, from: number, to: number, step: number): void;
  /** The same for the blocks of the nearest cells, about `blocks` of them; returns 0 when no more are to be looked at. */
  scanCells(scan: number, blocks: number): number;
  /** Leaves as many of the keys kept so far as are wanted, or a few more; returns how many. */
  settle(scan: number): number;
  /** Lists the places that matter for a target; returns how many. */
  choosePlaces(
    spreads: number,
    target: number,
    dimensions: number,
    atPlace: number,
    places: number,
    share: number,
    weights: number,
    squares: number,
    placeList: number,
    sums: number,
  ): number;
  /** Writes what the bits at each place of a list say of the similarity with a target. */
  writeTables(
    placeList: number,
    places: number,
    weights: number,
    atPlace: number,
    values: number,
    factor: number,
    tables: number,
  ): void;
  /** Moves the `wanted` lowest of `size` keys to the front. */
  select(keys: number, size: number, wanted: number): void;
  /** Finds the nearest centre for `count` vectors from `first` on, every `step`-th. */
  assignCells(job: number, first: number, step: number, count: number, wide: number): void;
  /** Makes keys of all cells, those nearest to a query first. */
  rankCells(
    centres: number,
    factors: number,
    stride: number,
    cells: number,
    query: number,
    unit: number,
    keys: number,
    room: number,
  ): void;
  /** Walks on; returns 0 when done. */
  walkGraph(walk: number, steps: number): number;
  /** Layers above the lowest that a vector is in. */
  layersOf(vector: number): number;
  /** Adds `count` vectors to a graph; returns how many are left. */
  buildGraph(job: number, count: number): number;
}

/** Looks at `count` slots: those of a list, or, with `list` 0, those from `from` on. */
export type KeepNearest = (
  set: number,
  list: number,
  from: number,
  count: number,
  heap: number,
  size: number,
  capacity: number,
) => number;

export function vectorKernels(memory: WebAssembly.Memory): VectorKernels {
  return kernelsOver<VectorKernels>(MODULE, memory);
}
