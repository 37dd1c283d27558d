/**
 * Folds the document operations of one batch into one outcome per external id, in task order, then document order:
 * a replacement drops what came before, an update lays over it, a deletion empties it. Knows nothing of bytes;
 * a version is named by the payload it lies in and its place there.
 */
import { Buffer } from "node:buffer";
import { type IdList, idAt, idCount } from "../../base/document/id-list.ts";
import type { FreeDocids } from "./docids.ts";
import { IdTable } from "./id-table.ts";

/** Where the stored version of a document lies before the batch. */
export interface StoredPlace {
  docid: number;
  segment: number;
  row: number;
}

export interface Lookup {
  /** The place of the document whose id is `bytes[start, end)`. */
  find(bytes: Uint8Array, start: number, end: number): StoredPlace | null;
  /** Whether the ids of all documents are known to be numbers below this one. */
  areBelow(number: number): boolean;
}

/** The documents of one payload, from the first to the last. */
export interface PayloadRun {
  payload: number;
  count: number;
}

const NONE = -1;
const FIRST_ENTRIES = 64;

/** Lists hold one value for each id met, in order of first appearance; those beyond `size` have no meaning. */
export class Fold {
  /** -1 for an id that was only met by operations that may not create its document. */
  docids = new Int32Array(FIRST_ENTRIES);
  /** Segment and row of the version stored before the batch, or -1. */
  storedSegment = new Int32Array(FIRST_ENTRIES);
  storedRow = new Int32Array(FIRST_ENTRIES);
  /** 1 when the document exists after the operations folded so far. */
  present = new Uint8Array(FIRST_ENTRIES);
  /** 1 when any operation changed it. */
  touched = new Uint8Array(FIRST_ENTRIES);
  /** 1 when the stored version lies under the pieces. */
  overStored = new Uint8Array(FIRST_ENTRIES);
  /** 1 when a replacement lies over the stored version: nothing of that stays but vectors of the client's own. */
  overReplaced = new Uint8Array(FIRST_ENTRIES);
  /** The newest version: payload and document in it; older ones it lies over are in `chains`. */
  payload = new Int32Array(FIRST_ENTRIES);
  document = new Int32Array(FIRST_ENTRIES);
  /** Entries with several pieces: [payload, document, …] from oldest to newest. */
  readonly chains = new Map<number, number[]>();

  /** Payloads whose documents were all new, as they came, and how many documents each has. */
  readonly #runs: PayloadRun[] = [];
  /** Whether no document was met but new ones, once each. */
  #isPlain = true;
  /** The last id of the batch, where all its ids are numbers, each above the one before; -1 before the first, else null. */
  #lastNumber: number | null = -1;
  readonly #table = new IdTable();
  /** The payload that each id was met in last. */
  #metIn = new Int32Array(FIRST_ENTRIES);
  readonly #lookup: Lookup;
  readonly #free: FreeDocids;

  constructor(lookup: Lookup, free: FreeDocids) {
    this.#lookup = lookup;
    this.#free = free;
  }

  get size(): number {
    return this.#table.size;
  }

  get externalIds(): IdList {
    return this.#table.list;
  }

  /** Where entries are nothing but the documents of payloads, in order and each in one version: those payloads. Else null. */
  get plainRuns(): readonly PayloadRun[] | null {
    const count = this.#runs.reduce((sum, run) => sum + run.count, 0);
    return this.#isPlain && count === this.size ? this.#runs : null;
  }

  /**
   * All documents of a payload, of which these are the ids; tells how many different ones there are. `isAscending`: whether
   * the ids are known to be numbers, each above the one before.
   */
  addAll(
    method: "replace" | "update",
    ids: IdList,
    payload: number,
    skipCreation: boolean,
    isAscending = false,
  ): number {
    const count = idCount(ids);
    if (isAscending && count > 0 && !skipCreation && this.#areAbove(Number(idAt(ids, 0)))) {
      this.#addNew(ids, payload);
      this.#lastNumber = Number(idAt(ids, count - 1));
      return count;
    }
    this.#lastNumber = null;
    // Zero is where nothing was met yet.
    const metIn = payload + 1;
    if (skipCreation) this.#isPlain = false;
    let different = 0;
    this.#runs.push({ payload, count });
    for (let i = 0; i < count; i++) {
      const entry = this[method](ids, i, payload, i, skipCreation);
      if (this.#metIn[entry] === metIn) continue;
      this.#metIn[entry] = metIn;
      different++;
    }
    return different;
  }

  /** Whether no id from this number on was met or is stored. */
  #areAbove(number: number): boolean {
    return this.#lastNumber !== null && this.#lastNumber < number && this.#lookup.areBelow(number);
  }

