/** Documents as `_formatted` shows them, over bytes: see `kernels.ts`. */
import { freeFrom, mark } from "../../shared/assembly/region";
import { useSeed } from "../../shared/assembly/table";
import { layAhead } from "./ahead";
import { layBeginnings } from "./beginnings";
import { layMarks } from "./marks";
import { layOutput, output } from "./output";
import { openTerms, seedTerms } from "./terms";
import { byteClasses, characters, layWords, unitClasses } from "./words";

/** From here on memory belongs to the query. */
let queryStart: usize = 0;

/** Once for each memory, of which everything from `start` on is free. */
export function prepare(start: usize, seedLow: u32, seedHigh: u32): void {
  freeFrom(start);
  useSeed(seedLow, seedHigh);
  seedTerms(seedLow);
  layWords();
  layAhead();
  layBeginnings();
  layMarks();
  layOutput();
  queryStart = mark();
}

/** Forgets the query before and its documents. */
export function openQuery(terms: u32): void {
  freeFrom(queryStart);
  openTerms(terms);
}

export function addressOfByteClasses(): usize {
  return byteClasses;
}

export function addressOfUnitClasses(): usize {
  return unitClasses;
}

export function addressOfCharacters(): usize {
  return characters;
}

export function addressOfOutput(): usize {
  return output;
}

export { allocate } from "../../shared/assembly/region";
export { formatDocument, newNode, setTags } from "./documents";
export { addPhrase, addPrefix, addWord } from "./terms";
export { noteEscapes } from "./words";
