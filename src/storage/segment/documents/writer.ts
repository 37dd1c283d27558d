/** Writes the two parts that hold documents: their bodies, and where each of them lies. */
import { flatPart, type PackedVector, wordsVector } from "../flat-table.ts";
import { DocumentIndexPart } from "../generated/document-index-part.ts";
import { DocumentsPart } from "../generated/documents-part.ts";
import { PART, type Part } from "../parts.ts";

/** Bodies in the order of rows: in pieces, or made while they are written. */
export interface StoredBodies {
  chunks: Iterable<Uint8Array>;
  /** Rows + 1. */
  offsets: Uint32Array;
  /** Whether they are packed as `packed.ts` describes. */
  isPacked: boolean;
}

export function documentParts({ chunks, offsets, isPacked }: StoredBodies): Part[] {
  const raw: PackedVector = { chunks, byteLength: offsets.at(-1)!, elementBytes: 1 };
  return [
    flatPart(PART.documentIndex, DocumentIndexPart, { offsets: wordsVector(offsets), isPacked: isPacked ? 1 : null }),
    flatPart(PART.documents, DocumentsPart, { raw }),
  ];
}

/** Documents that are side by side in memory, as they are. */
export function plainBodies(documents: Uint8Array, offsets: Float64Array | Uint32Array): StoredBodies {
  const first = offsets[0]!;
  return {
    chunks: [documents.subarray(first, offsets.at(-1))],
    offsets: Uint32Array.from(offsets, (offset) => offset - first),
    isPacked: false,
  };
}
