/**
 * Documents in, segment out: walks every document once and encodes what was gathered. Pure work in memory; who calls it,
 * and where the result is written, is not its business.
 */
import type { IdList } from "../../base/document/id-list.ts";
import { documentParts, plainBodies } from "./documents/writer.ts";
import { Extractor } from "./extract/extractor.ts";
import { FieldSetsWriter } from "./field-sets/writer.ts";
import { GeoPartsBuilder } from "./geo-parts.ts";
import { idsPart, storedIds } from "./ids/writer.ts";
import type { BuiltSegment } from "./parts.ts";
import type { ExtractionRules } from "./rules.ts";
import type { MadeVectors } from "./vectors/made.ts";
import { originParts } from "./vectors/origins.ts";
import { VectorsBuilder } from "./vectors/writer.ts";

export interface BuildInput {
  /** Internal ids, ascending: one per row. */
  docids: Uint32Array;
  externalIds: IdList;
  /** Stored documents side by side; row i is `documents[offsets[i], offsets[i + 1])`. The result may keep them, uncopied. */
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
  const places = new GeoPartsBuilder(input.externalIds);
  const vectors = new VectorsBuilder(rules.embedders, input.externalIds, made);
  const shapes = new FieldSetsWriter(rows);
  const extractor = new Extractor(rules, rows, { places, vectors, shapes });
  extractor.walk(documents, offsets);
  const bodies = extractor.packedBodies() ?? plainBodies(documents, offsets);
  const texts = extractor.finish();
  const parts = [
    ...documentParts(bodies),
    idsPart(docids, storedIds(input.externalIds)),
    ...texts,
    ...places.parts(),
    shapes.part(),
    ...vectors.parts(),
    ...originParts(rows, made),
  ];
  return { rows, documentBytes: bodies.offsets[rows]!, parts };
}
