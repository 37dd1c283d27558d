/**
 * Documents in; words, word counts, values of columns and field sets out. Documents are put before the compiled walk a slab
 * at a time; what it asks in between is answered here.
 */
import { rankTableOf } from "../../../base/document/entries.ts";
import type { IdList } from "../../../base/document/id-list.ts";
import { apiError } from "../../../base/errors/errors.ts";
import type { KeyTable } from "../../../base/json/key-table.ts";
import { NAME_UNREADABLE } from "../../../base/kernels/documents/kernels.ts";
import {
  type ExtractHost,
  type ExtractKernels,
  NODE_GEO,
  NODE_GEOJSON,
} from "../../../base/kernels/extract/kernels.ts";
import { limits } from "../../../base/limits.ts";
import { storedFacet } from "../columns/facet.ts";
import { encodeColumns } from "../columns/format.ts";
import type { StoredBodies } from "../documents/writer.ts";
import type { FieldSetsWriter } from "../field-sets/writer.ts";
import type { GeoPoint } from "../geo/parse.ts";
import type { StoredIds } from "../ids/writer.ts";
import { PART, type Part } from "../parts.ts";
import type { ExtractionRules } from "../rules.ts";
import { columnImage } from "./columns.ts";
import { PackedBodies } from "./packed-bodies.ts";
import { type Field, Paths } from "./paths.ts";
import { type PlainRun, Slabs } from "./slabs.ts";
import { textParts } from "./text-parts.ts";
import { type HostWords, openWords } from "./words.ts";
import { type Workshop, workshop } from "./workshop.ts";

/** Receives the raw JSON of the two fields that are coordinates. */
export interface GeoSink {
  /** The point it holds; null for none. */
  geo(row: number, json: string): GeoPoint | null;
  geojson(row: number, json: string): void;
}

/** Receives the raw JSON of `_vectors`: `json[start, end)`. */
export interface VectorSink {
  add(row: number, json: Buffer, start: number, end: number): void;
}

interface Sinks {
  places: GeoSink;
  vectors: VectorSink;
  fieldSets: FieldSetsWriter;
}

export class Extractor implements ExtractHost {
  readonly #rows: number;
  readonly #sinks: Sinks;
  readonly #shop: Workshop;
  readonly #kernels: ExtractKernels;
  readonly #text: HostWords;
  readonly #paths: Paths;
  readonly #scratch: number;
  readonly #bodies: PackedBodies;
  readonly #lends: boolean;
  /** Of names at the top of documents as they came. */
  #ranks: KeyTable | null = null;

  /**
   * Nothing else may use the workshop of this thread until `finish` has returned; with `lends`, until what it returned is of
   * no more use: then bytes are not copied out of the workshop.
   */
  constructor(rules: ExtractionRules, rows: number, sinks: Sinks, lends = false) {
    this.#rows = rows;
    this.#sinks = sinks;
    this.#shop = workshop();
    this.#kernels = this.#shop.kernels;
    this.#shop.host = this;
    this.#text = openWords(this.#shop, rules, rows);
    this.#scratch = this.#kernels.addressOfScratch();
    this.#paths = new Paths(rules, this.#kernels, sinks.fieldSets);
    this.#bodies = new PackedBodies(this.#shop, rows, lends);
    this.#lends = lends;
  }

