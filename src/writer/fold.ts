/**
 * Folds the document operations of one batch into one outcome per external id, in task order, then document order:
 * a replacement drops what came before, an update lays over it, a deletion empties it. Knows nothing of bytes;
 * a version is named by the payload it lies in and its place there.
 */
import type { FreeDocids } from "./docids.ts";

/** Where the stored version of a document lies before the batch. */
export interface StoredPlace {
  docid: number;
  segment: number;
  row: number;
}

export interface Lookup {
  find(externalId: string): StoredPlace | null;
}

const NONE = -1;

export class Fold {
  readonly externalIds: string[] = [];
  readonly docids: number[] = [];
  /** Segment and row of the version stored before the batch, or -1. */
  readonly storedSegment: number[] = [];
  readonly storedRow: number[] = [];
  /** Whether the document exists after the operations folded so far. */
  readonly present: boolean[] = [];
  /** Whether any operation changed it. */
  readonly touched: boolean[] = [];
  /** Whether the stored version lies under the pieces. */
  readonly overStored: boolean[] = [];
  /** Whether a replacement lies over the stored version: nothing of that stays but vectors of the client's own. */
  readonly overReplaced: boolean[] = [];
  /** The newest version: payload and document in it; older ones it lies over are in `chains`. */
  readonly payload: number[] = [];
  readonly document: number[] = [];
  /** Entries with several pieces: [payload, document, …] from oldest to newest. */
  readonly chains = new Map<number, number[]>();

  readonly #byId = new Map<string, number>();
  readonly #lookup: Lookup;
  readonly #free: FreeDocids;

  constructor(lookup: Lookup, free: FreeDocids) {
    this.#lookup = lookup;
    this.#free = free;
  }

  get size(): number {
    return this.externalIds.length;
  }

  replace(externalId: string, payload: number, document: number, skipCreation: boolean): void {
    const entry = this.#entry(externalId, !skipCreation);
    if (entry === NONE || (skipCreation && !this.present[entry])) return;
    this.#startWith(entry, payload, document);
  }

  update(externalId: string, payload: number, document: number, skipCreation: boolean): void {
    const entry = this.#entry(externalId, !skipCreation);
    if (entry === NONE) return;
    if (!this.present[entry]) {
      if (!skipCreation) this.#startWith(entry, payload, document);
      return;
    }
    this.touched[entry] = true;
    if (this.payload[entry] !== NONE) {
      const chain = this.chains.get(entry) ?? [this.payload[entry], this.document[entry]];
      chain.push(payload, document);
      this.chains.set(entry, chain);
    }
    this.payload[entry] = payload;
    this.document[entry] = document;
  }

  /** True when there was a document to delete. */
  delete(externalId: string): boolean {
    const entry = this.#entry(externalId, true);
    const existed = this.present[entry]!;
    this.touched[entry] = true;
    this.present[entry] = false;
    this.overStored[entry] = false;
    this.overReplaced[entry] = false;
    this.payload[entry] = NONE;
    this.document[entry] = NONE;
    this.chains.delete(entry);
    return existed;
  }

  #startWith(entry: number, payload: number, document: number): void {
    this.touched[entry] = true;
    this.present[entry] = true;
    this.overReplaced[entry] ||= this.overStored[entry]!;
    this.overStored[entry] = false;
    this.payload[entry] = payload;
    this.document[entry] = document;
    this.chains.delete(entry);
  }

  /** An id met for the first time takes a number even if it is only deleted: that number is wasted for this batch. */
  #entry(externalId: string, mayTakeNumber: boolean): number {
    const known = this.#byId.get(externalId);
    if (known !== undefined) return known;
    const stored = this.#lookup.find(externalId);
    if (stored === null && !mayTakeNumber) return NONE;
    const entry = this.externalIds.length;
    this.#byId.set(externalId, entry);
    this.externalIds.push(externalId);
    this.docids.push(stored === null ? this.#free.take() : stored.docid);
    this.storedSegment.push(stored === null ? NONE : stored.segment);
    this.storedRow.push(stored === null ? NONE : stored.row);
    this.present.push(stored !== null);
    this.touched.push(false);
    this.overStored.push(stored !== null);
    this.overReplaced.push(false);
    this.payload.push(NONE);
    this.document.push(NONE);
    return entry;
  }
}
