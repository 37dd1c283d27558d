/**
 * Builds the graph of one embedder's vectors from their codes: pure work in a memory of its own, heavy, the same for
 * the same vectors. When graphs are built, and where they are kept, is decided elsewhere.
 *
 * HNSW: Malkov, Yashunin 2016, "Efficient and robust approximate nearest neighbor search using Hierarchical Navigable Small
 * World graphs".
 */
import { GRAPH_JOB_AHEAD, GRAPH_JOB_KEYS, GraphJob } from "../../../base/kernels/vector/generated/layout.ts";
import { GRAPH_JOB_ROOM_WORDS, KEY_BYTES, vectorKernels } from "../../../base/kernels/vector/kernels.ts";
import { Workspace } from "../../memory/workspace.ts";
import type { CodedVectors } from "./format.ts";
import { graphWords, layersOf, layOutGraph, NO_LINK } from "./graphs.ts";

/** Near vectors looked at for each new one: more make a better graph in more time. */
export const LOOKED_AT = 96;
const NO_LAYER = 0xffffffff;
/** What aligning the pieces of the work may take. */
const ALIGNMENT_BYTES = 1024;
const GOLDEN = 0.6180339887498949;

/** A graph on its way: a memory of its own and where in it the work and its result are. Can cross threads. */
export interface GraphWork {
  memory: WebAssembly.Memory;
  job: number;
  image: number;
  imageWords: number;
}

/** Lays everything out; links nothing yet. */
export function prepareGraph({ codes, scales, stride }: CodedVectors): GraphWork {
  const vectors = scales.length;
  const layers = layersOfAll(scales);
  const imageWords = graphWords(layers, scales);
  const room = imageWords * 4 + codes.length + vectors * 4 + scratchBytes(vectors, stride);
  const { workspace } = Workspace.around(new Uint8Array(0), room);
  const { memory, u8, u32, f32 } = workspace;
  const image = workspace.allocate(imageWords * 4);
  layOutGraph(u32.subarray(image >>> 2, (image >>> 2) + imageWords), layers, scales);
  const job = workspace.allocate(GraphJob.WORDS * 4);
  const words = u32.subarray(job >>> 2, (job >>> 2) + GraphJob.WORDS);
  words[GraphJob.image] = image;
  words[GraphJob.codes] = workspace.allocate(codes.length);
  u8.set(codes, words[GraphJob.codes]);
  words[GraphJob.scales] = workspace.allocate(vectors * 4);
  f32.set(scales, words[GraphJob.scales]! >>> 2);
  words[GraphJob.stride] = stride;
  words[GraphJob.looked] = LOOKED_AT;
  words[GraphJob.left] = vectors;
  words[GraphJob.next] = 0;
  words[GraphJob.step] = stepThrough(vectors);
  words[GraphJob.topLayer] = NO_LAYER;
  words[GraphJob.wide] = workspace.allocate(stride * 2);
  words[GraphJob.otherWide] = workspace.allocate(stride * 2);
  words[GraphJob.marks] = workspace.allocate((vectors + 7) >>> 3);
  words[GraphJob.ahead] = workspace.allocate(LOOKED_AT * GRAPH_JOB_AHEAD * KEY_BYTES);
  words[GraphJob.found] = workspace.allocate(LOOKED_AT * KEY_BYTES);
  words[GraphJob.keys] = workspace.allocate(GRAPH_JOB_KEYS * KEY_BYTES);
  words[GraphJob.room] = workspace.allocate(GRAPH_JOB_ROOM_WORDS * 4);
  return { memory, job, image, imageWords };
}

/** Links `count` more vectors; returns how many are left. */
export function growGraph({ memory, job }: GraphWork, count: number): number {
  return vectorKernels(memory).buildGraph(job, count) >>> 0;
}

/** The image of a graph that is complete, ready to be kept. */
export function finishedGraph({ memory, job, image, imageWords }: GraphWork): Uint32Array {
  const built = new Uint32Array(memory.buffer, image, imageWords);
  const { [GraphJob.topLayer]: topLayer, [GraphJob.topNode]: topNode } = new Uint32Array(
    memory.buffer,
    job,
    GraphJob.WORDS,
  );
  built[2] = topLayer === NO_LAYER ? NO_LINK : topNode!;
  return built;
}

function scratchBytes(vectors: number, stride: number): number {
  const keys = LOOKED_AT * (GRAPH_JOB_AHEAD + 1) + GRAPH_JOB_KEYS;
  return vectors / 8 + stride * 4 + keys * KEY_BYTES + (GraphJob.WORDS + GRAPH_JOB_ROOM_WORDS) * 4 + ALIGNMENT_BYTES;
}

/** What has no direction is in none. */
function layersOfAll(scales: Float32Array): number[][] {
  const kernels = vectorKernels(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }));
  return layersOf(scales.length, (vector) => (scales[vector] === 0 ? 0 : kernels.layersOf(vector)));
}

/** A step that leads through all numbers below `count` before it comes back. */
function stepThrough(count: number): number {
  if (count < 3) return 1;
  let step = Math.floor(count * GOLDEN);
  while (commonDivisor(step, count) !== 1) step++;
  return step;
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
