/** Sets of fields, numbered plainly. */
import { WordLog } from "../../../../src/storage/segment/byte-log.ts";
import { fieldsPart } from "../../../../src/storage/segment/fields/writer.ts";
import type { Part } from "../../../../src/storage/segment/parts.ts";

/**
 * Numbers sets of fields in the order in which they are first asked for. A set is found by going from its least field
 * to its greatest: a prefix below the number of fields is that field alone, the others are numbered as they come up.
 * Only sets that are asked for are kept in full, since a word may stand in thousands of fields.
 */
export class FieldSets {
  readonly #fields: number;
  /** By prefix: its set; -1 while nobody asked for it. */
  #setOfPrefix: Int32Array;
  readonly #longerPrefixes = new Map<number, number>();
  readonly #shorterPrefix = new WordLog(64);
  readonly #lastField = new WordLog(64);
  readonly #offsets = new WordLog(64);
  readonly #members = new WordLog(64);

  constructor(fields: number) {
    this.#fields = fields;
    this.#setOfPrefix = new Int32Array(fields).fill(-1);
    this.#offsets.push(0);
  }

  /** The prefix that goes on from `prefix` with `field`, which is greater than all its members. */
  longer(prefix: number, field: number): number {
    const key = prefix * 65536 + field;
    const known = this.#longerPrefixes.get(key);
    if (known !== undefined) return known;
    const longer = this.#fields + this.#lastField.length;
    this.#shorterPrefix.push(prefix);
    this.#lastField.push(field);
    this.#longerPrefixes.set(key, longer);
    return longer;
  }

  /** The set of the fields of a prefix; a field is the prefix of itself alone. */
  setOf(prefix: number): number {
    const known = this.#setOfPrefix[prefix] ?? -1;
    if (known >= 0) return known;
    const fields: number[] = [];
    let rest = prefix;
    for (; rest >= this.#fields; rest = this.#shorterPrefix.words[rest - this.#fields]!) {
      fields.push(this.#lastField.words[rest - this.#fields]!);
    }
    this.#members.push(rest);
    for (let i = fields.length - 1; i >= 0; i--) this.#members.push(fields[i]!);
    this.#offsets.push(this.#members.length);
    const set = this.#offsets.length - 2;
    if (prefix >= this.#setOfPrefix.length) this.#makeRoomFor(prefix);
    this.#setOfPrefix[prefix] = set;
    return set;
  }

  #makeRoomFor(prefix: number): void {
    const before = this.#setOfPrefix;
    this.#setOfPrefix = new Int32Array(Math.max(prefix + 1, before.length * 2)).fill(-1);
    this.#setOfPrefix.set(before);
  }

  get count(): number {
    return this.#offsets.length - 1;
  }

  part(rows: number, names: readonly string[]): Part {
    return fieldsPart(rows, names, { offsets: this.#offsets.view(), members: this.#members.view() });
  }
}
