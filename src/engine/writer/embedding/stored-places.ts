/**
 * What is stored already of the documents at hand: where the version before lies, what was embedded of it, and its
 * vectors. Reads published segments only.
 */
import { WordLog } from "../../../storage/segment/byte-log.ts";
import type { EmbedderVectors } from "../../../storage/segment/vectors/reader.ts";
import type { StoredOrigins } from "../../build/survey.ts";
import type { WriterSegment } from "../index-state.ts";

export class StoredPlaces {
  readonly #segments: readonly WriterSegment[];
  readonly #segmentOf: Int32Array;
  readonly #rowOf: Int32Array;

  /** Segment and row of each document's stored version, -1 for a document that is new. */
  constructor(segments: readonly WriterSegment[], segmentOf: Int32Array, rowOf: Int32Array) {
    this.#segments = segments;
    this.#segmentOf = segmentOf;
    this.#rowOf = rowOf;
  }

  get size(): number {
    return this.#rowOf.length;
  }

  /** Whether any document was stored before. */
  get hasAny(): boolean {
    return this.#rowOf.some((row) => row >= 0);
  }

  originsOf(embedder: string): StoredOrigins {
    const inSegments = this.#segments.map(({ reader }) => reader.origins?.embedder(embedder) ?? null);
    const fragments = [...new Set(inSegments.flatMap((origins) => origins?.fragments ?? []))];
    const starts = new Uint32Array(this.size + 1);
    const sources = new WordLog();
    const hashes = new WordLog();
    for (let i = 0; i < this.size; i++) {
      const origins = this.#rowOf[i]! < 0 ? null : (inSegments[this.#segmentOf[i]!] ?? null);
      if (origins !== null) {
        const row = this.#rowOf[i]!;
        const from = origins.startOf(row);
        const to = origins.endOf(row, from);
        for (let entry = from; entry < to; entry++) {
          sources.push(renumbered(origins.sources[entry]!, origins.fragments, fragments));
          hashes.push(origins.hashes[2 * entry]!);
          hashes.push(origins.hashes[2 * entry + 1]!);
        }
      }
      starts[i + 1] = sources.length;
    }
    return { fragments, starts, sources: sources.view(), hashes: hashes.view() };
  }

  /** The vectors of document i, and the slot they lie in; null when there are none. */
  vectorsOf(embedder: string): (document: number) => { vectors: EmbedderVectors; slot: number } | null {
    const inSegments = this.#segments.map(({ reader }) => reader.vectors?.embedder(embedder) ?? null);
    return (document) => {
      const row = this.#rowOf[document]!;
      const vectors = row < 0 ? null : (inSegments[this.#segmentOf[document]!] ?? null);
      const slot = vectors === null ? -1 : vectors.slotOf(row);
      return vectors === null || slot < 0 ? null : { vectors, slot };
    };
  }
}

const GIVEN_BIT = 31;

/** A source whose fragment has another number in another list of names; who gave the vectors stays. */
function renumbered(source: number, from: readonly string[], to: readonly string[]): number {
  const number = (source << 1) >>> 1;
  if (number === 0 || from === to) return source;
  return (((source >>> GIVEN_BIT) << GIVEN_BIT) | (to.indexOf(from[number - 1]!) + 1)) >>> 0;
}
