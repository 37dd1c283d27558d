/**
 * Documents in, segment out: walks every document once and encodes what was gathered. Pure work in memory; who calls it,
 * and where the result is written, is not its business.
 */

import { ColumnsBuilder } from "./columns/builder.ts";
import { Extractor } from "./extract.ts";
import { FactsWriter } from "./facts/writer.ts";
import { FieldSets } from "./fields/writer.ts";
import { bytesVector, flatPart, wordsVector } from "./flat-table.ts";
import { IdCollector, idsPart } from "./ids/writer.ts";
import { Inverter } from "./inverter.ts";
import { type BuiltSegment, PART_COLUMNS, PART_DOCUMENT_INDEX, PART_DOCUMENTS, type Part } from "./parts.ts";
import type { FieldState } from "./paths.ts";
import { PlacesBuilder } from "./places.ts";
import { PostingsWriter } from "./postings/writer.ts";
import type { ExtractionRules } from "./rules.ts";
import { ShapesWriter } from "./shapes/writer.ts";
import { TermsWriter } from "./terms/writer.ts";
import type { MadeVectors } from "./vectors/made.ts";
import { originParts } from "./vectors/origins.ts";
import { VectorsBuilder } from "./vectors/writer.ts";

export interface BuildInput {
  /** Internal ids, ascending: one per row. */
  docids: Uint32Array;
  externalIds: readonly string[];
  /** Stored documents side by side; row i is `documents[offsets[i], offsets[i + 1])`. Kept by the result, not copied. */
  documents: Uint8Array;
  offsets: Float64Array | Uint32Array;
  rules: ExtractionRules;
  /** Vectors that do not stand in the documents. */
  made?: readonly MadeVectors[];
}

/** Throws ApiError when a document's coordinates or vectors are wrong: the whole batch fails with it. */
export function buildSegment(input: BuildInput): BuiltSegment {
  const { docids, documents, offsets, rules, made = [] } = input;
  const rows = docids.length;
  const columns = new ColumnsBuilder(rows);
  const inverter = new Inverter(rows, offsets[rows]! - offsets[0]!);
  const places = new PlacesBuilder(input.externalIds);
  const vectors = new VectorsBuilder(rules.embedders, input.externalIds, made);
  const shapes = new ShapesWriter(rows);
  const extractor = new Extractor(rules, inverter, columns, places, vectors, shapes);
  const ids = new IdCollector(rows);
  for (let row = 0; row < rows; row++) {
    extractor.document(row, documents, offsets[row]!, offsets[row + 1]!);
    vectors.endRow(row);
    ids.add(input.externalIds[row]!);
  }
  const parts = [
    ...documentParts(input),
    idsPart(docids, ids.packed()),
    ...textParts(rows, extractor.fields, inverter),
    { kind: PART_COLUMNS, chunks: [columns.finish()] },
    ...places.parts(),
    shapes.part(),
    ...vectors.parts(),
    ...originParts(rows, made),
  ];
  return { rows, documentBytes: offsets[rows]! - offsets[0]!, parts };
}

function documentParts({ documents, offsets, docids }: BuildInput): Part[] {
  const first = offsets[0]!;
  const relative = new Uint32Array(docids.length + 1);
  for (let row = 0; row < relative.length; row++) relative[row] = offsets[row]! - first;
  return [
    flatPart(PART_DOCUMENT_INDEX, [wordsVector(relative)]),
    flatPart(PART_DOCUMENTS, [bytesVector([documents.subarray(first, offsets[docids.length])])]),
  ];
}

/** Fields, facts, terms, postings, positions. Fields are numbered by name, so that equal contents give equal bytes. */
function textParts(rows: number, fields: readonly FieldState[], inverter: Inverter): Part[] {
  const sorted = fields.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const fieldIds = new Uint16Array(fields.length);
  sorted.forEach((field, id) => {
    fieldIds[field.id] = id;
  });
  const facts = new FactsWriter(rows);
  for (const field of sorted) facts.field(field.facts.words, field.facts.length);
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
  return [sets.part(rows, names), facts.part(), terms.part(), ...postings.parts()];
}
