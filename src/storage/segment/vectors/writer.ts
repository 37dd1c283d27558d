/**
 * Gathers the vectors of documents being indexed and lays them out as a part. Refuses documents whose vectors cannot be
 * used, or which lack vectors that nobody else will provide.
 */

import { Buffer } from "node:buffer";
import { type IdList, idAt, idCount } from "../../../base/document/id-list.ts";
import { apiError } from "../../../base/errors/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../base/json/value.ts";
import type { EmbedderRule } from "../../settings/embedders.ts";

import { ByteLog, bytesOf, WordLog } from "../byte-log.ts";
import { bytesVector, flatPart, type PackedVector, wordsVector } from "../flat-table.ts";
import { VectorsPart } from "../generated/vectors-part.ts";
import { PART, type Part } from "../parts.ts";
import { bitCodeParts } from "./bit-codes.ts";
import { type CodedVectors, codeBytes, codeInto, normOf, quantizeInto, wordsPerVector } from "./format.ts";
import { MadeRows, type MadeVectors } from "./made.ts";
import { type GivenVectors, readVectors, wrongType } from "./parse.ts";
import { PlainVectors } from "./plain.ts";

const OBJECT_BRACE = 0x7b;
const LETTER_N = 0x6e;
/** Documents without vectors that an error names. */
const MISSING_SHOWN = 5;

export class VectorsBuilder {
  readonly #rows: number;
  readonly #externalIds: IdList;
  readonly #embedders: EmbedderBuilder[];
  readonly #plain: PlainVectors;
  /** Row whose `_vectors` were read last. */
  #seen = -1;

