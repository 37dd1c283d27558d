/** Documents to vocabulary, postings and values of columns in one pass. The calls of one build, in order: see `kernels.ts`. */

import { openLaying } from "../../documents/assembly/lay";
import { openNames } from "../../documents/assembly/names";
import { freeFrom, mark } from "../../shared/assembly/region";
import { useSeed } from "../../shared/assembly/table";
import { openEncoder } from "./encode";
import { openFields } from "./fields";
import { openPacking } from "./pack";
import { orderOccurrences } from "./pairs";
import { openRuns } from "./runs";
import { openSets } from "./sets";
import {
  byteClasses,
  characters,
  layTextTables,
  openText,
  scratch,
  scriptTables,
  stopLengths,
  unitClasses,
  unitScripts,
} from "./text";
import { openWalk } from "./walk";
import { openWords } from "./words";

/** Where what lasts from build to build ends. */
let lasting: usize = 0;

/** Once for each memory, of which everything from `start` on is free. */
export function prepare(start: usize, seedLow: u32, seedHigh: u32): void {
  freeFrom(start);
  useSeed(seedLow, seedHigh);
  layTextTables();
  lasting = mark();
}

/** Forgets the build before. */
export function open(rows: u32, asciiExact: bool, wideExact: bool, plainLanguage: u32): void {
  freeFrom(lasting);
  openText(plainLanguage);
  openRuns(asciiExact, wideExact, plainLanguage);
  openFields();
  openWords();
  openWalk(rows);
  openNames();
  openLaying();
  openPacking();
}

/** All documents have been walked; `fieldIds` gives the final numbers of `fields` fields with words. */
export function close(rows: u32, fieldIds: usize, fields: u32): void {
  orderOccurrences(rows, fieldIds);
  openSets(fields);
  openEncoder(rows);
}

/** For the host, whose own ways to copy inside of memory that can be shared are slow. */
export function copy(to: usize, from: usize, length: usize): void {
  memory.copy(to, from, length);
}

export function addressOfByteClasses(): usize {
  return byteClasses;
}

export function addressOfUnitClasses(): usize {
  return unitClasses;
}

export function addressOfUnitScripts(): usize {
  return unitScripts;
}

export function addressOfScriptTables(): usize {
  return scriptTables;
}

export function addressOfCharacters(): usize {
  return characters;
}

export function addressOfStopLengths(): usize {
  return stopLengths;
}

export function addressOfScratch(): usize {
  return scratch;
}

export { allocate } from "../../shared/assembly/region";
export { columnCodes, orderColumn } from "./column-order";
export { addNumber, columnList, countNumbers, newColumn } from "./columns";
export { commonPrefixes } from "./common-prefixes";
export { encodeTerms } from "./encode";
export { fieldId, lengthsOf, newField, newNode } from "./fields";
export { forwardList, narrowWords } from "./forward";
export { idNumbers, numberValues, orderNumbers } from "./numbers";
export { arePacked, renumberNames } from "./pack";
export { countPrefixes, followerPairs, prefixFilter } from "./prefixes";
export { setsList } from "./sets";
export { blockOffsets, countTerms, takeOutputs } from "./term-writer";
export { addStopWord } from "./text";
export { fieldSetsOfRows, takeDocuments, walkDocuments } from "./walk";
export { passWord, placeWord } from "./words";
