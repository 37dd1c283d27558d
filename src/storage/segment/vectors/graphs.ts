/** The measures of a graph of near vectors. Its image is told in src/base/kernels/vector/assembly/graph.ts. */
import { GRAPH_HEAD_WORDS, LINKS_ABOVE, LINKS_BELOW } from "../../../base/kernels/vector/generated/layout.ts";

const LAYERS_MAX = 15;
export const NO_LINK = 0xffffffff;

/** Words of the image of a graph with these vectors in its layers 1, 2, ... */
export function graphWords(layers: readonly number[][], scales: Float32Array): number {
  const upper = layers.reduce((sum, { length }) => sum + length * (2 + LINKS_ABOVE), 0);
  const loose = scales.reduce((sum, scale) => sum + (scale === 0 ? 1 : 0), 0);
  return GRAPH_HEAD_WORDS + scales.length * LINKS_BELOW + upper + loose;
}

/** Writes all of it but the links and where walks begin. The vectors of a layer ascend. */
export function layOutGraph(image: Uint32Array, layers: readonly number[][], scales: Float32Array): void {
  const vectors = scales.length;
  image[0] = vectors;
  image[1] = layers.length;
  let at = GRAPH_HEAD_WORDS;
  image.fill(NO_LINK, at, at + vectors * LINKS_BELOW);
  at += vectors * LINKS_BELOW;
  for (const [i, nodes] of layers.entries()) {
    image[4 + i] = nodes.length;
    image.set(nodes, at);
    at += nodes.length;
    const below = i === 0 ? null : nodesByVector(layers[i - 1]!);
    for (const vector of nodes) image[at++] = below?.get(vector) ?? vector;
    image.fill(NO_LINK, at, at + nodes.length * LINKS_ABOVE);
    at += nodes.length * LINKS_ABOVE;
  }
  const looseAt = at;
  for (let vector = 0; vector < vectors; vector++) if (scales[vector] === 0) image[at++] = vector;
  image[3] = at - looseAt;
}

/** The vectors of layers 1, 2, ..., ascending, from the highest layer that has each vector. */
export function layersOf(vectors: number, highestOf: (vector: number) => number): number[][] {
  const layers: number[][] = [];
  for (let vector = 0; vector < vectors; vector++) {
    const own = Math.min(LAYERS_MAX, highestOf(vector));
    while (layers.length < own) layers.push([]);
    for (let i = 0; i < own; i++) layers[i]!.push(vector);
  }
  return layers;
}

/** The nodes of a layer by their vectors. */
export function nodesByVector(layer: readonly number[]): Map<number, number> {
  return new Map(layer.map((vector, node) => [vector, node]));
}

/** The vectors without direction, which are in no layer of a graph. */
export function looseVectors(image: Uint32Array): Uint32Array {
  return image.subarray(image.length - image[3]!);
}
