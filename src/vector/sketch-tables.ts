/**
 * A target as those want it who look at sketches: tables of what the bits at each place say of the likeness to it. Which
 * vectors are looked at, and what is done with the sums, is decided elsewhere.
 */
import { LOOK_ROOM_BYTES, vectorKernels } from "../kernels/vector/kernels.ts";
import type { Workspace } from "../memory/workspace.ts";
import { PLACE_BYTES, PLACES_STEP, type Sketches, valuesOf } from "../segment/vectors/sketches.ts";

/** Most that a number of a table may be, so that four fit in a byte; and all of them together. */
const ENTRY_MAX = 63;
const SUM_MAX = 32_767;
/** Most that a likeness of 1 may add to the sums. */
const FACTOR_MAX = 2 ** 20;

/**
 * Places that have, all together, less than this share of what there is to know of a likeness are left out. By
 * dimensions at a place: the less their bits say, the less it matters.
 */
const IGNORED_SHARES: Readonly<Record<number, number>> = { 4: 0.12, 2: 0.05 };

/**
 * Where the tables are, sixteen bytes for each place that matters: up to a constant and a factor, the part of the product
 * with the target that the dimensions at that place have.
 */
export interface Tables {
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

/** In the workspace. */
export function writeTables(sketches: Sketches, target: Float32Array, workspace: Workspace): Tables {
  const { dimensionsAtPlace, places, spreads } = sketches;
  const { f32, u32 } = workspace;
  const values = valuesOf(sketches);
  const most = values.at(-1)!;
  const weightsAt = workspace.allocate(places * dimensionsAtPlace * 4);
  const weights = f32.subarray(weightsAt >>> 2, (weightsAt >>> 2) + places * dimensionsAtPlace);
  weights.fill(0, spreads.length);
  const shares = new Float32Array(places);
  const reaches = new Float32Array(places);
  let all = 0;
  for (let d = 0; d < spreads.length; d++) {
    const weight = spreads[d]! * target[d]!;
    const place = Math.floor(d / dimensionsAtPlace);
    weights[d] = weight;
    shares[place]! += weight * weight;
    reaches[place]! += Math.abs(weight);
    all += weight * weight;
  }
  const chosen = placesThatMatter(shares, IGNORED_SHARES[dimensionsAtPlace]! * all);
  let widest = 0;
  let middle = 0;
  for (const place of chosen) {
    widest = Math.max(widest, reaches[place]! * most);
    middle += reaches[place]! * most;
  }
  const entryMax = Math.min(ENTRY_MAX, Math.floor(SUM_MAX / chosen.length));
  const factor = Math.min(FACTOR_MAX, entryMax / (2 * widest));
  const placeList = workspace.allocate(chosen.length * 4);
  for (let n = 0; n < chosen.length; n++) u32[(placeList >>> 2) + n] = chosen[n]! * PLACE_BYTES;
  const valuesAt = workspace.allocate(values.length * 4);
  f32.set(values, valuesAt >>> 2);
  const at = workspace.allocate(chosen.length * PLACE_BYTES);
  const room = workspace.allocate(LOOK_ROOM_BYTES);
  const { writeTables: write } = vectorKernels(workspace.memory);
  write(placeList, chosen.length, weightsAt, dimensionsAtPlace, valuesAt, values.length, factor, at, room);
  return { at, placeList, places: chosen.length, factor, middle: Math.round(middle * factor), spread: Math.sqrt(all) };
}

/** The places without those that hardly matter. */
function placesThatMatter(shares: Float32Array, ignorable: number): Uint32Array {
  const places = shares.length;
  const ascending = shares.slice().sort();
  let ignored = 0;
  let left = ignorable;
  while (ignored < places && ascending[ignored]! <= left) left -= ascending[ignored++]!;
  const kept = Math.max(PLACES_STEP, Math.ceil((places - ignored) / PLACES_STEP) * PLACES_STEP);
  const least = ascending[places - kept]!;
  const chosen = new Uint32Array(kept);
  let count = 0;
  for (let place = 0; place < places && count < kept; place++) if (shares[place]! > least) chosen[count++] = place;
  for (let place = 0; place < places && count < kept; place++) if (shares[place] === least) chosen[count++] = place;
  return chosen;
}
