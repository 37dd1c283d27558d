/**
 * The words of the filter language: blanks, keywords, names and values, floats. A scanner walks one filter text and
 * either reads what is asked for, answers that it is not there (null, position unchanged), or throws when the text
 * can mean nothing else. It knows no grammar.
 */
import { unescapeValue } from "./escapes.ts";
import { FilterSyntaxError, quoteExtract, type SyntaxKind, type Token } from "./filter.ts";
import { TEXT_OPERATOR_KINDS, TEXT_OPERATORS } from "./text-operators.ts";

const RESERVED = new Set([
  "AND",
  "OR",
  "IN",
  "NOT",
  "TO",
  "EXISTS",
  "IS",
  "NULL",
  "EMPTY",
  ...TEXT_OPERATOR_KINDS.flatMap((kind) => TEXT_OPERATORS[kind].words.split(" ")),
  "_geoRadius",
  "_geoBoundingBox",
]);

const WORD = /[\p{Alphabetic}\p{N}_.-]+/uy;
const NAME = /[\p{Alphabetic}\p{N}_-]+/uy;
const ANY_BLANKS = /[\s\u0085]*/y;
const FLOAT = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
/** Everything up to what could be syntax: the extract shown when no value is found. */
const NO_SYNTAX = /[^\s()=<>!]*/y;

const SPACE = 0x20;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

function isBlank(unit: number): boolean {
  return unit === SPACE || unit === LINE_FEED || unit === TAB || unit === CARRIAGE_RETURN;
}

export class Scanner {
  readonly source: string;
  at = 0;

  constructor(source: string) {
    this.source = source;
  }

