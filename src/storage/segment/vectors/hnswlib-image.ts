/**
 * Graphs as the library hnswlib saves them, read into ours: the same layers and links, told in other words.
 *
 *   head of 96 bytes | layer 0: for each element its links, its vector, its label | the links of its other layers
 *
 * A list of links is its length in 16 bits, 16 bits of flags, and 32 bits a link. Labels are the numbers of our vectors;
 * links name elements, which are counted in the order they were added.
 */
import { GRAPH_HEAD_WORDS, LINKS_ABOVE, LINKS_BELOW } from "../../../base/kernels/vector/generated/layout.ts";
import { graphWords, layersOf, layOutGraph, nodesByVector } from "./graphs.ts";

const HEAD_BYTES = 96;

/** The image of the graph, in memory that threads can share. `scales` tell which vectors have no direction. */
export function graphFromHnswlib(bytes: Uint8Array, scales: Float32Array): Uint32Array {
  const saved = new SavedGraph(bytes);
  const highest = new Uint8Array(scales.length);
  for (let element = 0; element < saved.count; element++) highest[saved.label(element)] = saved.layer(element);
  const layers = layersOf(scales.length, (vector) => highest[vector]!);
  const image = new Uint32Array(new SharedArrayBuffer(graphWords(layers, scales) * 4));
  layOutGraph(image, layers, scales);
  for (let element = 0; element < saved.count; element++) {
    const links = saved.links(element, 0).map((other) => saved.label(other));
    image.set(links, GRAPH_HEAD_WORDS + saved.label(element) * LINKS_BELOW);
  }
  let at = GRAPH_HEAD_WORDS + scales.length * LINKS_BELOW;
  let top: ReadonlyMap<number, number> | null = null;
  for (const [i, vectors] of layers.entries()) {
    const nodes = nodesByVector(vectors);
    const linksAt = at + vectors.length * 2;
    for (let element = 0; element < saved.count; element++) {
      if (saved.layer(element) <= i) continue;
      const links = saved.links(element, i + 1).map((other) => nodes.get(saved.label(other))!);
      image.set(links, linksAt + nodes.get(saved.label(element))! * LINKS_ABOVE);
    }
    at = linksAt + vectors.length * LINKS_ABOVE;
    top = nodes;
  }
  const first = saved.label(saved.first);
  image[2] = top?.get(first) ?? first;
  return image;
}

class SavedGraph {
  readonly count: number;
  /** The element where walks begin. */
  readonly first: number;
  readonly #view: DataView;
  readonly #elementBytes: number;
  readonly #labelAt: number;
  /** Of the links of one element in one layer above 0. */
  readonly #listBytes: number;
  /** Where the links of an element above layer 0 begin, and of how many layers. */
  readonly #upperAt: Float64Array;
  readonly #layers: Uint8Array;

  constructor(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const long = (at: number): number => Number(view.getBigUint64(at, true));
    this.#view = view;
    this.count = long(16);
    this.#elementBytes = long(24);
    this.#labelAt = long(32);
    this.first = view.getUint32(52, true);
    this.#listBytes = 4 + 4 * long(56);
    if (long(56) > LINKS_ABOVE || long(64) > LINKS_BELOW)
      throw new Error("the graph has more links than there is room for");
    this.#upperAt = new Float64Array(this.count);
    this.#layers = new Uint8Array(this.count);
    let at = HEAD_BYTES + this.count * this.#elementBytes;
    for (let element = 0; element < this.count; element++) {
      const length = view.getUint32(at, true);
      this.#upperAt[element] = at + 4;
      this.#layers[element] = length / this.#listBytes;
      at += 4 + length;
    }
    if (at !== bytes.length) throw new Error("the graph does not end where its file does");
  }

  label(element: number): number {
    return this.#view.getUint32(HEAD_BYTES + element * this.#elementBytes + this.#labelAt, true);
  }

  /** The highest layer that has it. */
  layer(element: number): number {
    return this.#layers[element]!;
  }

  /** The elements it is linked to in a layer. */
  links(element: number, layer: number): number[] {
    const at =
      layer === 0 ? HEAD_BYTES + element * this.#elementBytes : this.#upperAt[element]! + (layer - 1) * this.#listBytes;
    const count = this.#view.getUint16(at, true);
    return Array.from({ length: count }, (_, i) => this.#view.getUint32(at + 4 + 4 * i, true));
  }
}
