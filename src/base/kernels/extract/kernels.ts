/**
 * Documents to vocabulary, postings, word counts and values of columns: functions over a memory that belongs to one
 * thread. Unlike other kernels they keep what they gather, from `open` to the next `open`, and take their own room, which
 * may make the memory grow: views of it are of no use after a call.
 *
 * A build is: `open`; fields, nodes and columns as the host learns of them; `walkDocuments` over all rows in order; `close`
 * with the final numbers of the fields; then `encodeTerms` and `takeOutputs` until there is nothing left, and the rest.
 * What is called a list is asked for twice: with `out` 0 for its length, then with room for it.
 */
import { kernelsOver } from "../load.ts";
import { MODULE } from "./generated/module.ts";

/** Bytes that must be there behind everything that is read: strings are read sixteen bytes at a time. */
export const BEHIND_BYTES = 16;

/** Kinds of nodes. */
export const NODE_READ = 0;
export const NODE_UNWANTED = 1;
export const NODE_GEO = 2;
export const NODE_GEOJSON = 3;
export const NODE_VECTORS = 4;

/** What becomes of a piece of text. A word is written to the scratch, its length returned above the lowest eight bits. */
export const PIECE_SOFT = 0;
export const PIECE_HARD = 1;
export const PIECE_EMPTY = 2;
export const PIECE_SKIPPED = 3;
export const PIECE_WORD = 4;

/** In the table of scripts: a value that has it is the host's to read. */
export const SCRIPT_UNDECIDED = 255;
export const SCRIPTS_MAX = 32;
/** A distance in one number: the gap in the lowest bits, and whether a word has come. */
export const DISTANCE_STARTED = 16;
export const DISTANCE_GAP_MASK = 15;
/** In the table of characters, eight bytes each: the host decides; else length + 1, then the UTF-8 bytes. */
export const CHARACTER_ODD = 255;
export const CHARACTER_BYTES = 8;
export const CHARACTER_TEXT_MAX = 7;
/** Characters from here on are not in it. */
export const CHARACTERS_END = 0x2c00;
/** How many such tables there are, one behind the other. */
export const CHARACTER_TABLES = 5;

/** Lists of a column: rows that have it, with null, with an empty value; then pairs of row and value. */
export const COLUMN_PRESENT = 0;
export const COLUMN_NULLS = 1;
export const COLUMN_EMPTIES = 2;
export const COLUMN_VALUES = 3;

/** What the kernels ask of the thread they run in; see `assembly/host.ts`. */
export interface ExtractHost {
  child(node: number, key: number, length: number): number;
  apart(kind: number, row: number, start: number, length: number): void;
  words(field: number, start: number, length: number, isPlain: number): void;
  run(field: number, start: number, length: number, script: number, state: number): number;
  lemma(start: number, length: number, script: number, language: number): number;
  facet(start: number, length: number): number;
  character(codePoint: number, script: number, place: number): void;
  fieldSet(fields: number, count: number): number;
  tooManyFields(): void;
  /** The rank of a name at the top of documents, as JSON spells it; NAME_UNREADABLE leaves the document to the host. */
  nameOf(start: number, length: number): number;
}

