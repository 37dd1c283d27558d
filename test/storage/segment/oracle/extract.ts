/**
 * Walks one stored document and hands out what is indexed of it: words with their positions to the inverter, faceted
 * values to the columns, coordinates to the geo parts.
 */
import { Buffer } from "node:buffer";
import { apiError } from "../../../../src/base/errors/errors.ts";
import {
  ARRAY_END,
  ARRAY_START,
  FALSE,
  JsonCursor,
  KEY,
  NULL,
  NUMBER,
  OBJECT_START,
  STRING,
  TRUE,
} from "../../../../src/base/json/cursor.ts";
import { limits } from "../../../../src/base/limits.ts";
import type { Gap, WordSink } from "../../../../src/base/text/token.ts";
import { createTokenizer, type Tokenizer } from "../../../../src/base/text/tokenizer.ts";
import type { GeoSink, VectorSink } from "../../../../src/storage/segment/extract/extractor.ts";
import type { FieldSetsWriter } from "../../../../src/storage/segment/field-sets/writer.ts";
import type { GeoPoint } from "../../../../src/storage/segment/geo/parse.ts";
import type { ExtractionRules } from "../../../../src/storage/segment/rules.ts";
import type { ColumnsBuilder } from "../columns/builder.ts";
import type { Inverter } from "./inverter.ts";
import { unescapeJson, writeUtf8 } from "./json-text.ts";
import { type FieldState, FieldTable, type PathNode } from "./paths.ts";

/** Between two values of one field in a document. */
const VALUE_GAP = 8;
const POSITIONS = limits.positionsPerField;
const WORD_SCRATCH_BYTES = 1024;

const TRUE_BYTES = Buffer.from("true");
const FALSE_BYTES = Buffer.from("false");

export class Extractor {
  /** Fields that have words, by their number of first appearance. */
  readonly fields: FieldState[] = [];
  readonly #table: FieldTable;
  readonly #columns: ColumnsBuilder;
  readonly #inverter: Inverter;
  readonly #tokenizer: Tokenizer;
  readonly #cursor = new JsonCursor();
  readonly #geoField: FieldState | null;
  readonly #geojsonField: FieldState | null;
  readonly #vectorsNode: PathNode;
  readonly #geo: GeoSink;
  readonly #vectors: VectorSink;
  readonly #fieldSets: FieldSetsWriter;
  /** Top-level fields of the document, as the field sets number them. */
  readonly #topFields: number[] = [];
  /** Fields visited in the document: the first `touchedCount`. */
  readonly #touched: FieldState[] = [];
  #touchedCount = 0;
  #bytes: Uint8Array = new Uint8Array(0);
  #buffer: Buffer = Buffer.alloc(0);
  #row = 0;
  #unescaped: Buffer = Buffer.alloc(4096);
  /** Of the value whose words are being read. */
  #field!: FieldState;
  #position = 0;

