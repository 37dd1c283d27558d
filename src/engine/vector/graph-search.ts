/**
 * Walks the HNSW graph of a segment towards a target and gives the vectors it meets. How many are needed, and how they
 * are ranked, is decided by `segment-search.ts`.
 */
import { GraphWalk } from "../../base/kernels/vector/generated/layout.ts";
import { KEY_BYTES, vectorKernels, WALK_WORDS } from "../../base/kernels/vector/kernels.ts";
import type { SegmentReader } from "../../storage/segment/reader.ts";
import { looseVectors } from "../../storage/segment/vectors/graphs.ts";
import type { EmbedderVectors } from "../../storage/segment/vectors/reader.ts";
import type { Deadline } from "../query/deadline.ts";
import type { Candidates } from "./bit-code-search.ts";
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
  clock: Deadline,
): Candidates {
  const { workspace } = reader.home;
  const { f32, u16, u32 } = workspace;
  const { numbers, unit } = target.wide;
  const width = Math.min(vectors.count, wanted);
  const query = workspace.allocate(numbers.byteLength);
  u16.set(numbers, query >>> 1);
  const walk = workspace.allocate(WALK_WORDS * 4) >>> 2;
  const loose = looseVectors(image);
  const keys = workspace.allocate((width + loose.length) * KEY_BYTES);
  u32[walk + GraphWalk.image] = reader.addressOf(image);
  u32[walk + GraphWalk.codes] = reader.addressOf(vectors.codes);
  u32[walk + GraphWalk.scales] = reader.addressOf(vectors.scales);
  u32[walk + GraphWalk.stride] = vectors.codeBytes;
  u32[walk + GraphWalk.query] = query;
  f32[walk + GraphWalk.unit] = unit;
  u32[walk + GraphWalk.wanted] = width;
  u32[walk + GraphWalk.rows] = rows;
  u32[walk + GraphWalk.rowList] = vectors.isDense ? 0 : reader.addressOf(vectors.rowList);
  u32[walk + GraphWalk.starts] = vectors.isSingle ? 0 : reader.addressOf(vectors.starts);
  u32[walk + GraphWalk.slots] = vectors.rowList.length;
  u32[walk + GraphWalk.marks] = workspace.allocate((vectors.count + 7) >>> 3);
  u32[walk + GraphWalk.aheadCapacity] = Math.min(vectors.count, AHEAD_MAX);
  u32[walk + GraphWalk.ahead] = workspace.allocate(u32[walk + GraphWalk.aheadCapacity]! * KEY_BYTES);
  u32[walk + GraphWalk.aheadSize] = 0;
  u32[walk + GraphWalk.found] = keys;
  u32[walk + GraphWalk.foundSize] = 0;
  u32[walk + GraphWalk.begun] = 0;
  const { walkGraph } = vectorKernels(workspace.memory);
  while (walkGraph(walk * 4, STRETCH_STEPS) !== 0) clock.spend(SPENT);
  return { keys, size: u32[walk + GraphWalk.foundSize]!, ids: "vectors", loose };
}