  /** The documents of a payload, none of which was met or is stored, and no two of which have one id. */
  #addNew(ids: IdList, payload: number): void {
    const first = this.size;
    this.#table.addNew(ids);
    const end = this.size;
    if (end > this.docids.length) this.#grow(end);
    this.#free.takeAll(this.docids, first, end);
    this.storedSegment.fill(NONE, first, end);
    this.storedRow.fill(NONE, first, end);
    this.present.fill(1, first, end);
    this.touched.fill(1, first, end);
    this.payload.fill(payload, first, end);
    for (let entry = first; entry < end; entry++) this.document[entry] = entry - first;
    this.#metIn.fill(payload + 1, first, end);
    this.#runs.push({ payload, count: end - first });
  }

  /** The version of document `ids[i]` at a place of a payload. Returns the entry of the document. */
  replace(ids: IdList, i: number, payload: number, document: number, skipCreation: boolean): number {
    const entry = this.#entry(ids.bytes, ids.offsets[i]!, ids.offsets[i + 1]!, !skipCreation);
    if (!skipCreation || this.present[entry] === 1) this.#startWith(entry, payload, document);
    return entry;
  }

  update(ids: IdList, i: number, payload: number, document: number, skipCreation: boolean): number {
    const entry = this.#entry(ids.bytes, ids.offsets[i]!, ids.offsets[i + 1]!, !skipCreation);
    if (this.present[entry] === 0) {
      if (!skipCreation) this.#startWith(entry, payload, document);
      return entry;
    }
    this.touched[entry] = 1;
    if (this.payload[entry] !== NONE) {
      const chain = this.chains.get(entry) ?? [this.payload[entry]!, this.document[entry]!];
      chain.push(payload, document);
      this.chains.set(entry, chain);
    }
    this.payload[entry] = payload;
    this.document[entry] = document;
    return entry;
  }

  /** True when there was a document to delete. */
  delete(externalId: string): boolean {
    const id = Buffer.from(externalId);
    const entry = this.#entry(id, 0, id.length, true);
    const existed = this.present[entry] === 1;
    this.#isPlain = false;
    this.touched[entry] = 1;
    this.present[entry] = 0;
    this.overStored[entry] = 0;
    this.overReplaced[entry] = 0;
    this.payload[entry] = NONE;
    this.document[entry] = NONE;
    this.chains.delete(entry);
    return existed;
  }

  #startWith(entry: number, payload: number, document: number): void {
    this.touched[entry] = 1;
    this.present[entry] = 1;
    this.overReplaced[entry]! |= this.overStored[entry]!;
    this.overStored[entry] = 0;
    this.payload[entry] = payload;
    this.document[entry] = document;
    if (this.chains.size > 0) this.chains.delete(entry);
  }

  /** An id met for the first time takes a number even if it is only deleted: that number is wasted for this batch. */
  #entry(bytes: Uint8Array, start: number, end: number, mayTakeNumber: boolean): number {
    this.#lastNumber = null;
    const before = this.#table.size;
    const entry = this.#table.numberOf(bytes, start, end);
    if (entry === before) {
      if (entry === this.docids.length) this.#grow(entry + 1);
      this.#begin(entry, this.#lookup.find(bytes, start, end));
    } else {
      this.#isPlain = false;
    }
    if (mayTakeNumber && this.docids[entry] === NONE) this.docids[entry] = this.#free.take();
    return entry;
  }

  #begin(entry: number, stored: StoredPlace | null): void {
    const isStored = stored === null ? 0 : 1;
    if (stored !== null) this.#isPlain = false;
    this.docids[entry] = stored?.docid ?? NONE;
    this.storedSegment[entry] = stored?.segment ?? NONE;
    this.storedRow[entry] = stored?.row ?? NONE;
    this.present[entry] = isStored;
    this.overStored[entry] = isStored;
    this.payload[entry] = NONE;
    this.document[entry] = NONE;
  }

  #grow(least: number): void {
    const size = Math.max(least, 2 * this.docids.length);
    this.docids = larger(this.docids, new Int32Array(size));
    this.storedSegment = larger(this.storedSegment, new Int32Array(size));
    this.storedRow = larger(this.storedRow, new Int32Array(size));
    this.present = larger(this.present, new Uint8Array(size));
    this.touched = larger(this.touched, new Uint8Array(size));
    this.overStored = larger(this.overStored, new Uint8Array(size));
    this.overReplaced = larger(this.overReplaced, new Uint8Array(size));
    this.payload = larger(this.payload, new Int32Array(size));
    this.document = larger(this.document, new Int32Array(size));
    this.#metIn = larger(this.#metIn, new Int32Array(size));
  }
}

function larger<T extends Int32Array | Uint8Array>(list: T, room: T): T {
  room.set(list);
  return room;
}
