/**
 * The field table of a segment and its field sets: a set is the combination of fields in which one word stands in one
 * document. Few combinations exist, so postings name them by number. It knows nothing of words.
 */
import { Builder } from "flatbuffers";
import { WordLog } from "../byte-log.ts";
import { FieldsPart } from "../generated/fields-part.ts";
import type { Part } from "../parts.ts";
import { PART_FIELDS } from "../parts.ts";

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

  /** The fields that are in some set, ascending. */
  used(): number[] {
    return usedIn(this.#members.view());
  }

  /** By field: its number among those that are used, which is what it is called in the part. */
  finalIds(): Uint16Array {
    return finalIdsOf(this.#fields, this.used());
  }

  part(rows: number, names: readonly string[]): Part {
    return fieldsPart(rows, names, { offsets: this.#offsets.view(), members: this.#members.view() });
  }
}

/** Sets one after the other: members of set i are `members[offsets[i]]` up to `members[offsets[i + 1]]`. */
interface SetLists {
  offsets: Uint32Array;
  members: Uint32Array;
}

/** Names only the fields that are in some set, and numbers them anew. */
export function fieldsPart(rows: number, names: readonly string[], sets: SetLists): Part {
  const used = usedIn(sets.members);
  const finalIds = finalIdsOf(names.length, used);
  const builder = new Builder(1024);
  const namesAt = FieldsPart.createNamesVector(
    builder,
    used.map((field) => builder.createString(names[field]!)),
  );
  const offsetsAt = FieldsPart.createSetOffsetsVector(builder, sets.offsets);
  const members = Uint16Array.from(sets.members, (field) => finalIds[field]!);
  const fieldsAt = FieldsPart.createSetFieldsVector(builder, members);
  FieldsPart.startFieldsPart(builder);
  FieldsPart.addRows(builder, rows);
  FieldsPart.addNames(builder, namesAt);
  FieldsPart.addSetOffsets(builder, offsetsAt);
  FieldsPart.addSetFields(builder, fieldsAt);
  builder.finish(FieldsPart.endFieldsPart(builder));
  return { kind: PART_FIELDS, chunks: [builder.asUint8Array()] };
}

function finalIdsOf(fields: number, used: readonly number[]): Uint16Array {
  const finalIds = new Uint16Array(fields);
  used.forEach((field, id) => {
    finalIds[field] = id;
  });
  return finalIds;
}

function usedIn(members: Uint32Array): number[] {
  return [...new Set(members)].sort((a, b) => a - b);
}
