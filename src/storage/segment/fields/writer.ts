/**
 * The field table of a segment and its field sets: a set is the combination of fields in which one word stands in one
 * document. Few combinations exist, so postings name them by number. It knows nothing of words.
 */
import { Builder } from "flatbuffers";
import { FieldsPart } from "../generated/fields-part.ts";
import type { Part } from "../parts.ts";
import { PART } from "../parts.ts";

/** Sets one after the other: members of set i are `members[offsets[i]]` up to `members[offsets[i + 1]]`. */
interface SetLists {
  offsets: Uint32Array;
  members: Uint32Array;
}

/** Names only the fields that are in some set (`used`), and numbers them anew. */
export function fieldsPart(
  rows: number,
  names: readonly string[],
  sets: SetLists,
  used: readonly number[] = usedIn(sets.members),
): Part {
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
  return { kind: PART.fields, chunks: [builder.asUint8Array()] };
}

/** By field: its number among those that are used, which is what it is called in the part. */
export function finalIdsOf(fields: number, used: readonly number[]): Uint16Array {
  const finalIds = new Uint16Array(fields);
  used.forEach((field, id) => {
    finalIds[field] = id;
  });
  return finalIds;
}

/** The fields that are in some set, ascending. */
export function usedIn(members: Uint32Array): number[] {
  return [...new Set(members)].sort((a, b) => a - b);
}
