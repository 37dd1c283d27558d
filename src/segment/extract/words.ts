/**
 * The tokenizer behind the compiled walk: lays out the tables by which that reads Latin texts, answers what they leave
 * open, and reads the texts of all other scripts itself.
 */
import {
  CHARACTER_BYTES,
  CHARACTER_ODD,
  CHARACTER_TEXT_MAX,
  CHARACTERS_END,
  type ExtractKernels,
  PIECE_EMPTY,
  PIECE_HARD,
  PIECE_SKIPPED,
  PIECE_SOFT,
  PIECE_WORD,
  UNIT_LATIN,
} from "../../kernels/extract/kernels.ts";
import { NO_LANGUAGE } from "../../text/languages.ts";
import type { LatinReading } from "../../text/latin.ts";
import type { Lemma } from "../../text/lemmas.ts";
import type { Gap, TokenizerOptions, WordSink } from "../../text/token.ts";
import { createTokenizer, type Tokenizer } from "../../text/tokenizer.ts";
import { decodeWord } from "../../text/utf8.ts";
import type { ExtractionRules } from "../rules.ts";
import type { Workshop } from "./workshop.ts";

/** The tokenizer whose tables lie in each workshop, and its options. */
const laid = new WeakMap<Workshop, { key: string; tokenizer: Tokenizer }>();

export class HostWords {
  private readonly shop: Workshop;
  private readonly kernels: ExtractKernels;
  private readonly tokenizer: Tokenizer;
  private readonly latin: LatinReading;
  private readonly scratch: number;

  /** To be made after `open`. */
  constructor(shop: Workshop, tokenizer: Tokenizer) {
    this.shop = shop;
    this.kernels = shop.kernels;
    this.tokenizer = tokenizer;
    this.latin = tokenizer.latin;
    this.scratch = shop.kernels.addressOfScratch();
    for (const word of this.latin.stopWords.spellings()) {
      const at = shop.kernels.allocate(word.length + CHARACTER_BYTES);
      shop.bytes.set(word, at);
      shop.kernels.addStopWord(at, word.length);
    }
  }

  character(codePoint: number): void {
    const { bytes } = this.shop;
    const at = this.kernels.addressOfCharacters() + codePoint * CHARACTER_BYTES;
    const text = this.latin.characterText(codePoint);
    if (text === null || Buffer.byteLength(text) > CHARACTER_TEXT_MAX) bytes[at] = CHARACTER_ODD;
    else bytes[at] = bytes.write(text, at + 1) + 1;
  }

  lemma(start: number, length: number, isLatin: boolean, language: number): number {
    const lemma = this.latin.lemma(decodeWord(this.shop.bytes, start, start + length), isLatin, language);
    const kind = pieceKind(lemma);
    return kind === PIECE_WORD ? kind | (this.shop.bytes.write(lemma.indexed!, this.scratch) << 8) : kind;
  }

  /** The words of a text of any script. */
  read(start: number, length: number, locales: string[] | null): void {
    this.tokenizer.words(this.shop.bytes.toString("utf8", start, start + length), locales, this.sink);
  }

  private readonly sink: WordSink = {
    word: (lemma: string, gap: Gap): void => {
      this.kernels.placeWord(this.scratch, this.shop.bytes.write(lemma, this.scratch), gap);
    },
    skip: (gap: Gap): void => {
      this.kernels.passWord(gap);
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
  const { asciiExact, wideExact } = tokenizer.latin;
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
  bytes.set(tokenizer.latin.byteClasses(), kernels.addressOfByteClasses());
  bytes.set(tokenizer.latin.unitClasses(UNIT_LATIN), kernels.addressOfUnitClasses());
  const characters = kernels.addressOfCharacters();
  bytes.fill(0, characters, characters + CHARACTERS_END * CHARACTER_BYTES);
  words.set(tokenizer.latin.stopWords.lengthBits(), kernels.addressOfStopLengths() / 4);
  laid.set(shop, { key, tokenizer });
  return tokenizer;
}
