/**
 * Which documents need which embedder: renders what would be embedded of each, compares it with what was embedded before,
 * and lists what must be embedded now. Pure work on the versions of documents, for a helper thread when they are many.
 */

import { hash } from "node:crypto";
import { idAt } from "../../base/document/id-list.ts";
import { pickFields, VECTORS_FIELD } from "../../base/document/pick.ts";
import { type EntryPlace, entryKind, entryText, vectorEntries } from "../../base/document/vector-entries.ts";
import { apiError } from "../../base/errors/errors.ts";
import { ByteSink } from "../../base/json/bytes.ts";
import type { Json, JsonObject } from "../../base/json/value.ts";
import { GIVEN, TEMPLATE_SOURCE } from "../../storage/segment/vectors/origins.ts";
import { readVectors } from "../../storage/segment/vectors/parse.ts";
import type { Generator, Renewal } from "../../storage/settings/generators.ts";
import { searchableWeight } from "../../storage/settings/patterns.ts";
import type { Settings } from "../../storage/settings/settings.ts";

import type { EmbedInput } from "../vector/embed/embedder.ts";
import { DocumentTemplate } from "../vector/template/document.ts";
import { Fragment } from "../vector/template/fragment.ts";
import { AGAIN, MissingVariable, TemplateFailure } from "../vector/template/template.ts";
import { IncomingVersions, type LotDocuments, layDocuments } from "./lot.ts";

/** What was embedded of the stored versions: entries of document i are `starts[i] .. starts[i + 1] - 1`. */
export interface StoredOrigins {
  fragments: readonly string[];
  starts: Uint32Array;
  sources: Uint32Array;
  hashes: Uint32Array;
}

interface SurveyedGenerator {
  generator: Generator;
  renewal: Exclude<Renewal, "nothing">;
  stored: StoredOrigins;
}

export interface SurveyInput extends LotDocuments {
  generators: SurveyedGenerator[];
  /** Embedders that make nothing: only asked whether vectors are to be kept. */
  others: string[];
  settings: Settings;
  /** Embedders whose vectors had another size when the documents came: what was given then does not count. */
  resized: readonly string[];
  /** Documents that a template cannot be rendered for get no vectors, instead of failing the batch. */
  skipsFailures: boolean;
  /** One number, shared by threads: not 0 once nobody wants the outcome, which then need not be whole. */
  unwanted: Int32Array;
}

/** How a document comes to its vectors: by its entries, as they were, from the client, or as they were for good. */
export const BY_ENTRIES = 0;
export const AS_STORED = 1;
export const AS_GIVEN = 2;
export const FOR_GOOD = 3;

/** What one embedder has to do with the documents; those that see to their vectors themselves are not listed. */
export interface Survey {
  embedder: string;
  fragments: string[];
  documents: Uint32Array;
  ways: Uint8Array;
  /** Entries of listed document i: `entryStarts[i] .. entryStarts[i + 1] - 1`. */
  entryStarts: Uint32Array;
  sources: Uint32Array;
  hashes: Uint32Array;
  /** One for each entry: 1 when it must be embedded, 0 when its vector is there already. */
  fresh: Uint8Array;
  /** What the fresh entries embed, one after the other: texts, or fragments as JSON. As bytes, which cross threads fast. */
  inputs: Uint8Array;
  inputEnds: Uint32Array;
  /** Vectors of clients, of the documents with `AS_GIVEN`, in their order: how many each has, and the vectors. */
  givenCounts: Uint32Array;
  given: Float32Array;
}

/** Inputs of a survey from one on, as embedders take them: at least one, then as many as the limits allow. */
export function surveyInputs(
  { inputs, inputEnds, fragments }: Survey,
  from: number,
  countMax: number,
  bytesMax: number,
): EmbedInput[] {
  const bytes = Buffer.from(inputs.buffer, inputs.byteOffset, inputs.length);
  const start = from === 0 ? 0 : inputEnds[from - 1]!;
  const taken: EmbedInput[] = [];
  for (let i = from; i < inputEnds.length && taken.length < countMax; i++) {
    if (i > from && inputEnds[i]! - start > bytesMax) break;
    const text = bytes.toString("utf8", i === 0 ? 0 : inputEnds[i - 1], inputEnds[i]);
    taken.push(fragments.length > 0 ? { text: null, fragment: JSON.parse(text) as Json } : { text, fragment: null });
  }
  return taken;
}

