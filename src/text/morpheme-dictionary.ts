// A dictionary of morphemes as MeCab compiles it: words with costs, the cost of one after another, and what to do with
// characters no word covers. Reads the parts it needs from the files of data packages into typed arrays, as they are;
// a file that is not exactly of this form is refused.
//
//   words       header | trie | entries | features      "sys.dic"; the features (parts of speech) are not read
//   unknowns    the same form, its words are the names of character categories ("unk.dic")
//   matrix      u16 right ids, u16 left ids, i16 cost[left id of the second][right id of the first]
//   characters  u32 categories, their names in 32 bytes each, u32 for each of 65,535 UTF-16 units:
//               18 bits set of categories, 8 main category, 4 length (not used), 1 group, 1 invoke
import { closeSync, openSync, readSync } from "node:fs";

/** One part of a dictionary: where it begins in which file. */
export interface FilePart {
  path: string;
  at: number;
}

export interface DictionaryFiles {
  words: FilePart;
  unknowns: FilePart;
  matrix: FilePart;
  characters: FilePart;
}

/** The category of what the table of characters does not tell about. */
export const DEFAULT_CATEGORY = 0;
/** Stands for "no category". */
export const NO_CATEGORY = 255;

/** The entries of a word are one number: the first of them, then how many there are in the low bits. */
export const ENTRIES_BITS = 8;
/**
 * The analyser whose words are expected of us counts entries in five of these bits. A word with 32 of them has none there:
 * 이, the only one, but a very frequent one (the Korean subject particle).
 */
export const ENTRIES_MASK = 0x1f;

const HEADER_BYTES = 72;
const MAGIC = 0xef718f77;
const VERSION = 102;
const NAME_BYTES = 32;
const CATEGORIES_MAX = 18;
const UNITS = 0x10000;
/** 16-bit numbers of one entry: left id, right id, (part of speech), cost, and eight bytes that only the features need. */
const ENTRY_UNITS = 8;

export class MorphemeDictionary {
  readonly words: Words;
  readonly unknowns: Words;
  /** Cost of a word with this right id before one with that left id, at left id * rightIds + right id. */
  readonly matrix: Int16Array;
  readonly rightIds: number;
  readonly characters: Characters;
  /** The entries in `unknowns` of each category. */
  readonly unknownOf: Int32Array;
  /** State of the trie of words after each UTF-16 unit as first character, -1 if no word begins so. */
  readonly stateAfter: Int32Array;

  constructor(files: DictionaryFiles) {
    this.words = new Words(files.words);
    this.unknowns = new Words(files.unknowns);
    const sizes = new Uint16Array(2);
    readPart(files.matrix, 0, sizes);
    const [rightIds, leftIds] = sizes;
    if (rightIds !== this.words.rightIds || leftIds !== this.words.leftIds) {
      throw new Error(`not the matrix of its dictionary: ${files.matrix.path}`);
    }
    this.rightIds = rightIds;
    this.matrix = new Int16Array(rightIds * leftIds);
    readPart(files.matrix, 4, this.matrix);
    this.characters = new Characters(files.characters);
    this.unknownOf = Int32Array.from(this.characters.names, (name) => wordFound(this.unknowns, name));
    this.stateAfter = new Int32Array(UNITS);
    for (let unit = 0; unit < UNITS; unit++) {
      this.stateAfter[unit] = isSurrogate(unit) ? -1 : this.words.stepCharacter(this.words.initial, unit);
    }
  }
}

/** A trie over UTF-8 bytes in a double array, and the entries of its words. */
export class Words {
  readonly initial: number;
  readonly leftIds: number;
  readonly rightIds: number;
  /** Pairs of base and check. */
  private readonly trie: Int32Array;
  private readonly entries: Uint16Array;
  private readonly costs: Int16Array;

  constructor(part: FilePart) {
    const header = new Uint32Array(HEADER_BYTES / 4);
    readPart(part, 0, header);
    const [magic, version, , words, rightIds, leftIds, trieBytes, entryBytes, featureBytes] = header;
    const bytes = HEADER_BYTES + trieBytes! + entryBytes! + featureBytes!;
    const isWhole = (magic! ^ MAGIC) >>> 0 === bytes && entryBytes === words! * ENTRY_UNITS * 2 && trieBytes! % 8 === 0;
    if (version !== VERSION || !isWhole) throw new Error(`not a compiled dictionary: ${part.path}`);
    this.leftIds = leftIds!;
    this.rightIds = rightIds!;
    this.trie = new Int32Array(trieBytes! / 4);
    readPart(part, HEADER_BYTES, this.trie);
    this.entries = new Uint16Array(entryBytes / 2);
    readPart(part, HEADER_BYTES + trieBytes!, this.entries);
    this.costs = new Int16Array(this.entries.buffer);
    this.initial = this.trie[0]!;
  }

