// Reads dictionaries in the form in which MeCab compiles them. A file that is not exactly of this form is refused.
//
//   words       header | trie | entries | features      "sys.dic"; the features (parts of speech) are not read
//   unknowns    the same form, its words are the names of character categories ("unk.dic")
//   matrix      u16 right ids, u16 left ids, i16 cost[left id of the second][right id of the first]
//   characters  u32 categories, their names in 32 bytes each, u32 for each of 65,535 UTF-16 units:
//               18 bits set of categories, 8 main category, 4 length (not used), 1 group, 1 invoke
import { DEFAULT_CATEGORY, NO_CATEGORY, UNITS } from "../../src/base/text/morpheme-tables.ts";
import type { Category, Dictionary, Entry } from "./dictionary.ts";

export interface MecabFiles {
  words: Buffer;
  unknowns: Buffer;
  matrix: Buffer;
  characters: Buffer;
}

const HEADER_BYTES = 72;
const MAGIC = 0xef718f77;
const VERSION = 102;
const NAME_BYTES = 32;
const CATEGORIES_MAX = 18;
/** Left id, right id, (part of speech), cost, each in 16 bits, and eight bytes that only the features need. */
const ENTRY_BYTES = 16;

/** The entries of a word are one number: the first of them, then how many there are in the low bits. */
const ENTRIES_BITS = 8;
/**
 * The analyser whose words are expected of us counts entries in five of these bits. A word with 32 of them has none there:
 * 이, the only one, but a very frequent one (the Korean subject particle).
 */
const ENTRIES_MASK = 0x1f;

export function readMecab(files: MecabFiles): Dictionary {
  const { words, leftIds, rightIds } = readWords(files.words);
  if (files.matrix.readUInt16LE(0) !== rightIds || files.matrix.readUInt16LE(2) !== leftIds) {
    throw new Error("not the matrix of its dictionary");
  }
  const matrix = Int16Array.from({ length: leftIds * rightIds }, (_, at) => files.matrix.readInt16LE(4 + at * 2));
  return { words, leftIds, rightIds, matrix, ...readCharacters(files.characters, readWords(files.unknowns).words) };
}

function readWords(file: Buffer): Pick<Dictionary, "words" | "leftIds" | "rightIds"> {
  const header = Array.from({ length: HEADER_BYTES / 4 }, (_, at) => file.readUInt32LE(at * 4));
  const [magic, version, , count, rightIds, leftIds, trieBytes, entryBytes, featureBytes] = header as Header;
  const bytes = HEADER_BYTES + trieBytes + entryBytes + featureBytes;
  const isWhole = (magic ^ MAGIC) >>> 0 === bytes && entryBytes === count * ENTRY_BYTES && trieBytes % 8 === 0;
  if (version !== VERSION || !isWhole || file.length < bytes) throw new Error("not a compiled dictionary");
  const entries = file.subarray(HEADER_BYTES + trieBytes);
  const words = new Map<string, Entry[]>();
  for (const [word, found] of wordsOf(file.subarray(HEADER_BYTES, HEADER_BYTES + trieBytes))) {
    const first = found >>> ENTRIES_BITS;
    const own = Array.from({ length: found & ENTRIES_MASK }, (_, at) => readEntry(entries, first + at));
    if (own.length > 0) words.set(word, own);
  }
  return { words, leftIds, rightIds };
}

type Header = [number, number, number, number, number, number, number, number, number];

function readEntry(entries: Buffer, index: number): Entry {
  const at = index * ENTRY_BYTES;
  return { leftId: entries.readUInt16LE(at), rightId: entries.readUInt16LE(at + 2), cost: entries.readInt16LE(at + 6) };
}

/** Words of a trie over UTF-8 bytes in a double array: pairs of base and check. */
function* wordsOf(trie: Buffer): Generator<[word: string, found: number]> {
  const nodes = trie.length / 8;
  const base = (node: number): number => trie.readInt32LE(node * 8);
  const isChild = (node: number, state: number): boolean => node < nodes && trie.readInt32LE(node * 8 + 4) === state;
  const waiting = [{ state: base(0), bytes: [] as number[] }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { state, bytes } = next;
    if (isChild(state, state) && base(state) < 0) yield [Buffer.from(bytes).toString("utf8"), -1 - base(state)];
    for (let byte = 0; byte < 256; byte++) {
      const node = state + byte + 1;
      if (isChild(node, state) && base(node) >= 0) waiting.push({ state: base(node), bytes: [...bytes, byte] });
    }
  }
}

function readCharacters(
  file: Buffer,
  unknowns: Dictionary["words"],
): Pick<Dictionary, "categories" | "category" | "secondCategory"> {
  const count = file.readUInt32LE(0);
  const table = 4 + count * NAME_BYTES;
  if (count > CATEGORIES_MAX || file.length < table + (UNITS - 1) * 4) throw new Error("not a table of characters");
  const categories: Category[] = [];
  for (let at = 4; at < table; at += NAME_BYTES) {
    const name = file.toString("latin1", at, file.indexOf(0, at));
    categories.push({ invoke: false, group: false, unknown: unknowns.get(name) ?? [] });
  }
  const category = new Uint8Array(UNITS);
  const secondCategory = new Uint8Array(UNITS).fill(NO_CATEGORY);
  for (let unit = 0; unit < UNITS - 1; unit++) {
    const packed = file.readUInt32LE(table + unit * 4);
    const set = packed & ((1 << CATEGORIES_MAX) - 1);
    const lowest = lowestBit(set);
    category[unit] = lowest;
    const rest = set & ~(1 << lowest);
    if (rest !== 0) secondCategory[unit] = lowestBit(rest);
    const main = categories[(packed >>> 18) & 0xff];
    if (main === undefined) throw new Error("not a table of characters");
    main.group = ((packed >>> 30) & 1) === 1;
    main.invoke = packed >>> 31 === 1;
  }
  return { categories, category, secondCategory };
}

function lowestBit(set: number): number {
  return set === 0 ? DEFAULT_CATEGORY : 31 - Math.clz32(set & -set);
}