export function surveyDocuments(input: SurveyInput): Survey[] {
  const { documents, offsets } = layDocuments(input);
  const surveyors = [
    ...input.generators.map((surveyed) => new Surveyor(surveyed.generator.name, surveyed, input)),
    ...input.others.map((name) => new Surveyor(name, null, input)),
  ];
  const mayHaveVectors = input.fieldOrder.includes(VECTORS_FIELD);
  const incoming = new IncomingVersions(input);
  try {
    for (let place = 0; place < input.docids.length && Atomics.load(input.unwanted, 0) === 0; place++) {
      const document = documents.subarray(offsets[place]!, offsets[place + 1]!);
      const entries = mayHaveVectors ? vectorEntries(document) : null;
      const source = new DocumentSource(document, idAt(input.externalIds, place), entries !== null);
      for (const surveyor of surveyors) surveyor.document(place, source, entries?.get(surveyor.name), incoming);
    }
  } finally {
    incoming.close();
  }
  return surveyors.map((surveyor) => surveyor.survey());
}

/** A document that is parsed when the first template asks for it. */
class DocumentSource {
  readonly bytes: Uint8Array;
  readonly id: string;
  readonly #hasVectors: boolean;
  #parsed: JsonObject | null = null;

  constructor(bytes: Uint8Array, id: string, hasVectors: boolean) {
    this.bytes = bytes;
    this.id = id;
    this.#hasVectors = hasVectors;
  }

  get fields(): JsonObject {
    this.#parsed ??= JSON.parse(textOf(this.#hasVectors ? withoutVectors(this.bytes) : this.bytes)) as JsonObject;
    return this.#parsed;
  }
}

const picked = new ByteSink(4096);

function withoutVectors(document: Uint8Array): Uint8Array {
  picked.reset();
  pickFields(document, null, { hideVectors: true }, picked);
  return picked.view();
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}

/** Something to embed of a document. */
interface Rendered {
  source: number;
  /** A text, or a fragment as JSON. */
  text: string;
  hash: Buffer;
}

class Surveyor {
  readonly name: string;
  readonly #surveyed: SurveyedGenerator | null;
  readonly #template: DocumentTemplate | null;
  readonly #fragments: Fragment[];
  /** Number of a fragment in what is stored, by its number here; 0 for one that is new. */
  readonly #storedSources: number[];
  readonly #skipsFailures: boolean;
  readonly #isResized: boolean;
  readonly #documents: number[] = [];
  readonly #ways: number[] = [];
  readonly #entryStarts: number[] = [0];
  readonly #sources: number[] = [];
  readonly #hashes: number[] = [];
  readonly #fresh: number[] = [];
  readonly #inputs = new ByteSink(1024);
  readonly #inputEnds: number[] = [];
  readonly #givenCounts: number[] = [];
  readonly #given: number[] = [];

  constructor(name: string, surveyed: SurveyedGenerator | null, input: SurveyInput) {
    const { settings, fieldOrder, resized, skipsFailures } = input;
    this.name = name;
    this.#surveyed = surveyed;
    this.#skipsFailures = skipsFailures;
    this.#isResized = resized.includes(name);
    const generator = surveyed?.generator;
    this.#fragments = (generator?.fragments ?? []).map((fragment) => new Fragment(fragment, AGAIN));
    this.#storedSources = this.#fragments.map((fragment) => surveyed!.stored.fragments.indexOf(fragment.name) + 1);
    this.#template =
      generator === undefined || this.#fragments.length > 0
        ? null
        : new DocumentTemplate(
            generator.template,
            generator.templateBytesMax,
            (field) => searchableWeight(settings, field) >= 0,
            fieldOrder,
          );
  }

