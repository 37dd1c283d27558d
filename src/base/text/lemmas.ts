/**
 * Remembers what became of each piece of text, since words repeat: normalizing one costs far more than looking it up.
 */
import { NO_LANGUAGE } from "./languages.ts";
import { lossyForm, strictForm } from "./normalizers.ts";
import type { Patterns } from "./patterns.ts";
import { LATIN } from "./scripts.ts";
import { type TokenKind, WORD_BYTES_MAX } from "./token.ts";

/** A normalized piece. */
export interface Lemma {
  kind: TokenKind;
  lemma: string;
  /** What indexing keeps of it: trimmed, 1 to 250 bytes; null for anything else. */
  indexed: string | null;
  /** `indexed` in UTF-8, once someone asked for it. */
  utf8: Uint8Array | null;
}

/** Bounds the memory of one tokenizer; past it the memory starts afresh. */
const REMEMBERED_MAX = 50_000;
/** Longer pieces are not worth remembering: they hardly repeat. */
const REMEMBERED_UNITS_MAX = 64;

export class Lemmas {
  readonly #patterns: Patterns;
  /** One table for each pair of script and language. */
  readonly #tables = new Map<number, Map<string, Lemma>>();
  #remembered = 0;
  /** Of single ASCII characters, which are half of all tokens and the same in every run. */
  readonly #single: (Lemma | undefined)[] = new Array(128).fill(undefined);

  constructor(patterns: Patterns) {
    this.#patterns = patterns;
  }

  /** Lemma of `text.slice(start, end)`. */
  at(text: string, start: number, end: number, script: number, language: number): Lemma {
    const unit = text.charCodeAt(start);
    if (end - start > 1 || unit > 127) return this.of(text.slice(start, end), script, language);
    let lemma = this.#single[unit];
    if (lemma === undefined) {
      lemma = this.#normalize(String.fromCharCode(unit), LATIN, NO_LANGUAGE);
      this.#single[unit] = lemma;
    }
    return lemma;
  }

  of(piece: string, script: number, language: number): Lemma {
    const key = script * 16 + language;
    let table = this.#tables.get(key);
    const known = table?.get(piece);
    if (known !== undefined) return known;
    const own = detached(piece);
    const lemma = this.#normalize(own, script, language);
    if (piece.length > REMEMBERED_UNITS_MAX) return lemma;
    if (this.#remembered++ >= REMEMBERED_MAX) {
      this.#tables.clear();
      this.#remembered = 1;
      table = undefined;
    }
    if (table === undefined) {
      table = new Map();
      this.#tables.set(key, table);
    }
    table.set(own, lemma);
    return lemma;
  }

  #normalize(piece: string, script: number, language: number): Lemma {
    const strict = strictForm(piece, language);
    const kind = this.#patterns.classify(strict);
    const lemma = lossyForm(strict, script, language);
    return { kind, lemma, indexed: kind === "word" ? indexedForm(lemma) : null, utf8: null };
  }
}

/** A copy: the engine makes slices by reference, and a remembered slice would keep its whole text in memory. */
function detached(piece: string): string {
  return Buffer.from(piece, "utf16le").toString("utf16le");
}

function indexedForm(lemma: string): string | null {
  const trimmed = trimBlanks(lemma);
  return trimmed.length > 0 && Buffer.byteLength(trimmed) <= WORD_BYTES_MAX ? trimmed : null;
}

/** Trims Unicode white space. Unlike String.trim, U+0085 is white space and U+FEFF is not. */
export function trimBlanks(text: string): string {
  return text.replace(/^[\p{White_Space}]+|[\p{White_Space}]+$/gu, "");
}