  /** State one character further, or -1. A state is the base of its node. */
  stepCharacter(state: number, character: number): number {
    if (character < 0x80) return this.step(state, character);
    if (character < 0x800) return this.stepLast(this.step(state, 0xc0 | (character >> 6)), character);
    if (character < 0x10000) {
      const second = this.stepLast(this.step(state, 0xe0 | (character >> 12)), character >> 6);
      return this.stepLast(second, character);
    }
    const second = this.stepLast(this.step(state, 0xf0 | (character >> 18)), character >> 12);
    return this.stepLast(this.stepLast(second, character >> 6), character);
  }

  /** The entries of the word that ends in a state; 0 if none does. */
  found(state: number): number {
    const { trie } = this;
    return trie[state * 2 + 1] === state ? -1 - trie[state * 2]! : 0;
  }

  leftId(entry: number): number {
    return this.entries[entry * ENTRY_UNITS]!;
  }

  rightId(entry: number): number {
    return this.entries[entry * ENTRY_UNITS + 1]!;
  }

  cost(entry: number): number {
    return this.costs[entry * ENTRY_UNITS + 3]!;
  }

  private step(state: number, byte: number): number {
    const { trie } = this;
    const node = state + byte + 1;
    return trie[node * 2 + 1] === state ? trie[node * 2]! : -1;
  }

  /** One of the bytes after the first, from the low six bits. */
  private stepLast(state: number, bits: number): number {
    return state < 0 ? -1 : this.step(state, 0x80 | (bits & 0x3f));
  }
}

/** The categories of characters. Those beyond 16 bits belong to the default one. */
class Characters {
  readonly names: string[] = [];
  /** First and, for a few characters, second category of each UTF-16 unit. */
  readonly first = new Uint8Array(UNITS);
  readonly second = new Uint8Array(UNITS).fill(NO_CATEGORY);
  /** By category, 1 if its unknown words are considered even where the dictionary knows one. */
  readonly invoke: Uint8Array;
  /** By category, 1 if its characters that follow each other are one unknown word. */
  readonly group: Uint8Array;

  constructor(part: FilePart) {
    const count = new Uint32Array(1);
    readPart(part, 0, count);
    const categories = count[0]!;
    if (categories > CATEGORIES_MAX) throw new Error(`not a table of characters: ${part.path}`);
    const names = Buffer.alloc(categories * NAME_BYTES);
    readPart(part, 4, names);
    for (let at = 0; at < names.length; at += NAME_BYTES) {
      this.names.push(names.toString("latin1", at, names.indexOf(0, at)));
    }
    this.invoke = new Uint8Array(categories);
    this.group = new Uint8Array(categories);
    const table = new Uint32Array(UNITS - 1);
    readPart(part, 4 + names.length, table);
    for (let unit = 0; unit < table.length; unit++) this.read(unit, table[unit]!);
  }

  private read(unit: number, packed: number): void {
    const set = packed & ((1 << CATEGORIES_MAX) - 1);
    const first = lowestBit(set);
    this.first[unit] = first;
    const rest = set & ~(1 << first);
    if (rest !== 0) this.second[unit] = lowestBit(rest);
    const main = (packed >>> 18) & 0xff;
    this.group[main] = (packed >>> 30) & 1;
    this.invoke[main] = packed >>> 31;
  }
}

function wordFound(words: Words, name: string): number {
  let state = words.initial;
  for (let at = 0; at < name.length && state >= 0; at++) state = words.stepCharacter(state, name.charCodeAt(at));
  return state < 0 ? 0 : words.found(state);
}

function lowestBit(set: number): number {
  return set === 0 ? DEFAULT_CATEGORY : 31 - Math.clz32(set & -set);
}

function isSurrogate(unit: number): boolean {
  return (unit & 0xf800) === 0xd800;
}

/** Fills `into` from `offset` bytes after the beginning of the part. */
function readPart(part: FilePart, offset: number, into: NodeJS.ArrayBufferView): void {
  const file = openSync(part.path, "r");
  try {
    const read = readSync(file, into, 0, into.byteLength, part.at + offset);
    if (read !== into.byteLength) throw new Error(`ends too early: ${part.path}`);
  } finally {
    closeSync(file);
  }
}
