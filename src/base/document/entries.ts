/**
 * The top-level members of one or several versions of a document, ranked by the index's field order: what storing and
 * overlaying share. Holds offsets only; values are copied once, when written.
 */

import type { ByteSink } from "../json/bytes.ts";
import { JsonCursor, KEY } from "../json/cursor.ts";
import { KeyTable } from "../json/key-table.ts";
import { compactInto } from "./compact.ts";

const encoder = new TextEncoder();
const NO_BYTES = new Uint8Array(0);

/** From how many members on sorting an array of places beats insertion. */
const INSERTION_MEMBERS_MAX = 24;

/** Ranks of names by their bytes; grows with the map it mirrors, whose ranks never change. */
interface RankTable {
  table: KeyTable;
  mirrored: number;
}

const rankTables = new WeakMap<ReadonlyMap<string, number>, RankTable>();

/** Ranks by the bytes of names as JSON spells them. */
export function rankTableOf(order: ReadonlyMap<string, number>): KeyTable {
  let ranks = rankTables.get(order);
  if (ranks === undefined) {
    ranks = { table: new KeyTable(), mirrored: 0 };
    rankTables.set(order, ranks);
  }
  if (ranks.mirrored < order.size) {
    let position = 0;
    for (const [name, rank] of order) {
      if (position++ < ranks.mirrored) continue;
      // As JSON spells it, so that names that need escapes are found too.
      const spelled = encoder.encode(JSON.stringify(name));
      ranks.table.add(spelled, 1, spelled.length - 1, rank);
    }
    ranks.mirrored = order.size;
  }
  return ranks.table;
}

export class DocumentEntries {
  /** Whether the members so far are in rank order, without a repeated name. */
  ordered = true;
  /** Whether white space was met outside strings. */
  spaced = false;
  /** Whether a name was escaped where it need not be: such names are respelled, so that readers may compare bytes. */
  respelled = false;
  count = 0;

  readonly #cursor = new JsonCursor();
  #order: ReadonlyMap<string, number> = new Map();
  #ranks = new KeyTable();
  #sources: Uint8Array[] = [];
  #capacity = 64;
  #rank = new Float64Array(this.#capacity);
  #source = new Uint32Array(this.#capacity);
  #keyStart = new Uint32Array(this.#capacity);
  #keyEnd = new Uint32Array(this.#capacity);
  #valueStart = new Uint32Array(this.#capacity);
  #valueEnd = new Uint32Array(this.#capacity);
  /** Names the index does not know rank after all others, in order of appearance. */
  #unknown = new Map<string, number>();

