/** Builds segments in plain TypeScript, as the compiled builder must: the same documents give the same bytes. */
import type { BuildInput } from "../../../../src/storage/segment/build.ts";
import { documentParts } from "../../../../src/storage/segment/documents/writer.ts";
import { FieldLengthsWriter } from "../../../../src/storage/segment/field-lengths/writer.ts";
import { FieldSetsWriter } from "../../../../src/storage/segment/field-sets/writer.ts";
import { GeoPartsBuilder } from "../../../../src/storage/segment/geo-parts.ts";
import { idsPart, storedIds } from "../../../../src/storage/segment/ids/writer.ts";
import { type BuiltSegment, PART, type Part } from "../../../../src/storage/segment/parts.ts";
import { originParts } from "../../../../src/storage/segment/vectors/origins.ts";
import { VectorsBuilder } from "../../../../src/storage/segment/vectors/writer.ts";
import { ColumnsBuilder } from "../columns/builder.ts";
import { Extractor } from "./extract.ts";
import { forwardPart } from "./forward.ts";
import { Inverter } from "./inverter.ts";
import { FieldSets } from "./numbered-sets.ts";
import { storedPlainly } from "./packed.ts";
import type { FieldState } from "./paths.ts";
import { PostingsWriter } from "./postings-writer.ts";
import { TermsWriter } from "./terms-writer.ts";

/** Throws ApiError when a document's coordinates or vectors are wrong: the whole batch fails with it. */
export function buildPlainly(input: BuildInput): BuiltSegment {
  const { docids, documents, offsets, rules, made = [] } = input;
  const rows = docids.length;
  const columns = new ColumnsBuilder(rows);
  const inverter = new Inverter(rows, offsets[rows]! - offsets[0]!);
  const places = new GeoPartsBuilder(input.externalIds);
  const vectors = new VectorsBuilder(rules.embedders, input.externalIds, made);
  const fieldSets = new FieldSetsWriter(rows);
  const extractor = new Extractor(rules, inverter, columns, places, vectors, fieldSets);
  for (let row = 0; row < rows; row++) {
    extractor.document(row, documents, offsets[row]!, offsets[row + 1]!);
  }
  const bodies = storedPlainly(documents, offsets, fieldSets.names);
  const parts = [
    ...documentParts(bodies),
    idsPart(docids, storedIds(input.externalIds)),
    ...textParts(rows, extractor.fields, inverter),
    { kind: PART.columns, chunks: [columns.finish()] },
    ...places.parts(),
    fieldSets.part(),
    ...vectors.parts(),
    ...originParts(rows, made),
  ];
  return { rows, documentBytes: bodies.offsets[rows]!, parts };
}

/** Fields, their lengths, terms, postings, positions, words of rows in order. Fields are numbered by name, so that equal contents give equal bytes. */
function textParts(rows: number, fields: readonly FieldState[], inverter: Inverter): Part[] {
  const sorted = fields.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const fieldIds = new Uint16Array(fields.length);
  sorted.forEach((field, id) => {
    fieldIds[field.id] = id;
  });
  const fieldLengths = new FieldLengthsWriter(rows);
  for (const field of sorted) fieldLengths.field(field.lengths.words, field.lengths.length);
  const sets = new FieldSets(fields.length);
  const postings = new PostingsWriter(rows, sets);
  const terms = new TermsWriter(postings);
  const found = inverter.finish(fieldIds);
  for (let i = 0; i < found.count; i++) {
    const term = found.order[i]!;
    const start = found.starts[term]!;
    const end = start + found.lengths[term]!;
    terms.add(found.pool, start, end, found.pairs, found.occurrences[i]!, found.occurrences[i + 1]!);
  }
  const names = sorted.map((field) => field.name);
  return [sets.part(rows, names), fieldLengths.part(), terms.part(), ...postings.parts(), forwardPart(rows, found)];
}
