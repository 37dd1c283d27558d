/**
 * The tokenizer behind the compiled walk: lays out the tables by which that reads most scripts, answers what they leave
 * open, and reads itself what needs a segmenter.
 */
import {
  CHARACTER_BYTES,
  CHARACTER_ODD,
  CHARACTER_TABLES,
  CHARACTER_TEXT_MAX,
  CHARACTERS_END,
  DISTANCE_GAP_MASK,
  DISTANCE_STARTED,
  type ExtractKernels,
  PIECE_EMPTY,
  PIECE_HARD,
  PIECE_SKIPPED,
  PIECE_SOFT,
  PIECE_WORD,
  SCRIPT_UNDECIDED,
  SCRIPTS_MAX,
} from "../../../base/kernels/extract/kernels.ts";
import { NO_LANGUAGE } from "../../../base/text/languages.ts";
import type { Lemma } from "../../../base/text/lemmas.ts";
import { type ScriptTables, TABLED_SCRIPTS, unitScripts } from "../../../base/text/script-tables.ts";
import type { Gap, TokenizerOptions, WordSink } from "../../../base/text/token.ts";
import { createTokenizer, type Tokenizer } from "../../../base/text/tokenizer.ts";
import { decodeWord } from "../../../base/text/utf8.ts";
import type { ExtractionRules } from "../rules.ts";
import type { Workshop } from "./workshop.ts";

/** The tokenizer whose tables lie in each workshop, and its options. */
const laid = new WeakMap<Workshop, { key: string; tokenizer: Tokenizer }>();

export class HostWords {
  readonly #shop: Workshop;
  readonly #kernels: ExtractKernels;
  readonly #tokenizer: Tokenizer;
  readonly #tables: ScriptTables;
  readonly #scratch: number;

  /** To be made after `open`. */
  constructor(shop: Workshop, tokenizer: Tokenizer) {
    this.#shop = shop;
    this.#kernels = shop.kernels;
    this.#tokenizer = tokenizer;
    this.#tables = tokenizer.tables;
    this.#scratch = shop.kernels.addressOfScratch();
    for (const word of this.#tables.stopWords.spellings()) {
      const at = shop.kernels.allocate(word.length + CHARACTER_BYTES);
      shop.bytes.set(word, at);
      shop.kernels.addStopWord(at, word.length);
    }
  }

  character(codePoint: number, script: number, place: number): void {
    const { bytes } = this.#shop;
    const text = this.#tables.characterText(codePoint, script);
    if (text === null || Buffer.byteLength(text) > CHARACTER_TEXT_MAX) bytes[place] = CHARACTER_ODD;
    else bytes[place] = bytes.write(text, place + 1) + 1;
  }

  lemma(start: number, length: number, script: number, language: number): number {
    const lemma = this.#tables.lemma(decodeWord(this.#shop.bytes, start, start + length), script, language);
    const kind = pieceKind(lemma);
    return kind === PIECE_WORD ? kind | (this.#shop.bytes.write(lemma.indexed!, this.#scratch) << 8) : kind;
  }

  /** The words of a text of any script. */
  read(start: number, length: number, locales: string[] | null): void {
    this.#tokenizer.words(this.#shop.bytes.toString("utf8", start, start + length), locales, this.#sink);
  }

  /** The words of one run; `state` is the distance of its first word, and what it returns that of the first word behind it. */
  readRun(start: number, length: number, locales: string[] | null, script: number, state: number): number {
    const text = this.#shop.bytes.toString("utf8", start, start + length);
    const before = { gap: (state & DISTANCE_GAP_MASK) as Gap, started: (state & DISTANCE_STARTED) !== 0 };
    const { gap, started } = this.#tokenizer.run(text, script, locales, this.#sink, before);
    return gap | (started ? DISTANCE_STARTED : 0);
  }

  readonly #sink: WordSink = {
    word: (lemma: string, gap: Gap): void => {
      this.#kernels.placeWord(this.#scratch, this.#shop.bytes.write(lemma, this.#scratch), gap);
    },
    skip: (gap: Gap): void => {
      this.#kernels.passWord(gap);
    },
  };
}

function pieceKind({ kind, lemma, indexed }: Lemma): number {
  if (kind === "soft") return PIECE_SOFT;
  if (kind === "hard") return PIECE_HARD;
  if (lemma.length === 0) return PIECE_EMPTY;
  return indexed === null ? PIECE_SKIPPED : PIECE_WORD;
}

/** Begins a build of so many rows in the workshop. */
export function openWords(shop: Workshop, rules: ExtractionRules, rows: number): HostWords {
  const tokenizer = layTables(shop, rules);
  const { asciiExact, wideExact } = tokenizer.tables;
  shop.kernels.open(rows, asciiExact, wideExact, NO_LANGUAGE);
  return new HostWords(shop, tokenizer);
}

/** Tables last until the options change: to lay them takes longer than to read a small document. */
function layTables(shop: Workshop, rules: ExtractionRules): Tokenizer {
  const { stopWords, separators, nonSeparators, dictionary } = rules;
  const options: TokenizerOptions = { stopWords, separators, nonSeparators, dictionary };
  const key = JSON.stringify(options);
  const before = laid.get(shop);
  if (before !== undefined && before.key === key) return before.tokenizer;
  const tokenizer = createTokenizer(options);
  const { bytes, kernels, words } = shop;
  const { tables } = tokenizer;
  bytes.set(tables.byteClasses(), kernels.addressOfByteClasses());
  bytes.set(tables.unitClasses(), kernels.addressOfUnitClasses());
  bytes.set(unitScripts(SCRIPT_UNDECIDED), kernels.addressOfUnitScripts());
  const scripts = kernels.addressOfScriptTables();
  bytes.fill(0, scripts, scripts + SCRIPTS_MAX);
  TABLED_SCRIPTS.forEach((script, table) => {
    bytes[scripts + script] = table + 1;
  });
  const characters = kernels.addressOfCharacters();
  bytes.fill(0, characters, characters + CHARACTER_TABLES * CHARACTERS_END * CHARACTER_BYTES);
  words.set(tables.stopWords.lengthBits(), kernels.addressOfStopLengths() / 4);
  laid.set(shop, { key, tokenizer });
  return tokenizer;
}