  start(order: ReadonlyMap<string, number>): void {
    this.#order = order;
    this.#ranks = rankTableOf(order);
    this.count = 0;
    this.ordered = true;
    this.spaced = false;
    this.respelled = false;
    if (this.#unknown.size > 0) this.#unknown.clear();
  }

  /** Adds the members of a version; later versions win over earlier ones. */
  add(bytes: Uint8Array, start: number, end: number): void {
    const cursor = this.#cursor;
    const source = this.#sources.push(bytes) - 1;
    let previous = this.count === 0 ? -1 : this.#rank[this.count - 1]!;
    cursor.reset(bytes, start, end);
    cursor.next();
    while (cursor.next() === KEY) {
      if (this.count === this.#capacity) this.#grow();
      const at = this.count++;
      const rank = this.#rankOf(bytes);
      this.#rank[at] = rank;
      this.#source[at] = source;
      this.#keyStart[at] = cursor.start;
      this.#keyEnd[at] = cursor.end;
      cursor.skipValue();
      this.#valueStart[at] = cursor.start;
      this.#valueEnd[at] = cursor.end;
      if (rank <= previous) this.ordered = false;
      previous = rank;
    }
    if (cursor.spaced) this.spaced = true;
  }

  /** The value of a name in each version that has it, from oldest to newest. */
  valuesOf(name: string): { bytes: Uint8Array; start: number; end: number }[] {
    const wanted = this.#order.get(name) ?? this.#unknown.get(name) ?? -1;
    const values: { bytes: Uint8Array; start: number; end: number }[] = [];
    if (wanted === -1) return values;
    let source = -1;
    for (let at = 0; at < this.count; at++) {
      if (this.#rank[at] !== wanted) continue;
      if (this.#source[at] === source) values.pop();
      source = this.#source[at]!;
      values.push({ bytes: this.#sources[this.#source[at]!]!, start: this.#valueStart[at]!, end: this.#valueEnd[at]! });
    }
    return values;
  }

  /** Lets go of the bytes, which may be a whole payload. */
  release(): void {
    this.#sources.length = 0;
    this.#cursor.reset(NO_BYTES, 0, 0);
  }

  #rankOf(bytes: Uint8Array): number {
    const cursor = this.#cursor;
    const known = this.#ranks.get(bytes, cursor.start, cursor.end);
    if (known !== -1) return known;
    const name = cursor.text();
    if (cursor.escaped) {
      this.respelled = true;
      const rank = this.#order.get(name);
      if (rank !== undefined) return rank;
    }
    let rank = this.#unknown.get(name);
    if (rank === undefined) {
      rank = 2 ** 32 + this.#unknown.size;
      this.#unknown.set(name, rank);
    }
    return rank;
  }

  /** Writes one compact object: members in rank order, of a repeated name only the last. */
  write(out: ByteSink): void {
    const places = this.ordered ? null : this.#sortedPlaces();
    out.byte(0x7b);
    let first = true;
    for (let i = 0; i < this.count; i++) {
      const at = places === null ? i : places[i]!;
      if (places !== null && i + 1 < this.count && this.#rank[places[i + 1]!] === this.#rank[at]) continue;
      if (!first) out.byte(0x2c);
      first = false;
      const bytes = this.#sources[this.#source[at]!]!;
      this.#writeName(bytes, this.#keyStart[at]! - 1, this.#keyEnd[at]! + 1, out);
      out.byte(0x3a);
      if (this.spaced) compactInto(bytes, this.#valueStart[at]!, this.#valueEnd[at]!, out);
      else out.bytes(bytes, this.#valueStart[at]!, this.#valueEnd[at]!);
    }
    out.byte(0x7d);
  }

  #writeName(bytes: Uint8Array, start: number, end: number, out: ByteSink): void {
    if (!this.respelled) {
      out.bytes(bytes, start, end);
      return;
    }
    this.#cursor.reset(bytes, start, end);
    this.#cursor.next();
    out.utf8(JSON.stringify(this.#cursor.text()));
  }

  /** Places by rank, then by age. */
  #sortedPlaces(): Uint32Array {
    const { count } = this;
    const rank = this.#rank;
    const places = new Uint32Array(count);
    for (let i = 0; i < count; i++) places[i] = i;
    if (count > INSERTION_MEMBERS_MAX) return places.sort((a, b) => rank[a]! - rank[b]! || a - b);
    for (let i = 1; i < count; i++) {
      let j = i;
      for (; j > 0 && rank[places[j - 1]!]! > rank[i]!; j--) places[j] = places[j - 1]!;
      places[j] = i;
    }
    return places;
  }

  #grow(): void {
    this.#capacity *= 2;
    const rank = new Float64Array(this.#capacity);
    rank.set(this.#rank);
    this.#rank = rank;
    this.#source = doubled(this.#source);
    this.#keyStart = doubled(this.#keyStart);
    this.#keyEnd = doubled(this.#keyEnd);
    this.#valueStart = doubled(this.#valueStart);
    this.#valueEnd = doubled(this.#valueEnd);
  }
}

function doubled(offsets: Uint32Array): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(offsets.length * 2);
  grown.set(offsets);
  return grown;
}