  /** `made`: vectors that go before what the documents themselves say. */
  constructor(rules: readonly EmbedderRule[], externalIds: IdList, made: readonly MadeVectors[] = []) {
    this.#rows = idCount(externalIds);
    this.#externalIds = externalIds;
    this.#plain = new PlainVectors(rules);
    this.#embedders = rules.map(
      (rule) => new EmbedderBuilder(rule, made.find(({ embedder }) => embedder === rule.name) ?? null),
    );
  }

  /** The `_vectors` of a row: `json[start, end)`. */
  add(row: number, json: Buffer, start: number, end: number): void {
    const id = idAt(this.#externalIds, row);
    const first = json[start];
    if (first === LETTER_N) return;
    if (first !== OBJECT_BRACE) throw wrongType(id, "._vectors", "must be an object");
    if (this.#embedders.length === 0) return;
    this.#endRowsBefore(row);
    this.#seen = row;
    if (this.#plain.read(json, start, end)) {
      for (const [i, embedder] of this.#embedders.entries()) {
        if (embedder.addMade(row)) continue;
        const given = this.#plain.given(i);
        if (given !== null) embedder.add(row, given);
        else embedder.addMissing(id, []);
      }
      return;
    }
    const given = JSON.parse(json.toString("utf8", start, end)) as JsonObject;
    for (const embedder of this.#embedders) {
      if (embedder.addMade(row)) continue;
      const { rule } = embedder;
      const entry = Object.hasOwn(given, rule.name) ? (given[rule.name] as Json) : undefined;
      if (entry === undefined) embedder.addMissing(id, Object.keys(given));
      else {
        embedder.add(row, readVectors(entry, rule, id));
        if (wantsMade(entry)) embedder.addMissing(id, []);
      }
    }
  }

  /** Rows below this one that gave no `_vectors` have none of their own. */
  #endRowsBefore(next: number): void {
    for (let row = this.#seen + 1; row < next; row++) {
      for (const embedder of this.#embedders) {
        if (!embedder.addMade(row)) embedder.addMissing(idAt(this.#externalIds, row), []);
      }
    }
  }

  /** None for an index without embedders. Throws when vectors are missing. */
  parts(): Part[] {
    this.#endRowsBefore(this.#rows);
    for (const embedder of this.#embedders) embedder.mustBeComplete();
    return this.#embedders.length === 0 ? [] : vectorParts(this.#rows, this.#embedders);
  }
}

/** `{"regenerate": true}` and no embeddings: they are to be made. */
function wantsMade(entry: Json): boolean {
  return isObject(entry) && entry["regenerate"] === true && (entry["embeddings"] ?? null) === null;
}

/** One embedder on its way to a part. */
export interface PackedEmbedder {
  rule: Pick<EmbedderRule, "name" | "dimensions" | "quantized">;
  rowList: Uint32Array;
  /** One more than rows. */
  starts: Uint32Array;
  regenerate: Uint32Array;
  /** Of the vectors, in order: lengths (none when quantized), and the numbers themselves. */
  norms: PackedVector;
  data: PackedVector;
  /** None when quantized. */
  scales: PackedVector;
  codes: PackedVector;
  coded(): Iterable<CodedVectors>;
}

/** The vectors, and sketches of them where they are many. */
export function vectorParts(rows: number, embedders: readonly PackedEmbedder[]): Part[] {
  const sketchable = embedders
    .filter(({ rule }) => !rule.quantized)
    .map((embedder) => ({ ...embedder.rule, vectors: embedder.starts.at(-1)!, coded: () => embedder.coded() }));
  return [vectorsPart(rows, embedders), ...bitCodeParts(sketchable)];
}

function vectorsPart(rows: number, embedders: readonly PackedEmbedder[]): Part {
  const names = Buffer.from(JSON.stringify(embedders.map(({ rule }) => rule.name)));
  const heads = embedders.flatMap(({ rule, rowList, starts }) => [
    rule.dimensions,
    rule.quantized ? 1 : 0,
    rowList.length,
    starts.at(-1)!,
  ]);
  const lists = (pick: (embedder: PackedEmbedder) => Uint32Array) =>
    joined(embedders.map((embedder) => wordsVector(pick(embedder))));
  const data = (quantized: boolean) =>
    joined(embedders.filter(({ rule }) => rule.quantized === quantized).map((embedder) => embedder.data));
  return flatPart(PART.vectors, VectorsPart, {
    rows,
    names: bytesVector([names]),
    heads: wordsVector(Uint32Array.from(heads)),
    rowLists: lists(({ rowList }) => rowList),
    starts: lists(({ starts }) => starts),
    regenerate: lists(({ regenerate }) => regenerate),
    norms: joined(embedders.map(({ norms }) => norms)),
    bits: data(true),
    floats: data(false),
    scales: joined(embedders.map(({ scales }) => scales)),
    codes: { ...joined(embedders.map(({ codes }) => codes)), elementBytes: 1 },
  });
}

function joined(vectors: readonly PackedVector[]): PackedVector {
  const byteLength = vectors.reduce((sum, vector) => sum + vector.byteLength, 0);
  return { chunks: chunksOf(vectors), byteLength, elementBytes: 4 };
}

function* chunksOf(vectors: readonly PackedVector[]): Generator<Uint8Array> {
  for (const { chunks } of vectors) yield* chunks;
}

class EmbedderBuilder implements PackedEmbedder {
  readonly rule: EmbedderRule;
  readonly #made: MadeRows | null;
  readonly #listed = new WordLog();
  readonly #offsets = new WordLog();
  #regenerateBits = new Uint32Array(32);
  readonly #lengths = new ByteLog();
  readonly #numbers = new ByteLog();
  readonly #steps = new ByteLog();
  readonly #codeLog = new ByteLog();
  readonly #floats: Float32Array;
  readonly #bits: Uint32Array;
  readonly #code: Int8Array;
  readonly #single = new Float32Array(1);
  #vectors = 0;
  #missing = 0;
  readonly #missingIds: string[] = [];
  #hint = "";

  constructor(rule: EmbedderRule, made: MadeVectors | null) {
    this.rule = rule;
    this.#made = made === null ? null : new MadeRows(made);
    this.#floats = new Float32Array(rule.dimensions);
    this.#bits = new Uint32Array(wordsPerVector(rule.dimensions));
    this.#code = new Int8Array(codeBytes(rule.dimensions));
    this.#offsets.push(0);
  }

  /** False when nothing was made for the row: its document decides. */
  addMade(row: number): boolean {
    const made = this.#made?.of(row) ?? null;
    if (made !== null) this.add(row, made);
    return made !== null;
  }

  add(row: number, { vectors, regenerate }: GivenVectors): void {
    if (vectors.length === 0) return;
    const place = this.#listed.length;
    this.#listed.push(row);
    if (regenerate) this.#markRegenerate(place);
    for (const vector of vectors) this.#addVector(vector);
    this.#vectors += vectors.length;
    this.#offsets.push(this.#vectors);
  }

  #markRegenerate(place: number): void {
    if (place >>> 5 >= this.#regenerateBits.length) {
      const grown = new Uint32Array(Math.max(this.#regenerateBits.length * 2, (place >>> 5) + 1));
      grown.set(this.#regenerateBits);
      this.#regenerateBits = grown;
    }
    this.#regenerateBits[place >>> 5]! |= 1 << (place & 31);
  }

  #addVector(vector: ArrayLike<number>): void {
    const { rule } = this;
    const bits = this.#bits;
    const floats = this.#floats;
    if (rule.quantized) {
      bits.fill(0);
      quantizeInto(vector, bits, 0);
      const bytes = bytesOf(bits);
      this.#numbers.append(bytes, 0, bytes.length);
      return;
    }
    floats.set(vector);
    const bytes = bytesOf(floats);
    this.#numbers.append(bytes, 0, bytes.length);
    const norm = normOf(floats, 0, floats.length);
    this.#addSingle(this.#lengths, norm);
    this.#addSingle(this.#steps, codeInto(floats, norm, this.#code));
    this.#codeLog.append(new Uint8Array(this.#code.buffer), 0, this.#code.length);
  }

  #addSingle(log: ByteLog, value: number): void {
    this.#single[0] = value;
    log.append(bytesOf(this.#single), 0, 4);
  }

  addMissing(id: string, names: readonly string[]): void {
    if (!this.rule.userProvided) return;
    this.#missing++;
    if (this.#missingIds.length < MISSING_SHOWN) this.#missingIds.push(`\`${id}\``);
    if (this.#hint === "" && names.length > 0) {
      this.#hint = ` Their \`_vectors\` name ${names.map((name) => `\`${name}\``).join(", ")}: is that a misspelling?`;
    }
  }

  mustBeComplete(): void {
    if (this.#missing === 0) return;
    const { name } = this.rule;
    const more = this.#missing > this.#missingIds.length ? ` and ${this.#missing - this.#missingIds.length} more` : "";
    throw apiError(
      "vector_embedding_error",
      `Embedder \`${name}\` takes its vectors from the documents, but none are given for ${this.#missingIds.join(", ")}${more}.` +
        `${this.#hint} Send \`_vectors.${name}\` with each document, or set it to \`null\` for a document without vectors.`,
    );
  }

  get rowList(): Uint32Array {
    return this.#listed.view();
  }

  get starts(): Uint32Array {
    return this.#offsets.view();
  }

  get regenerate(): Uint32Array {
    const words = new Uint32Array((this.#listed.length + 31) >>> 5);
    words.set(this.#regenerateBits.subarray(0, words.length));
    return words;
  }

  get norms(): PackedVector {
    return bytesVector(this.#lengths.chunks());
  }

  get data(): PackedVector {
    return bytesVector(this.#numbers.chunks());
  }

  get scales(): PackedVector {
    return bytesVector(this.#steps.chunks());
  }

  get codes(): PackedVector {
    return bytesVector(this.#codeLog.chunks());
  }

  *coded(): Generator<CodedVectors> {
    const stride = this.#code.length;
    const scales = new Float32Array(this.#vectors);
    let at = 0;
    for (const steps of this.#steps.chunks()) {
      bytesOf(scales).set(steps, at);
      at += steps.length;
    }
    at = 0;
    for (const codes of this.#codeLog.chunks()) {
      const count = codes.length / stride;
      yield { codes, scales: scales.subarray(at, at + count), stride };
      at += count;
    }
  }
}
