/** A graph of ours as hnswlib would have saved it: the way back of `graphFromHnswlib`. */
import { GRAPH_HEAD_WORDS, LINKS_ABOVE, LINKS_BELOW } from "../../../src/base/kernels/vector/generated/layout.ts";
import { NO_LINK } from "../../../src/storage/segment/vectors/graphs.ts";
import type { EmbedderVectors } from "../../../src/storage/segment/vectors/reader.ts";

export const HNSWLIB_LINKS_BELOW_AT = 64;
const EFFORT = 96;

type Vectors = Pick<EmbedderVectors, "count" | "dimensions" | "floats" | "norms">;

/** All vectors must have a direction. */
export function savedByHnswlib(image: Uint32Array, vectors: Vectors): Buffer {
  const layers = layersOf(image);
  const upper = upperLinks(layers, vectors.count);
  const [first] = layers.length === 0 ? [image[2]!] : [layers.at(-1)!.nodes[image[2]!]!];
  return Buffer.concat([head(vectors, layers.length, first), ...elements(image, vectors), ...upper]);
}

function head({ count, dimensions }: Vectors, topLayer: number, first: number): Buffer {
  const bytes = Buffer.alloc(96);
  const dataAt = listBytes(LINKS_BELOW);
  const labelAt = dataAt + 4 * dimensions;
  for (const [i, long] of [0, count, count, labelAt + 8, labelAt, dataAt].entries()) {
    bytes.writeBigUInt64LE(BigInt(long), 8 * i);
  }
  bytes.writeInt32LE(topLayer, 48);
  bytes.writeUInt32LE(first, 52);
  bytes.writeBigUInt64LE(BigInt(LINKS_ABOVE), 56);
  bytes.writeBigUInt64LE(BigInt(LINKS_BELOW), HNSWLIB_LINKS_BELOW_AT);
  bytes.writeBigUInt64LE(BigInt(LINKS_ABOVE), 72);
  bytes.writeDoubleLE(1 / Math.log(LINKS_ABOVE), 80);
  bytes.writeBigUInt64LE(BigInt(EFFORT), 88);
  return bytes;
}

/** Links of layer 0, the normalized vector, its number. */
function* elements(image: Uint32Array, { count, dimensions, floats, norms }: Vectors): Generator<Buffer> {
  for (let vector = 0; vector < count; vector++) {
    const at = GRAPH_HEAD_WORDS + vector * LINKS_BELOW;
    const values = floats
      .subarray(vector * dimensions, (vector + 1) * dimensions)
      .map((value) => value / norms[vector]!);
    const label = Buffer.alloc(8);
    label.writeUInt32LE(vector);
    yield Buffer.concat([linkList(image.subarray(at, at + LINKS_BELOW)), Buffer.from(values.buffer), label]);
  }
}

interface Layer {
  /** Vectors, and the links of each by vector. */
  nodes: Uint32Array;
  links: Uint32Array[];
}

function layersOf(image: Uint32Array): Layer[] {
  let at = GRAPH_HEAD_WORDS + image[0]! * LINKS_BELOW;
  return Array.from({ length: image[1]! }, (_, i) => {
    const count = image[4 + i]!;
    const nodes = image.subarray(at, at + count);
    at += 2 * count;
    const links = Array.from({ length: count }, (_, node) => {
      const own = image.subarray(at + node * LINKS_ABOVE, at + (node + 1) * LINKS_ABOVE);
      return own.map((other) => (other === NO_LINK ? NO_LINK : nodes[other]!));
    });
    at += count * LINKS_ABOVE;
    return { nodes, links };
  });
}

/** For each vector the length of its lists, and the lists. */
function upperLinks(layers: readonly Layer[], vectors: number): Buffer[] {
  const lists = Array.from({ length: vectors }, (): Buffer[] => []);
  for (const { nodes, links } of layers) {
    for (const [i, vector] of nodes.entries()) lists[vector]!.push(linkList(links[i]!));
  }
  return lists.flatMap((own) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(own.length * listBytes(LINKS_ABOVE));
    return [length, ...own];
  });
}

function linkList(links: Uint32Array): Buffer {
  const used = links.indexOf(NO_LINK);
  const list = Buffer.alloc(listBytes(links.length));
  list.writeUInt16LE(used === -1 ? links.length : used);
  for (const [i, link] of links.entries()) if (link !== NO_LINK) list.writeUInt32LE(link, 4 + 4 * i);
  return list;
}

function listBytes(links: number): number {
  return 4 + 4 * links;
}
