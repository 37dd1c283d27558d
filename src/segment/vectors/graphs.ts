/** The measures of a graph of near vectors. Its image is told in src/kernels/vector/assembly/graph.ts. */

export const GRAPH_HEAD_WORDS = 32;
export const LINKS_BELOW = 32;
export const LINKS_ABOVE = 16;
export const LAYERS_MAX = 15;
export const NO_LINK = 0xffffffff;

/** The vectors without direction, which are in no layer of a graph. */
export function looseVectors(image: Uint32Array): Uint32Array {
  return image.subarray(image.length - image[3]!);
}
