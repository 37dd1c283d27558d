/**
 * The graphs part: for some embedders a graph of near vectors, by which search finds the nearest without looking at
 * all. The image of a graph is told in src/kernels/vector/assembly/graph.ts; here it is only kept and found again.
 *
 * ```
 * names   JSON list of the embedders' names
 * sizes   words of each image
 * images  side by side
 * ```
 */
import { Buffer } from "node:buffer";
import { ByteBuffer } from "flatbuffers";
import { bytesOf } from "../byte-log.ts";
import { bytesVector, flatPart, wordsVector } from "../flat-table.ts";
import { GraphsPart } from "../generated/graphs-part.ts";
import { PART_GRAPHS, type Part } from "../parts.ts";
import { textOf } from "../shared-bytes.ts";

export const GRAPH_HEAD_WORDS = 32;
export const LINKS_BELOW = 32;
export const LINKS_ABOVE = 16;
export const LAYERS_MAX = 15;
export const NO_LINK = 0xffffffff;

export interface NamedGraph {
  embedder: string;
  image: Uint32Array;
}

export function graphsPart(graphs: readonly NamedGraph[]): Part {
  const byteLength = graphs.reduce((sum, { image }) => sum + image.byteLength, 0);
  return flatPart(PART_GRAPHS, [
    bytesVector([Buffer.from(JSON.stringify(graphs.map(({ embedder }) => embedder)))]),
    wordsVector(Uint32Array.from(graphs, ({ image }) => image.length)),
    { chunks: graphs.map(({ image }) => bytesOf(image)), byteLength, elementBytes: 4 },
  ]);
}

export class GraphsReader {
  readonly #graphs: NamedGraph[];

  constructor(part: Uint8Array) {
    const table = GraphsPart.getRootAsGraphsPart(new ByteBuffer(part));
    const nameBytes = table.namesArray()!;
    const names = JSON.parse(textOf(nameBytes, 0, nameBytes.length)) as string[];
    const images = table.imagesArray() ?? new Uint32Array(0);
    let at = 0;
    this.#graphs = names.map((embedder, i) => {
      const image = images.subarray(at, at + table.sizes(i)!);
      at += image.length;
      return { embedder, image };
    });
  }

  /** Null for an embedder whose vectors have no graph. */
  image(embedder: string): Uint32Array | null {
    return this.#graphs.find((graph) => graph.embedder === embedder)?.image ?? null;
  }
}

/** The vectors without direction, which are in no layer of a graph. */
export function looseVectors(image: Uint32Array): Uint32Array {
  return image.subarray(image.length - image[3]!);
}
