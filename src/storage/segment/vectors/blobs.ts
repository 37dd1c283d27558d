/**
 * Parts made of images: for some embedders one block of words that kernels read in place, such as a graph or sketches.
 * What an image is made of is told elsewhere; here it is only kept and found again.
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
import { ImagesPart } from "../generated/images-part.ts";
import type { Part } from "../parts.ts";
import { textOf } from "../shared-bytes.ts";

export interface NamedBlob {
  embedder: string;
  image: Uint32Array;
}

export function blobsPart(kind: number, images: readonly NamedBlob[]): Part {
  const byteLength = images.reduce((sum, { image }) => sum + image.byteLength, 0);
  return flatPart(kind, [
    bytesVector([Buffer.from(JSON.stringify(images.map(({ embedder }) => embedder)))]),
    wordsVector(Uint32Array.from(images, ({ image }) => image.length)),
    { chunks: images.map(({ image }) => bytesOf(image)), byteLength, elementBytes: 4 },
  ]);
}

export class BlobsReader {
  readonly #images: NamedBlob[];

  constructor(part: Uint8Array) {
    const table = ImagesPart.getRootAsImagesPart(new ByteBuffer(part));
    const nameBytes = table.namesArray()!;
    const names = JSON.parse(textOf(nameBytes, 0, nameBytes.length)) as string[];
    const images = table.imagesArray() ?? new Uint32Array(0);
    let at = 0;
    this.#images = names.map((embedder, i) => {
      const image = images.subarray(at, at + table.sizes(i)!);
      at += image.length;
      return { embedder, image };
    });
  }

  /** Null for an embedder whose vectors have none. */
  image(embedder: string): Uint32Array | null {
    return this.#images.find((named) => named.embedder === embedder)?.image ?? null;
  }
}