export interface ExtractKernels {
  /** Once for each memory, of which everything from `start` on is free. The seed is that of the hash tables. */
  prepare(start: number, seedLow: number, seedHigh: number): void;
  /** Forgets the build before. `asciiExact`, `wideExact`: whether characters alone decide what they do. */
  open(rows: number, asciiExact: boolean, wideExact: boolean, plainLanguage: number): void;
  allocate(bytes: number): number;
  copy(to: number, from: number, length: number): void;
  addressOfByteClasses(): number;
  addressOfUnitClasses(): number;
  addressOfUnitScripts(): number;
  /** By script, the number of its table of characters plus one; 0 for a script that the host reads. */
  addressOfScriptTables(): number;
  addressOfCharacters(): number;
  addressOfStopLengths(): number;
  addressOfScratch(): number;
  addStopWord(bytes: number, length: number): void;
  /** `elsewhere`: its texts are read by the host. `column`: 0 for none. */
  newField(searchable: boolean, elsewhere: boolean, language: number, column: number): number;
  newNode(field: number, kind: number, topFieldNumber: number): number;
  newColumn(): number;
  /**
   * Documents are `bytes + offsets[i]` up to `bytes + offsets[i + 1]`; addresses go round. They are written to `packed` as they
   * are stored, and where each ends there, counted on from `packedBefore`, to `packedEnds`; of no use unless `arePacked`.
   */
  walkDocuments(
    root: number,
    bytes: number,
    offsets: number,
    count: number,
    firstRow: number,
    packed: number,
    packedEnds: number,
    packedBefore: number,
  ): void;
  /**
   * The same for documents as they came, `base + ranges[2 i]` up to `base + ranges[2 i + 1]`. `room` is that of the largest of
   * them. Returns how many were walked: it stops at one that the host has to bring into its stored form.
   */
  takeDocuments(
    root: number,
    base: number,
    ranges: number,
    count: number,
    firstRow: number,
    room: number,
    packed: number,
    packedEnds: number,
    packedBefore: number,
  ): number;
  /** Whether all documents walked so far could be packed. */
  arePacked(): number;
  /** Gives names in the packed documents `[from, end)` other numbers: `numbers[old]`, a byte each. */
  renumberNames(from: number, end: number, numbers: number): void;
  /** A word of the value that the host reads, `gap` behind the one before. */
  placeWord(bytes: number, length: number, gap: number): void;
  passWord(gap: number): void;
  /** The number of a field, by first word; -1 when it has no words. */
  fieldId(field: number): number;
  /** (row << 5 | number of words), for rows with at most thirty. */
  lengthsOf(field: number, out: number): number;
  fieldSetsOfRows(): number;
  columnList(column: number, which: number, out: number): number;
  /** The number spelled `[spelled, spelled + length)` as a value of a row; rows come in order. */
  addNumber(column: number, row: number, spelled: number, length: number): void;
  /** How many spellings of numbers a column has. */
  countNumbers(column: number): number;
  /** Writes their values as doubles; returns how many are left to the host: an `OddNumber` of each goes to `odd`. */
  numberValues(column: number, values: number, odd: number): number;
  /** Sorts values and leaves each once; writes the place of each plus one, and returns how many differ. */
  orderNumbers(values: number, count: number, codes: number): number;
  /** Ids from `bytes + offsets[i]` on as numbers; 0 when one is not the decimal text of one below 2^32. */
  idNumbers(bytes: number, offsets: number, count: number, out: number): number;
  /** Normalizes and sorts the texts of a column; returns the address of a `ColumnOrder`. */
  orderColumn(column: number): number;
  /**
   * Writes the number of codes of each row that has values, and the codes; returns how many there are. `numberCodes`: those
   * of numbers, by spelling. `firstText`: the code of the first text.
   */
  columnCodes(
    column: number,
    order: number,
    numberCodes: number,
    firstText: number,
    counts: number,
    codes: number,
  ): number;
  /** `fieldIds`: 16 bits for each field with words, by its number. */
  close(rows: number, fieldIds: number, fields: number): void;
  /** Writes terms until an output is full; 0 when all are written. */
  encodeTerms(): number;
  /** Address and length of what text, entries, postings and positions hold; they are empty afterwards. */
  takeOutputs(out: number): void;
  countTerms(): number;
  blockOffsets(out: number): number;
  /** How many beginnings, of one to eight letters, terms have. */
  countPrefixes(): number;
  /** Writes a filter of that, so many lines of 64 bytes. */
  prefixFilter(out: number, lines: number): void;
  /** Letters, and one that follows each of them in what terms begin with. */
  followerPairs(out: number): number;
  /** Addresses of a `CommonPrefix` of every prefix that many places of words begin with. */
  commonPrefixes(out: number): number;
  /** The words of all rows in their order, or where those of each row begin; nothing when there are too many terms. */
  forwardList(words: boolean, out: number): number;
  /** Those words in three bytes each. */
  narrowWords(out: number): void;
  /** Members of all sets of fields, or where each set begins. */
  setsList(members: boolean, out: number): number;
}

export function extractKernels(memory: WebAssembly.Memory, host: ExtractHost): ExtractKernels {
  return kernelsOver<ExtractKernels>(MODULE, memory, { host: { ...host } }, "well");
}