  constructor(
    rules: ExtractionRules,
    inverter: Inverter,
    columns: ColumnsBuilder,
    geo: GeoSink,
    vectors: VectorSink,
    fieldSets: FieldSetsWriter,
  ) {
    this.#table = new FieldTable(rules, columns);
    this.#columns = columns;
    this.#inverter = inverter;
    this.#tokenizer = createTokenizer({
      stopWords: rules.stopWords,
      separators: rules.separators,
      nonSeparators: rules.nonSeparators,
      dictionary: rules.dictionary,
    });
    this.#geo = geo;
    this.#vectors = vectors;
    this.#fieldSets = fieldSets;
    this.#geoField = rules.geo ? this.#table.root.childOf("_geo").field : null;
    this.#geojsonField = rules.geojson ? this.#table.root.childOf("_geojson").field : null;
    this.#vectorsNode = this.#table.root.childOf("_vectors");
  }

  /** Indexes the document `bytes[start, end)` as `row`; rows come in ascending order. */
  document(row: number, bytes: Uint8Array, start: number, end: number): void {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    this.#row = row;
    this.#cursor.reset(bytes, start, end);
    const members = this.#cursor.next() === OBJECT_START ? this.#members(this.#table.root, true) : 0;
    this.#fieldSets.add(row, this.#topFields, members);
    this.#countWords();
    this.#inverter.endRow(row);
  }

  #countWords(): void {
    const touched = this.#touched;
    for (let i = 0; i < this.#touchedCount; i++) {
      const field = touched[i]!;
      const { wordCount } = field;
      if (wordCount > 0 && wordCount <= limits.fieldWordCountMax) field.lengths.push((this.#row << 5) | wordCount);
    }
    this.#touchedCount = 0;
  }

  /** Reads the members of an object whose opening was read; returns how many there are. */
  #members(node: PathNode, top: boolean): number {
    const cursor = this.#cursor;
    let count = 0;
    for (let token = cursor.next(); token === KEY; token = cursor.next()) {
      const child = cursor.escaped ? node.childOf(cursor.text()) : node.child(this.#bytes, cursor.start, cursor.end);
      if (top) this.#topFields[count] = this.#shapeField(child.field);
      count++;
      if (child.skipped) this.#skip(child);
      else this.#member(child, cursor.next(), top);
    }
    return count;
  }

  #shapeField(field: FieldState): number {
    if (field.topFieldNumber < 0) field.topFieldNumber = this.#fieldSets.fieldNumber(field.name);
    return field.topFieldNumber;
  }

  #skip(node: PathNode): void {
    const cursor = this.#cursor;
    cursor.skipValue();
    if (node.field === this.#geoField) this.#coordinates(this.#geo.geo(this.#row, this.#raw()));
    else if (node.field === this.#geojsonField) this.#geo.geojson(this.#row, this.#raw());
    else if (node === this.#vectorsNode) this.#vectors.add(this.#row, this.#buffer, cursor.start, cursor.end);
  }

  /** Each coordinate of a point can be filtered and counted by itself too. */
  #coordinates(point: GeoPoint | null): void {
    if (point === null) return;
    for (const key of ["lat", "lng"] as const) {
      const column = this.#columns.column(`_geo.${key}`);
      column.present(this.#row);
      column.number(this.#row, point[key]);
    }
  }

  #raw(): string {
    return this.#buffer.toString("utf8", this.#cursor.start, this.#cursor.end);
  }

  /** The value of a key. A container below the top is itself a visit of the field, and so is an empty one. */
  #member(node: PathNode, token: number, top: boolean): void {
    const { column } = node.field;
    column?.present(this.#row);
    if (token === OBJECT_START || token === ARRAY_START) {
      if (!top) this.#visit(node.field);
      const count = token === OBJECT_START ? this.#members(node, false) : this.#elements(node);
      if (count > 0) return;
      this.#visit(node.field);
      column?.isEmpty(this.#row);
      return;
    }
    if (column !== null) {
      if (token === NULL) column.isNull(this.#row);
      else if (token === STRING && this.#cursor.start === this.#cursor.end) column.isEmpty(this.#row);
    }
    this.#leaf(node.field, token);
  }

  /** Reads the elements of an array whose opening was read; returns how many there are. */
  #elements(node: PathNode): number {
    const cursor = this.#cursor;
    let count = 0;
    for (let token = cursor.next(); token !== ARRAY_END; token = cursor.next()) {
      count++;
      if (token === OBJECT_START) {
        if (this.#members(node, false) === 0) this.#visit(node.field);
      } else if (token === ARRAY_START) {
        if (this.#elements(node) === 0) this.#visit(node.field);
      } else {
        this.#leaf(node.field, token);
      }
    }
    return count;
  }

  #leaf(field: FieldState, token: number): void {
    const cursor = this.#cursor;
    switch (token) {
      case STRING:
        this.#string(field);
        return;
      case NUMBER:
        if (field.column !== null) field.column.number(this.#row, Number(this.#raw()));
        if (this.#visit(field)) this.#words(this.#buffer, cursor.start, cursor.end, null);
        return;
      case TRUE:
        field.column?.string(this.#row, "true");
        if (this.#visit(field)) this.#words(TRUE_BYTES, 0, TRUE_BYTES.length, null);
        return;
      case FALSE:
        field.column?.string(this.#row, "false");
        if (this.#visit(field)) this.#words(FALSE_BYTES, 0, FALSE_BYTES.length, null);
        return;
      default:
        this.#visit(field);
    }
  }

  #string(field: FieldState): void {
    const cursor = this.#cursor;
    let buffer = this.#buffer;
    let { start, end } = cursor;
    if (cursor.escaped) {
      if (this.#unescaped.length < end - start) this.#unescaped = Buffer.alloc((end - start) * 2);
      end = unescapeJson(this.#bytes, start, end, this.#unescaped);
      start = 0;
      buffer = this.#unescaped;
    }
    field.column?.utf8(this.#row, buffer, start, end);
    if (this.#visit(field)) this.#words(buffer, start, end, field.locales);
  }

  /** Moves the position of a field to its next value; false when no words are wanted or there is no room for them. */
  #visit(field: FieldState): boolean {
    if (!field.searchable) return false;
    if (field.row !== this.#row) {
      field.row = this.#row;
      field.position = 0;
      field.wordCount = 0;
      this.#touched[this.#touchedCount++] = field;
    } else {
      field.position += VALUE_GAP;
    }
    this.#field = field;
    this.#position = field.position;
    return field.position < POSITIONS;
  }

  #words(buffer: Buffer, start: number, end: number, locales: string[] | null): void {
    this.#tokenizer.words(buffer.toString("utf8", start, end), locales, this.#textSink);
  }

  /** The place of a word `gap` behind the one before; of no meaning beyond the last position. */
  #placeAfter(gap: Gap): number {
    const position = this.#position + gap;
    this.#position = position;
    if (position >= POSITIONS) return -1;
    const field = this.#field;
    field.position = position;
    field.wordCount++;
    if (field.id < 0) this.#numberField(field);
    return (field.id << 16) | position;
  }

  #numberField(field: FieldState): void {
    if (this.fields.length >= limits.fieldsPerIndex) {
      throw apiError("max_fields_limit_exceeded", "A document cannot contain more than 65,535 fields.");
    }
    field.id = this.fields.length;
    this.fields.push(field);
  }

  readonly #wordScratch = new Uint8Array(WORD_SCRATCH_BYTES);

  readonly #textSink: WordSink = {
    word: (lemma: string, gap: Gap): void => {
      const place = this.#placeAfter(gap);
      if (this.#position >= POSITIONS) return;
      const length = writeUtf8(lemma, this.#wordScratch);
      this.#inverter.add(this.#wordScratch, 0, length, place);
    },
    skip: (gap: Gap): void => {
      this.#position += gap;
    },
  };
}
