/**
 * What documents keep of their `_vectors` once they are stored: vectors of clients stay, those that the server may replace
 * lie in the segment alone, and those that become the client's are written into the document.
 */

import { type EntryPlace, entryKind, replaceVectorEntries } from "../../base/document/vector-entries.ts";
import { MadeRows, type MadeVectors } from "../../storage/segment/vectors/made.ts";
import { GIVEN } from "../../storage/segment/vectors/origins.ts";
import { fullEntryText } from "../answer/vectors.ts";

/** An embedder that is gone. */
export interface RemovedEmbedder {
  name: string;
  /** What documents leave to it has no meaning any more; where it made nothing, all vectors are the client's. */
  madeVectors: boolean;
  quantized: boolean;
}

/** An embedder whose vectors have another size now: what clients gave it before fits no more, and is dropped. */
export interface ResizedEmbedder {
  name: string;
  /** It replaces vectors that clients leave to it. */
  makesVectors: boolean;
}

/** Embedders that a change of settings takes their vectors from. */
export interface OutdatedEmbedders {
  removed: readonly RemovedEmbedder[];
  resized: readonly ResizedEmbedder[];
}

export const NONE_OUTDATED: OutdatedEmbedders = { removed: [], resized: [] };

const LEFT_TO_SERVER = '{"regenerate":true}';
const NO_VECTORS = '{"embeddings":[],"regenerate":false}';

/** Gives a document its stored form, in ascending order of places; null when it has it already. */
export function storedVectors(
  made: readonly MadeVectors[],
  { removed, resized }: OutdatedEmbedders,
): ((place: number, document: Uint8Array) => Uint8Array | null) | null {
  const changing = made.map((vectors) => new StoredEntries(vectors)).filter(({ isNeeded }) => isNeeded);
  const isChanged = removed.length + resized.length > 0;
  if (changing.length === 0 && !isChanged) return null;
  return (place, document) => {
    const here = changing.filter((entries) => entries.changes(place));
    if (here.length === 0 && !isChanged) return null;
    return replaceVectorEntries(document, (name, entry) => {
      const changed = here.find(({ embedder }) => embedder === name);
      if (changed !== undefined) return changed.entryOf(place);
      const other = resized.find((each) => each.name === name);
      if (other !== undefined)
        return other.makesVectors && entryKind(document, entry) !== "theirs" ? LEFT_TO_SERVER : NO_VECTORS;
      const embedder = removed.find((each) => each.name === name);
      return embedder === undefined ? undefined : withoutEmbedder(document, entry, embedder);
    });
  };
}

/** The client's vectors as the embedder kept them; null for what was left to it. */
function withoutEmbedder(
  document: Uint8Array,
  entry: EntryPlace,
  { madeVectors, quantized }: RemovedEmbedder,
): string | null {
  if (madeVectors && entryKind(document, entry) !== "theirs") return null;
  return fullEntryText(document, entry, quantized);
}

/** The documents whose entry for one embedder changes when they are stored. */
class StoredEntries {
  readonly embedder: string;
  readonly #rows: MadeRows;
  /** Rows whose vectors the client gave, but which the server may replace. */
  readonly #given: Set<number>;
  /** Rows whose vectors become the client's. */
  readonly #owned: Set<number>;

  constructor(made: MadeVectors) {
    const { rows, regenerate, origins } = made;
    this.embedder = made.embedder;
    this.#rows = new MadeRows(made);
    this.#given = new Set(origins.rows.filter((_, entry) => (origins.sources[entry]! & GIVEN) !== 0));
    this.#owned = new Set(rows.filter((_, i) => regenerate[i] === 0));
  }

  get isNeeded(): boolean {
    return this.#given.size + this.#owned.size > 0;
  }

  changes(row: number): boolean {
    return this.#given.has(row) || this.#owned.has(row);
  }

  entryOf(row: number): string {
    if (this.#given.has(row)) return LEFT_TO_SERVER;
    const vectors = this.#rows.of(row)!.vectors.map((vector) => Array.from(vector));
    return JSON.stringify({ embeddings: vectors, regenerate: false });
  }
}
