/**
 * Documents in, segment out: walks every document once and encodes what was gathered. Pure work in memory; who calls it,
 * and where the result is written, is not its business.
 */
import type { IdList } from "../document/id-list.ts";
import { Extractor } from "./extract/extractor.ts";
import { bytesVector, flatPart, wordsVector } from "./flat-table.ts";
import { idsPart, storedIds } from "./ids/writer.ts";
import { type BuiltSegment, PART_DOCUMENT_INDEX, PART_DOCUMENTS, type Part } from "./parts.ts";
import { PlacesBuilder } from "./places.ts";
import type { ExtractionRules } from "./rules.ts";
import { ShapesWriter } from "./shapes/writer.ts";
import type { MadeVectors } from "./vectors/made.ts";
import { originParts } from "./vectors/origins.ts";
import { VectorsBuilder } from "./vectors/writer.ts";

export interface BuildInput {
  /** Internal ids, ascending: one per row. */
  docids: Uint32Array;
  externalIds: IdList;
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
  const places = new PlacesBuilder(input.externalIds);
  const vectors = new VectorsBuilder(rules.embedders, input.externalIds, made);
  const shapes = new ShapesWriter(rows);
  const extractor = new Extractor(rules, rows, { places, vectors, shapes });
  extractor.walk(documents, offsets);
  const texts = extractor.finish();
  const parts = [
    ...documentParts(input),
    idsPart(docids, storedIds(input.externalIds)),
    ...texts,
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
