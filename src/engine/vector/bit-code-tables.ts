/**
 * Look-up tables for a scan of bit codes (Fast Scan): for each group of dimensions, what every value of its bits adds
 * to the similarity with the target. The scan itself is a kernel.
 */
import { PlaceSums } from "../../base/kernels/vector/generated/layout.ts";
import { vectorKernels } from "../../base/kernels/vector/kernels.ts";
import type { SegmentReader } from "../../storage/segment/reader.ts";
import { type BitCodes, PLACE_BYTES, valuesOf } from "../../storage/segment/vectors/bit-codes.ts";

/** Most that a number of a table may be, so that four fit in a byte; and all of them together. */
const ENTRY_MAX = 63;
const SUM_MAX = 32_767;
/** Values that tables are made of. */
const TABLE_VALUES = 4;
/** Most that a similarity of 1 may add to the sums. */
const FACTOR_MAX = 2 ** 20;

/**
 * Places that have, all together, less than this share of what there is to know of a similarity are left out. By
 * dimensions at a place: the less their bits say, the less it matters.
 */
const IGNORED_SHARES: Readonly<Record<number, number>> = { 4: 0.12, 2: 0.05 };

/**
 * Where the tables are, sixteen bytes for each place that matters: up to a constant and a factor, the part of the product
 * with the target that the dimensions at that place have.
 */
interface Tables {
  at: number;
  /** Where each of the places lies in a block, one word each; and how many they are, a multiple of four. */
  placeList: number;
  places: number;
  factor: number;
  /** What the tables say, all together, of a vector that is like the mean. */
  middle: number;
  /** How much the products of vectors with the target are spread around those of the means. */
  spread: number;
}

/** In the workspace of the segment. */
export function writeTables(sketches: BitCodes, target: Float32Array, reader: SegmentReader): Tables {
  const { dimensionsAtPlace: atPlace, places, spreads } = sketches;
  const { workspace } = reader.home;
  const { f32 } = workspace;
  const kernels = vectorKernels(workspace.memory);
  const values = valuesOf(sketches);
  const most = values.at(-1)!;
  const targetAt = workspace.allocate(target.byteLength);
  f32.set(target, targetAt >>> 2);
  const weights = workspace.allocate(places * atPlace * 4);
  const squares = workspace.allocate(places * 4);
  const placeList = workspace.allocate(places * 4);
  const sums = workspace.allocate(PlaceSums.WORDS * 4);
  const kept = kernels.choosePlaces(
    reader.addressOf(spreads),
    targetAt,
    spreads.length,
    atPlace,
    places,
    IGNORED_SHARES[atPlace]!,
    weights,
    squares,
    placeList,
    sums,
  );
  const told = sums >>> 2;
  const widest = f32[told + PlaceSums.most]!;
  const entryMax = Math.min(ENTRY_MAX, Math.floor(SUM_MAX / kept));
  const factor = Math.min(FACTOR_MAX, entryMax / (2 * widest * most));
  const valuesAt = workspace.allocate(TABLE_VALUES * 4);
  for (let i = 0; i < TABLE_VALUES; i++) f32[(valuesAt >>> 2) + i] = values[i % values.length]!;
  const at = workspace.allocate(kept * PLACE_BYTES);
  kernels.writeTables(placeList, kept, weights, atPlace, valuesAt, factor, at);
  const middle = Math.round(f32[told + PlaceSums.kept]! * most * factor);
  return { at, placeList, places: kept, factor, middle, spread: Math.sqrt(f32[told + PlaceSums.all]!) };
}
