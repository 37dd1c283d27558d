/**
 * The vectors of a segment that a walk through their graph comes to: from some place of it to ever nearer ones. How many
 * there must be so that the nearest are among them, and what is done with them, is decided elsewhere.
 */
import { KEY_BYTES, vectorKernels, WALK } from "../kernels/vector/kernels.ts";
import type { Clock } from "../rank/clock.ts";
import type { SegmentReader } from "../segment/reader.ts";
import { looseVectors } from "../segment/vectors/graphs.ts";
import type { EmbedderVectors } from "../segment/vectors/reader.ts";
import type { Likely } from "./sketch-search.ts";
import type { VectorTarget } from "./target.ts";

/** Steps of a walk that one call takes: a fraction of a millisecond. */
const STRETCH_STEPS = 256;
/** Work that makes the clock look at the time. */
const SPENT = 4096;
/** Nodes that a walk may still want to look at; beyond that the far ones are forgotten. */
const AHEAD_MAX = 1 << 17;

/** `rows`: address of those that may be found, 0 for all; `wanted`: how many to come to. Throws TimeIsUp. */
export function walked(
  { reader, vectors }: { reader: SegmentReader; vectors: EmbedderVectors },
  image: Uint32Array,
  target: VectorTarget,
  { rows, wanted }: { rows: number; wanted: number },
  clock: Clock,
): Likely {
  const { workspace } = reader.home;
  const { f32, u16, u32 } = workspace;
  const { numbers, unit } = target.wide;
  const width = Math.min(vectors.count, wanted);
  const query = workspace.allocate(numbers.byteLength);
  u16.set(numbers, query >>> 1);
  const walk = workspace.allocate(WALK.words * 4) >>> 2;
  const loose = looseVectors(image);
  const keys = workspace.allocate((width + loose.length) * KEY_BYTES);
  u32[walk + WALK.image] = reader.addressOf(image);
  u32[walk + WALK.codes] = reader.addressOf(vectors.codes);
  u32[walk + WALK.scales] = reader.addressOf(vectors.scales);
  u32[walk + WALK.stride] = vectors.codeBytes;
  u32[walk + WALK.query] = query;
  f32[walk + WALK.unit] = unit;
  u32[walk + WALK.wanted] = width;
  u32[walk + WALK.rows] = rows;
  u32[walk + WALK.rowList] = vectors.isDense ? 0 : reader.addressOf(vectors.rowList);
  u32[walk + WALK.starts] = vectors.isSingle ? 0 : reader.addressOf(vectors.starts);
  u32[walk + WALK.slots] = vectors.rowList.length;
  u32[walk + WALK.marks] = workspace.allocate((vectors.count + 7) >>> 3);
  u32[walk + WALK.aheadCapacity] = Math.min(vectors.count, AHEAD_MAX);
  u32[walk + WALK.ahead] = workspace.allocate(u32[walk + WALK.aheadCapacity]! * KEY_BYTES);
  u32[walk + WALK.aheadSize] = 0;
  u32[walk + WALK.found] = keys;
  u32[walk + WALK.foundSize] = 0;
  u32[walk + WALK.begun] = 0;
  const { walkGraph } = vectorKernels(workspace.memory);
  while (walkGraph(walk * 4, STRETCH_STEPS) !== 0) clock.spend(SPENT);
  return { keys, size: u32[walk + WALK.foundSize]!, ids: "vectors", loose };
}