  #match(pattern: RegExp, from = this.at): string {
    pattern.lastIndex = from;
    return pattern.exec(this.source)?.[0] ?? "";
  }

  atEnd(): boolean {
    return this.at === this.source.length;
  }

  token(start: number, end: number, text = this.source.slice(start, end)): Token {
    return { text, source: this.source, start, end };
  }

  /** From here (or `start`) to the end of the text. */
  fail(kind: SyntaxKind, diagnostic: string, start = this.at): FilterSyntaxError {
    return new FilterSyntaxError(kind, diagnostic, this.token(start, this.source.length));
  }

  /** Shown in diagnostics: what is left. */
  rest(start = this.at): string {
    return start === this.source.length ? "nothing" : quoteExtract(this.source.slice(start));
  }

  skipBlanks(): number {
    const start = this.at;
    while (isBlank(this.source.charCodeAt(this.at))) this.at++;
    return this.at - start;
  }

  /** These very characters, whatever follows. */
  tag(text: string): boolean {
    if (!this.source.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  /** Several tags with at least one blank between them, all or nothing. */
  tags(...texts: string[]): boolean {
    const start = this.at;
    for (let i = 0; i < texts.length; i++) {
      if ((i > 0 && this.skipBlanks() === 0) || !this.tag(texts[i]!)) {
        this.at = start;
        return false;
      }
    }
    return true;
  }

  /** The keyword as a whole word, with the blanks before it when `leading`. */
  keyword(text: string, leading = true): boolean {
    const start = this.at;
    if (leading) this.skipBlanks();
    // Hardly any place where a keyword may stand has one, and a pattern takes longer to say so.
    if (this.source.startsWith(text, this.at) && this.#match(WORD) === text) {
      this.at += text.length;
      return true;
    }
    this.at = start;
    return false;
  }

  /** A number with the blanks around it. */
  float(): Token | null {
    const start = this.at;
    this.skipBlanks();
    const text = this.#match(FLOAT);
    if (text === "") {
      this.at = start;
      return null;
    }
    const token = this.token(this.at, this.at + text.length);
    this.at = token.end;
    this.skipBlanks();
    return token;
  }

  /** Where a value would begin: blanks of every kind are skipped before one. */
  #valueStart(): number {
    return this.at + this.#match(ANY_BLANKS).length;
  }

  /** A name or value with the blanks around it; null when there is none or it is a reserved word. */
  value(): Token | null {
    const start = this.#valueStart();
    this.#refuseGeoCall(start);
    const quote = this.source[start];
    let token: Token;
    if (quote === "'" || quote === '"') {
      token = this.quoted(start, "MissingClosingDelimiter");
      this.at = token.end + 1;
    } else {
      const word = this.#match(WORD, start);
      if (word === "" || RESERVED.has(word)) return null;
      token = this.token(start, start + word.length);
      this.at = token.end;
    }
    this.skipBlanks();
    return token;
  }

  /** A value where nothing else may stand. */
  expectValue(): Token {
    const found = this.value();
    if (found !== null) return found;
    throw this.noValue();
  }

  /** Why there is no value here. */
  noValue(): FilterSyntaxError {
    const start = this.#valueStart();
    const extract = this.token(start, start + this.#match(NO_SYNTAX, start).length);
    if (this.#isReservedAt(start)) {
      return new FilterSyntaxError(
        "ExpectedValueReserved",
        `A value was expected, but ${quoteExtract(extract.text)} is a reserved keyword: put it between quotes to use it as a name or a value.`,
        extract,
      );
    }
    const found =
      start === this.source.length
        ? "nothing"
        : quoteExtract(this.source.slice(start, extract.end) || this.source[start]!);
    return new FilterSyntaxError("ExpectedValue", `A value was expected, but ${found} was found.`, extract);
  }

  /** True when the next word may not be a bare value. */
  reservedAhead(): boolean {
    return this.#isReservedAt(this.#valueStart());
  }

  #isReservedAt(start: number): boolean {
    return RESERVED.has(this.#match(WORD, start));
  }

  /** At a quote: the text up to its twin, unescaped; `start..end` of the token lies inside the quotes. */
  quoted(start: number, kind: "MissingClosingDelimiter" | "VectorFilterInvalidQuotes"): Token {
    const { source } = this;
    const quote = source[start]!;
    let end = start + 1;
    while (end < source.length && source[end] !== quote) {
      if (source[end] === "\\" && ++end === source.length) {
        throw this.fail("MalformedValue", `The value ${this.rest(start + 1)} ends inside an escape.`, start + 1);
      }
      end++;
    }
    if (end >= source.length) {
      throw this.fail(kind, `The quote opened in ${this.rest(start)} is never closed: add ${quote} to its end.`, start);
    }
    const inside = this.token(start + 1, end);
    const unescaped = unescapeValue(inside.text.replaceAll(`\\${quote}`, quote));
    if ("text" in unescaped) return { ...inside, text: unescaped.text };
    const shown = quoteExtract(inside.text);
    const reason = {
      MalformedValue: `The value ${shown} holds an unknown escape sequence.`,
      InvalidEscapedNumber: `The value ${shown} holds an escape sequence whose number is invalid.`,
      Incomplete: `The value ${shown} ends inside an escape sequence.`,
    }[unescaped.problem];
    throw new FilterSyntaxError(unescaped.problem, reason, inside);
  }

  /** A part of a `_vectors` path: quoted, or a word without dots. */
  pathName(): Token | null {
    const quote = this.source[this.at];
    if (quote === "'" || quote === '"') {
      const token = this.quoted(this.at, "VectorFilterInvalidQuotes");
      this.at = token.end + 1;
      return token;
    }
    const name = this.#match(NAME);
    if (name === "") return null;
    const token = this.token(this.at, this.at + name.length);
    this.at = token.end;
    return token;
  }

  /** Geo calls are conditions of their own, or belong to sorting: none is ever a name or a value. */
  #refuseGeoCall(start: number): void {
    if (!this.source.startsWith("_geo", start)) return;
    const word = this.#match(WORD, start);
    const reserved = word === "_geo" ? word : ["_geoPoint", "_geoDistance"].find((name) => word.startsWith(name));
    if (reserved !== undefined) {
      throw this.fail(
        "ReservedGeo",
        `\`${reserved}\` is reserved and cannot be used in a filter. Use \`_geoRadius(latitude, longitude, distance)\` or \`_geoBoundingBox([latitude, longitude], [latitude, longitude])\` to filter by coordinates.`,
        start,
      );
    }
    if (word === "_geoRadius" || word === "_geoBoundingBox") {
      throw this.fail(
        word === "_geoRadius" ? "MisusedGeoRadius" : "MisusedGeoBoundingBox",
        `\`${word}\` is a condition of its own and cannot be used as a name or a value.`,
        start,
      );
    }
  }
}
