/** Spelling variants of Chinese characters (simplified, old, wrong …) and the character each is indexed as. */
import { lazily, readLines } from "./data-files.ts";

const variants = lazily((): ReadonlyMap<string, string> => {
  const [sources, targets] = readLines("variants");
  const canonical = [...targets!];
  return new Map([...sources!].map((source, place) => [source, canonical[place]!]));
});

/** One step only: the result may itself be a variant of something. */
export function chineseVariant(character: string): string {
  return character < "\u2e80" ? character : (variants().get(character) ?? character);
}
