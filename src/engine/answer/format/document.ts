/**
 * Documents as `_formatted` shows them, and where their matches are. Walks stored bytes and copies whatever stays as it
 * is: only numbers, which become strings, and texts with matches or crops are written anew.
 */
import type { ByteSink } from "../../../base/json/bytes.ts";
import { ARRAY_END, ARRAY_START, JsonCursor, KEY, NUMBER, OBJECT_START, STRING } from "../../../base/json/cursor.ts";
import { TokenSpans } from "../../../base/text/spans.ts";
import type { Settings } from "../../../storage/settings/settings.ts";
import { writeJsonString } from "../json-writer.ts";
import type { FormattedAttribute } from "./attributes.ts";
import { findMatches, type Match } from "./matches.ts";
import type { QueryTerms } from "./terms.ts";
import { type Marks, type SourceText, writeFormattedText } from "./text.ts";
import { type FormatTokenizer, formatTokenizer } from "./tokenizer.ts";
import { cropWindow } from "./window.ts";

const QUOTE = 0x22;
const NO_MATCHES: readonly Match[] = [];

/** Attribute to the JSON list of its matches. */
export type MatchPositions = Map<string, string>;

export class DocumentFormatter {
  readonly #terms: QueryTerms;
  readonly #marks: Marks;
  readonly #words: FormatTokenizer;
  readonly #cursor = new JsonCursor();
  readonly #tokens = new TokenSpans();
  readonly #indices: number[] = [];
  readonly #source: SourceText = { text: "", bytes: null, start: 0 };
  readonly #decodeKey = (): string => this.#cursor.text();
  #document = new Uint8Array(0);
  #positions: MatchPositions | null = null;

  constructor(settings: Settings, terms: QueryTerms, marks: Marks) {
    this.#terms = terms;
    this.#marks = marks;
    this.#words = formatTokenizer(settings);
  }

  /** Appends the formatted document; adds to `positions`, unless null, where its matches are. */
  format(document: Uint8Array, root: FormattedAttribute, positions: MatchPositions | null, out: ByteSink): void {
    this.#document = document as Uint8Array<ArrayBuffer>;
    this.#positions = positions;
    this.#indices.length = 0;
    this.#cursor.reset(document, 0, document.length);
    this.#value(this.#cursor.next(), root, out);
  }

  /** Appends the inside of the one text `[start, end)`, a string or a number of a document. */
  formatText(document: Uint8Array, start: number, end: number, attribute: FormattedAttribute, out: ByteSink): void {
    this.#document = document as Uint8Array<ArrayBuffer>;
    this.#positions = null;
    const quotes = document[start - 1] === QUOTE ? 1 : 0;
    this.#cursor.reset(document, start - quotes, end + quotes);
    this.#cursor.next();
    this.#inside(attribute, out);
  }

  #value(token: number, attribute: FormattedAttribute, out: ByteSink): void {
    const cursor = this.#cursor;
    if (token === STRING || token === NUMBER) this.#leaf(attribute, out);
    else if (token === OBJECT_START) this.#object(attribute, out);
    else if (token === ARRAY_START) this.#array(attribute, out);
    else out.bytes(this.#document, cursor.start, cursor.end);
  }

  #object(attribute: FormattedAttribute, out: ByteSink): void {
    const cursor = this.#cursor;
    const document = this.#document;
    out.byte(0x7b);
    let first = true;
    while (cursor.next() === KEY) {
      if (!first) out.byte(0x2c);
      first = false;
      const { start, end } = cursor;
      const child = attribute.child(document, start, end, this.#decodeKey);
      out.bytes(document, start - 1, end + 1);
      out.byte(0x3a);
      this.#value(cursor.next(), child, out);
    }
    out.byte(0x7d);
  }

  #array(attribute: FormattedAttribute, out: ByteSink): void {
    const cursor = this.#cursor;
    const indices = this.#indices;
    out.byte(0x5b);
    let index = 0;
    for (let token = cursor.next(); token !== ARRAY_END; token = cursor.next()) {
      if (index > 0) out.byte(0x2c);
      indices.push(index++);
      this.#value(token, attribute, out);
      indices.pop();
    }
    out.byte(0x5d);
  }

  /** A string or a number: a string either way. */
  #leaf(attribute: FormattedAttribute, out: ByteSink): void {
    out.byte(QUOTE);
    this.#inside(attribute, out);
    out.byte(QUOTE);
  }

  #inside(attribute: FormattedAttribute, out: ByteSink): void {
    const cursor = this.#cursor;
    const terms = this.#terms;
    const { start, end } = cursor;
    const cropped = attribute.cropWords > 0;
    const matching = !terms.isEmpty && (attribute.highlight || cropped || this.#positions !== null);
    if (start < end && (matching || cropped)) this.#text(attribute, matching, out);
    else out.bytes(this.#document, start, end);
  }

  #text(attribute: FormattedAttribute, matching: boolean, out: ByteSink): void {
    const cursor = this.#cursor;
    const document = this.#document;
    const source = this.#source;
    const { start, end } = cursor;
    const text = cursor.text();
    // As long as the bytes and free of escapes, the text is ASCII: offsets are the same in both.
    const same = !cursor.escaped && text.length === end - start;
    const tokens = this.#tokens;
    this.#words.tokenizer.spans(text, attribute.locales, tokens, same);
    const matches = matching ? findMatches(text, tokens, this.#terms, this.#words.isStopWord) : NO_MATCHES;
    if (matches.length > 0 && this.#positions !== null) {
      this.#positions.set(attribute.name, this.#positionsOf(text, matches, same));
    }
    const marked = attribute.highlight ? matches : NO_MATCHES;
    if (marked.length === 0 && attribute.cropWords === 0) {
      out.bytes(document, start, end);
      return;
    }
    const window =
      attribute.cropWords === 0
        ? { start: 0, end: text.length }
        : cropWindow(text, tokens, matches, attribute.cropWords);
    source.text = text;
    source.bytes = same ? document : null;
    source.start = start;
    writeFormattedText(out, source, marked, window, this.#marks);
  }

  /** In bytes of the text, with the places in the arrays around it. */
  #positionsOf(text: string, matches: readonly Match[], ascii: boolean): string {
    const inside = this.#indices.length === 0 ? "" : `,"indices":[${this.#indices.join(",")}]`;
    let json = "[";
    let at = 0;
    let bytes = 0;
    for (const match of matches) {
      const from = match.start;
      const to = from + match.units;
      bytes += ascii ? from - at : Buffer.byteLength(text.slice(at, from));
      const length = ascii ? match.units : Buffer.byteLength(text.slice(from, to));
      json += `${json === "[" ? "" : ","}{"start":${bytes},"length":${length}${inside}}`;
      bytes += length;
      at = to;
    }
    return `${json}]`;
  }
}

/** Appends `{"attribute":[{"start":…,"length":…}],…}`, attributes by name. */
export function writePositions(positions: MatchPositions, out: ByteSink): void {
  let separator = 0x7b;
  for (const name of [...positions.keys()].sort()) {
    out.byte(separator);
    writeJsonString(out, name);
    out.byte(0x3a);
    out.ascii(positions.get(name)!);
    separator = 0x2c;
  }
  if (positions.size === 0) out.byte(0x7b);
  out.byte(0x7d);
}