  document(
    place: number,
    source: DocumentSource,
    entry: EntryPlace | undefined,
    incoming: Pick<IncomingVersions, "of">,
  ): void {
    const kind = entry === undefined ? "made" : entryKind(source.bytes, entry);
    if (kind === "kept") this.#list(place, FOR_GOOD);
    if (kind === "theirs" || kind === "kept" || this.#surveyed === null) return;
    const rendered = this.#render(source);
    if (rendered === null) return;
    if (kind === "given" && !this.#isResized) {
      const { vectors } = readVectors(JSON.parse(entryText(source.bytes, entry!)) as Json, this.#rule(), source.id);
      this.#givenCounts.push(vectors.length);
      for (const vector of vectors) for (let i = 0; i < vector.length; i++) this.#given.push(vector[i]!);
      for (const { source, hash } of rendered) this.#entry((source | GIVEN) >>> 0, hash, false);
      this.#list(place, AS_GIVEN);
      return;
    }
    const isAsked = entry !== undefined && asksForVectors(incoming.of(place), this.name);
    this.#listMade(place, rendered, isAsked ? { ...this.#surveyed, renewal: "all" } : this.#surveyed);
  }

  #rule() {
    return { name: this.name, dimensions: this.#surveyed!.generator.dimensions, quantized: false, userProvided: false };
  }

  #listMade(place: number, rendered: readonly Rendered[], { renewal, stored }: SurveyedGenerator): void {
    const from = renewal === "all" ? 0 : stored.starts[place]!;
    const to = renewal === "all" ? 0 : stored.starts[place + 1]!;
    const isSame =
      to - from === rendered.length &&
      rendered.length > 0 &&
      rendered.every((each, i) => this.#matches(each, from + i, (stored.sources[from + i]! & ~GIVEN) >>> 0));
    if (isSame) {
      for (const [i, { source, hash }] of rendered.entries()) {
        this.#entry((source | (stored.sources[from + i]! & GIVEN)) >>> 0, hash, false);
      }
      this.#list(place, AS_STORED);
      return;
    }
    for (const each of rendered) {
      const known = this.#findStored(each, from, to);
      this.#entry(each.source, each.hash, !known);
      if (known) continue;
      this.#inputs.utf8(each.text);
      this.#inputEnds.push(this.#inputs.length);
    }
    this.#list(place, BY_ENTRIES);
  }

  #matches(rendered: Rendered, entry: number, storedSource: number): boolean {
    const { stored } = this.#surveyed!;
    return (
      storedSource === this.#storedSource(rendered.source) &&
      stored.hashes[2 * entry] === rendered.hash.readUInt32LE(0) &&
      stored.hashes[2 * entry + 1] === rendered.hash.readUInt32LE(4)
    );
  }

  /** -1 for a fragment that the stored version knew nothing of. */
  #storedSource(source: number): number {
    if (source === TEMPLATE_SOURCE) return TEMPLATE_SOURCE;
    return this.#storedSources[source - 1]! || -1;
  }

  /** Vectors of clients stand for no entry in particular, so they are never found. */
  #findStored(rendered: Rendered, from: number, to: number): boolean {
    for (let entry = from; entry < to; entry++) {
      if (this.#matches(rendered, entry, this.#surveyed!.stored.sources[entry]!)) return true;
    }
    return false;
  }

  /** Null when there is nothing to say about the document. */
  #render(source: DocumentSource): Rendered[] | null {
    try {
      if (this.#template !== null) {
        const text = this.#template.render(source.fields);
        return [{ source: TEMPLATE_SOURCE, text, hash: hash("sha1", text, "buffer") }];
      }
      const scope = { doc: source.fields };
      return this.#fragments.flatMap((fragment, i) => {
        const value = fragment.render(scope);
        if (value === undefined) return [];
        const text = JSON.stringify(value);
        return [{ source: i + 1, text, hash: hash("sha1", text, "buffer") }];
      });
    } catch (problem) {
      if (this.#skipsFailures) return null;
      throw refusal(problem, this.name, source.id);
    }
  }

  #entry(source: number, hash: Buffer, isFresh: boolean): void {
    this.#sources.push(source);
    this.#hashes.push(hash.readUInt32LE(0), hash.readUInt32LE(4));
    this.#fresh.push(isFresh ? 1 : 0);
  }

  #list(place: number, way: number): void {
    this.#documents.push(place);
    this.#ways.push(way);
    this.#entryStarts.push(this.#sources.length);
  }

  survey(): Survey {
    return {
      embedder: this.name,
      fragments: this.#fragments.map(({ name }) => name),
      documents: Uint32Array.from(this.#documents),
      ways: Uint8Array.from(this.#ways),
      entryStarts: Uint32Array.from(this.#entryStarts),
      sources: Uint32Array.from(this.#sources),
      hashes: Uint32Array.from(this.#hashes),
      fresh: Uint8Array.from(this.#fresh),
      inputs: this.#inputs.view().slice(),
      inputEnds: Uint32Array.from(this.#inputEnds),
      givenCounts: Uint32Array.from(this.#givenCounts),
      given: Float32Array.from(this.#given),
    };
  }
}

/** Whether what came for a document asks for vectors anew, even of a text that has them: `{"regenerate": true}`. */
function asksForVectors(versions: Iterable<Uint8Array>, embedder: string): boolean {
  for (const version of versions) {
    const entry = vectorEntries(version)?.get(embedder);
    if (entry !== undefined) return entryKind(version, entry) === "made";
  }
  return false;
}

function refusal(problem: unknown, embedder: string, id: string): unknown {
  if (problem instanceof MissingVariable) {
    return apiError(
      "invalid_document_fields",
      `The document \`${id}\` cannot be embedded with embedder \`${embedder}\`: its template names \`${problem.variable}\`, which the document does not have.`,
    );
  }
  if (problem instanceof TemplateFailure) {
    return apiError(
      "invalid_settings_embedders",
      `The template of embedder \`${embedder}\` cannot be rendered for the document \`${id}\`: ${problem.message}`,
    );
  }
  return problem;
}
