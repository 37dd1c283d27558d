/**
 * Graphs built by the library hnswlib-node, which is compiled on request (`npm run hnswlib`): where nothing can be
 * compiled, our own builder is all there is.
 */
import { readFileSync, rmSync } from "node:fs";
import { LINKS_ABOVE } from "../../base/kernels/vector/generated/layout.ts";
import { packageFolder } from "../../base/native/folder.ts";
import { loadCompiled } from "../../base/native/load.ts";
import { LOOKED_AT } from "../../storage/segment/vectors/graph-builder.ts";
import { graphFromHnswlib } from "../../storage/segment/vectors/hnswlib-image.ts";
import type { EmbedderVectors } from "../../storage/segment/vectors/reader.ts";

/** What is used of the library. */
export interface HnswlibIndex {
  initIndex(maxElements: number, links: number, effort: number, seed: number): void;
  addPoint(point: number[], label: number): void;
  setEf(effort: number): void;
  searchKnn(query: number[], count: number, filter?: (label: number) => boolean): { neighbors: number[] };
  writeIndexSync(file: string): void;
  readIndexSync(file: string): void;
}

export type NewHnswlibIndex = new (space: "cosine", dimensions: number) => HnswlibIndex;

export const HNSWLIB_COMMAND = `npm --prefix ${packageFolder} run hnswlib`;

/** The same vectors give the same graph. */
const SEED = 100;

/** Null where it was not compiled. */
export function hnswlib(): NewHnswlibIndex | null {
  const addon = loadCompiled("hnswlib") as { HierarchicalNSW: NewHnswlibIndex } | null;
  return addon === null ? null : addon.HierarchicalNSW;
}

/** The image of the graph. `file` is where the library may leave what it made for the moment. */
export function buildByHnswlib(
  Index: NewHnswlibIndex,
  { count, dimensions, floats, scales }: EmbedderVectors,
  file: string,
): Uint32Array {
  const index = new Index("cosine", dimensions);
  index.initIndex(count, LINKS_ABOVE, LOOKED_AT, SEED);
  for (let vector = 0; vector < count; vector++) {
    if (scales[vector] === 0) continue;
    index.addPoint(Array.from(floats.subarray(vector * dimensions, (vector + 1) * dimensions)), vector);
  }
  try {
    index.writeIndexSync(file);
    return graphFromHnswlib(readFileSync(file), scales);
  } finally {
    rmSync(file, { force: true });
  }
}
