/**
 * Documents in, segment out: walks every document once and encodes what was gathered. Pure work in memory; who calls it,
 * and where the result is written, is not its business.
 */
import type { IdList } from "../../base/document/id-list.ts";
import { plainBodies, type StoredBodies } from "./documents/writer.ts";
import { Extractor } from "./extract/extractor.ts";
import type { PlainRun } from "./extract/slabs.ts";
import { FieldSetsWriter } from "./field-sets/writer.ts";
import { GeoPartsBuilder } from "./geo-parts.ts";
import { builtParts } from "./made-parts.ts";
import type { BuiltSegment } from "./parts.ts";
import type { ExtractionRules } from "./rules.ts";
import type { MadeVectors } from "./vectors/made.ts";
import { VectorsBuilder } from "./vectors/writer.ts";

interface Rows {
  /** Internal ids, ascending: one per row. */
  docids: Uint32Array;
  externalIds: IdList;
  rules: ExtractionRules;
  /** Vectors that do not stand in the documents. */
  made?: readonly MadeVectors[];
}

export interface BuildInput extends Rows {
  /** Stored documents side by side; row i is `documents[offsets[i], offsets[i + 1])`. The result may keep them, uncopied. */
  documents: Uint8Array;
  offsets: Float64Array | Uint32Array;
}

interface PlainInput extends Rows {
  /** Documents as they came, run after run. */
  runs: readonly PlainRun[];
  /** Ranks of the names at their top. */
  order: ReadonlyMap<string, number>;
}

/** Throws ApiError when a document's coordinates or vectors are wrong: the whole batch fails with it. */
export function buildSegment(input: BuildInput): BuiltSegment {
  const { documents, offsets } = input;
  const builder = new SegmentBuilder(input);
  builder.extractor.walk(documents, offsets);
  return builder.finish(builder.extractor.packedBodies() ?? plainBodies(documents, offsets));
}

/**
 * The same from documents as they came; null when they cannot be packed: then they have to be laid side by side. What it
 * returns is of use until the next segment is built on this thread.
 */
export function buildPlainSegment(input: PlainInput): BuiltSegment | null {
  const builder = new SegmentBuilder(input, true);
  const bodies = builder.extractor.take(input.runs, input.order) ? builder.extractor.packedBodies() : null;
  return bodies === null ? null : builder.finish(bodies);
}

class SegmentBuilder {
  readonly extractor: Extractor;
  readonly #input: Rows;
  readonly #places: GeoPartsBuilder;
  readonly #vectors: VectorsBuilder;
  readonly #fieldSets: FieldSetsWriter;

  constructor(input: Rows, lends = false) {
    const { docids, externalIds, rules, made = [] } = input;
    this.#input = input;
    this.#places = new GeoPartsBuilder(externalIds);
    this.#vectors = new VectorsBuilder(rules.embedders, externalIds, made);
    this.#fieldSets = new FieldSetsWriter(docids.length);
    const sinks = { places: this.#places, vectors: this.#vectors, fieldSets: this.#fieldSets };
    this.extractor = new Extractor(rules, docids.length, sinks, lends);
  }

  finish(bodies: StoredBodies): BuiltSegment {
    const { docids, externalIds, made = [] } = this.#input;
    const rows = docids.length;
    const texts = this.extractor.finish();
    const sources = { places: this.#places, fieldSets: this.#fieldSets, vectors: this.#vectors };
    const ids = this.extractor.storedIds(externalIds);
    const parts = builtParts({ rows, docids, ids, bodies, texts, ...sources, made });
    return { rows, documentBytes: bodies.offsets[rows]!, parts };
  }
}