  /** Walks all documents: row i is `documents[offsets[i], offsets[i + 1])`. */
  walk(documents: Uint8Array, offsets: Float64Array | Uint32Array): void {
    new Slabs(this.#shop, this.#bodies, this.#paths.root).walk(documents, offsets);
  }

  /** Walks documents as they came; false, and of no more use, when they cannot be packed. `order`: ranks of their names. */
  take(runs: readonly PlainRun[], order: ReadonlyMap<string, number>): boolean {
    const slabs = new Slabs(this.#shop, this.#bodies, this.#paths.root);
    this.#ranks = rankTableOf(order);
    return runs.every((run) => slabs.take(run, order));
  }

  /** Hands the field sets to their writer; returns fields, their lengths, terms, postings, positions and columns. */
  finish(): Part[] {
    const kernels = this.#kernels;
    const paths = this.#paths;
    const rows = this.#rows;
    const shop = this.#shop;
    const sinks = this.#sinks;
    const fieldSetsAt = kernels.fieldSetsOfRows() / 4;
    sinks.fieldSets.takeRows(shop.words.subarray(fieldSetsAt, fieldSetsAt + rows));
    const images = [...paths.columns].map(([name, column]) => columnImage(shop, column, name, rows));
    return [
      ...textParts(shop, rows, [...paths.fields.values()], this.#lends),
      { kind: PART.columns, chunks: [encodeColumns(rows, images)] },
    ];
  }

  /** External ids as they are stored: as numbers, when all are. */
  storedIds(ids: IdList): StoredIds {
    const kernels = this.#kernels;
    const shop = this.#shop;
    const { bytes, offsets } = ids;
    const bytesAt = kernels.allocate(bytes.length);
    const offsetsAt = kernels.allocate(4 * offsets.length);
    const numbersAt = kernels.allocate(4 * this.#rows);
    shop.bytes.set(bytes, bytesAt);
    shop.words.set(offsets, offsetsAt / 4);
    const isNumbers = kernels.idNumbers(bytesAt, offsetsAt, this.#rows, numbersAt) === 1;
    return isNumbers ? { numbers: shop.copyOfWords(numbersAt, this.#rows) } : { texts: bytes, offsets };
  }

  /** The documents that were walked, packed; null when they cannot be. To be asked for before `finish`. */
  packedBodies(): StoredBodies | null {
    return this.#bodies.finish(this.#sinks.fieldSets.names);
  }

  child(node: number, key: number, length: number): number {
    const spelled = this.#shop.bytes.toString("utf8", key, key + length);
    if (!spelled.includes("\\")) return this.#paths.child(node, spelled);
    const name = JSON.parse(`"${spelled}"`) as string;
    if (JSON.stringify(name) !== `"${spelled}"`) this.#bodies.giveUp();
    return this.#paths.child(node, name);
  }

  apart(kind: number, row: number, start: number, length: number): void {
    const { bytes } = this.#shop;
    const { places, vectors } = this.#sinks;
    const end = start + length;
    if (kind === NODE_GEO) this.#addPoint(row, places.geo(row, bytes.toString("utf8", start, end)));
    else if (kind === NODE_GEOJSON) places.geojson(row, bytes.toString("utf8", start, end));
    else vectors.add(row, bytes, start, end);
  }

  /** Each coordinate of a point can be filtered and counted by itself too. */
  #addPoint(row: number, point: GeoPoint | null): void {
    if (point === null) return;
    const kernels = this.#kernels;
    const scratch = this.#scratch;
    const shop = this.#shop;
    for (const key of ["lat", "lng"] as const) {
      const length = shop.bytes.write(String(point[key]), scratch, "latin1");
      kernels.addNumber(this.#paths.column(`_geo.${key}`), row, scratch, length);
    }
  }

  words(field: number, start: number, length: number, isPlain: number): void {
    this.#text.read(start, length, isPlain === 1 ? null : this.#field(field).locales);
  }

  #field(address: number): Field {
    return this.#paths.fields.get(address)!;
  }

  run(field: number, start: number, length: number, script: number, state: number): number {
    return this.#text.readRun(start, length, this.#field(field).locales, script, state);
  }

  lemma(start: number, length: number, script: number, language: number): number {
    return this.#text.lemma(start, length, script, language);
  }

  facet(start: number, length: number): number {
    const { bytes } = this.#shop;
    return bytes.write(storedFacet(bytes.toString("utf8", start, start + length)), this.#scratch);
  }

  character(codePoint: number, script: number, place: number): void {
    this.#text.character(codePoint, script, place);
  }

  fieldSet(fields: number, count: number): number {
    return this.#sinks.fieldSets.setOf([...this.#shop.words.subarray(fields / 4, fields / 4 + count)]);
  }

  tooManyFields(): void {
    const most = limits.fieldsPerIndex.toLocaleString("en");
    throw apiError("max_fields_limit_exceeded", `A document cannot contain more than ${most} fields.`);
  }

  nameOf(start: number, length: number): number {
    const rank = this.#ranks?.get(this.#shop.bytes, start, start + length) ?? -1;
    return rank < 0 ? NAME_UNREADABLE : rank;
  }
}
