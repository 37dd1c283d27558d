/**
 * The field table of a segment and its field sets: a set is the combination of fields in which one word stands in one
 * document. Few combinations exist, so postings name them by number. It knows nothing of words.
 */
import { Builder } from "flatbuffers";
import { WordLog } from "../byte-log.ts";
import { FieldsPart } from "../generated/fields-part.ts";
import type { Part } from "../parts.ts";
import { PART_FIELDS } from "../parts.ts";

/** Numbers sets of fields in the order in which they are first asked for. Fields must be added in ascending order. */
export class FieldSets {
  private readonly singles: Int32Array;
  private readonly larger = new Map<number, number>();
  private readonly offsets = new WordLog(64);
  private readonly members = new WordLog(64);

  constructor(fields: number) {
    this.singles = new Int32Array(fields).fill(-1);
    this.offsets.push(0);
  }

  /** The set that holds only `field`. */
  single(field: number): number {
    const known = this.singles[field]!;
    if (known >= 0) return known;
    this.members.push(field);
    this.offsets.push(this.members.length);
    const set = this.offsets.length - 2;
    this.singles[field] = set;
    return set;
  }

  /** The set with `field`, greater than all its members, added to `set`. */
  with(set: number, field: number): number {
    const key = set * 65536 + field;
    const known = this.larger.get(key);
    if (known !== undefined) return known;
    const from = this.offsets.words[set]!;
    const to = this.offsets.words[set + 1]!;
    for (let i = from; i < to; i++) this.members.push(this.members.words[i]!);
    this.members.push(field);
    this.offsets.push(this.members.length);
    const larger = this.offsets.length - 2;
    this.larger.set(key, larger);
    return larger;
  }

  get count(): number {
    return this.offsets.length - 1;
  }

  /** The fields that are in some set, ascending. */
  used(): number[] {
    return [...new Set(this.members.view())].sort((a, b) => a - b);
  }

  /** Names only the fields that are used, and numbers them anew. */
  part(rows: number, names: readonly string[]): Part {
    const used = this.used();
    const finalIds = new Uint16Array(names.length);
    used.forEach((field, id) => {
      finalIds[field] = id;
    });
    const builder = new Builder(1024);
    const namesAt = FieldsPart.createNamesVector(
      builder,
      used.map((field) => builder.createString(names[field]!)),
    );
    const offsetsAt = FieldsPart.createSetOffsetsVector(builder, this.offsets.view());
    const members = Uint16Array.from(this.members.view(), (field) => finalIds[field]!);
    const fieldsAt = FieldsPart.createSetFieldsVector(builder, members);
    FieldsPart.startFieldsPart(builder);
    FieldsPart.addRows(builder, rows);
    FieldsPart.addNames(builder, namesAt);
    FieldsPart.addSetOffsets(builder, offsetsAt);
    FieldsPart.addSetFields(builder, fieldsAt);
    builder.finish(FieldsPart.endFieldsPart(builder));
    return { kind: PART_FIELDS, chunks: [builder.asUint8Array()] };
  }
}
