// Japanese and Korean words, from a morphological analyser with its dictionaries. The analyser is large and optional: it is
// loaded when such text first appears, and where it is not installed the engine's own segmentation has to do.
import { createRequire } from "node:module";
import { lazily } from "./data-files.ts";
import type { Segmenter } from "./segmenter.ts";

/** The part of the package `lindera-wasm-nodejs-cjk` that is used here. */
interface Analysers {
  TokenizerBuilder: new () => {
    setDictionary(uri: string): void;
    setMode(mode: string): void;
    setKeepWhitespace(keep: boolean): void;
    build(): Analyser;
  };
}

interface Analyser {
  tokenize(text: string): { surface: string }[];
}

/** The words of a text, in order; what they leave out belongs to no word. */
type FindWords = (text: string) => string[];

const japanese = lazily(() => analyser("embedded://ipadic") ?? fallback("ja"));
const korean = lazily(() => analyser("embedded://ko-dic") ?? fallback("ko"));

export const segmentJapanese: Segmenter = (text, start, end, cuts) => cutAt(japanese(), text, start, end, cuts);
export const segmentKorean: Segmenter = (text, start, end, cuts) => cutAt(korean(), text, start, end, cuts);

/** Null when the package is not installed or does not run here. */
function analyser(dictionary: string): FindWords | null {
  try {
    const { TokenizerBuilder } = createRequire(import.meta.url)("lindera-wasm-nodejs-cjk") as Analysers;
    const builder = new TokenizerBuilder();
    builder.setDictionary(dictionary);
    builder.setMode("decompose");
    builder.setKeepWhitespace(true);
    const built = builder.build();
    return (text) => wordsOf(built, text);
  } catch {
    return null;
  }
}

/** A text the analyser cannot digest stays one word rather than failing its document. */
function wordsOf(analyser: Analyser, text: string): string[] {
  try {
    return analyser.tokenize(text).map((token) => token.surface);
  } catch {
    return [text];
  }
}

function fallback(locale: string): FindWords {
  const segmenter = new Intl.Segmenter(locale, { granularity: "word" });
  return (text) => Array.from(segmenter.segment(text), (part) => part.segment);
}

function cutAt(findWords: FindWords, text: string, start: number, end: number, cuts: number[]): void {
  const piece = text.slice(start, end);
  let at = 0;
  for (const word of findWords(piece)) {
    const from = piece.startsWith(word, at) ? at : piece.indexOf(word, at);
    if (from < 0 || word === "") continue;
    if (from > at) cuts.push(start + from);
    at = from + word.length;
    cuts.push(start + at);
  }
  if (start + at < end) cuts.push(end);
}
