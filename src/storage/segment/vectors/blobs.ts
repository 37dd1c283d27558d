/**
 * Parts made of blobs: for some embedders one block of words that kernels read in place, such as a graph or bit codes.
 * What a blob is made of is told elsewhere; here it is only kept and found again.
 *
 * ```
 * names   JSON list of the embedders' names
 * sizes   words of each blob
 * blobs   side by side
 * ```
 */
import { Buffer } from "node:buffer";
import { ByteBuffer } from "flatbuffers";
import { bytesOf } from "../byte-log.ts";
import { bytesVector, flatPart, wordsVector } from "../flat-table.ts";
import { BlobsPart } from "../generated/blobs-part.ts";
import type { Part } from "../parts.ts";
import { textOf } from "../shared-bytes.ts";

export interface NamedBlob {
  embedder: string;
  image: Uint32Array;
}

export function blobsPart(kind: number, blobs: readonly NamedBlob[]): Part {
  const byteLength = blobs.reduce((sum, { image }) => sum + image.byteLength, 0);
  return flatPart(kind, BlobsPart, {
    names: bytesVector([Buffer.from(JSON.stringify(blobs.map(({ embedder }) => embedder)))]),
    sizes: wordsVector(Uint32Array.from(blobs, ({ image }) => image.length)),
    blobs: { chunks: blobs.map(({ image }) => bytesOf(image)), byteLength, elementBytes: 4 },
  });
}

export class BlobsReader {
  readonly #blobs: NamedBlob[];

  constructor(part: Uint8Array) {
    const table = BlobsPart.getRootAsBlobsPart(new ByteBuffer(part));
    const nameBytes = table.namesArray()!;
    const names = JSON.parse(textOf(nameBytes, 0, nameBytes.length)) as string[];
    const blobs = table.blobsArray() ?? new Uint32Array(0);
    let at = 0;
    this.#blobs = names.map((embedder, i) => {
      const image = blobs.subarray(at, at + table.sizes(i)!);
      at += image.length;
      return { embedder, image };
    });
  }

  /** Null for an embedder whose vectors have none. */
  image(embedder: string): Uint32Array | null {
    return this.#blobs.find((named) => named.embedder === embedder)?.image ?? null;
  }
}
