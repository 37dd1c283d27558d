// Writes a dictionary of morphemes in the form that `src/base/text/morpheme-decoder.ts` describes and reads: small once it is
// compressed, quickly made into tables, and without what makes no difference to how any text is cut.
import { LENGTHS_RADIX } from "../../src/base/text/morpheme-decoder.ts";
import { MORE_ENTRIES, sizesInOrder, UNITS } from "../../src/base/text/morpheme-tables.ts";
import { ColumnWriter, joinColumns } from "./columns.ts";
import type { Dictionary, Entry } from "./dictionary.ts";
import { distinctRows, type Grid, lessRowsLike, rowsLike, transposed } from "./matrix.ts";

export function encodeDictionary(dictionary: Dictionary): Uint8Array {
  const { leftIds: rows, rightIds: columns, matrix } = dictionary;
  const byRow = distinctRows({ rows, columns, cells: Int32Array.from(matrix) });
  const byColumn = distinctRows(transposed(byRow.grid));
  const grid = transposed(byColumn.grid);

  const sorted = [...dictionary.words].sort(([a], [b]) => (a < b ? -1 : 1));
  const trie = encodeTrie(sorted.map(([word]) => word));
  const lists = [...sorted.map(([, entries]) => entries), ...dictionary.categories.map(({ unknown }) => unknown)];
  const entries = encodeEntries(lists, byRow.rowOf);
  const sizes = {
    nodes: trie.nodes,
    entries: entries.entries,
    kinds: entries.kinds,
    rows: grid.rows,
    columns: grid.columns,
    rightIds: dictionary.rightIds,
    categories: dictionary.categories.length,
  };
  const head = new ColumnWriter();
  head.add(...sizesInOrder(sizes), sorted.length, trie.levels.length, ...trie.levels);
  const columnOf = new ColumnWriter();
  columnOf.add(...byColumn.rowOf);
  return joinColumns([
    head,
    entries.neighbours,
    ...trie.columns,
    ...entries.columns,
    columnOf,
    ...encodeMatrix(grid),
    encodeCharacters(dictionary),
  ]);
}

interface EncodedTrie {
  /** The root included. */
  nodes: number;
  /** Nodes of each level below the root. */
  levels: number[];
  /** Alphabet, lengths, letters. */
  columns: ColumnWriter[];
}

function encodeTrie(sorted: readonly string[]): EncodedTrie {
  const lengths = new ColumnWriter();
  const levels: number[] = [];
  const suffixes: string[] = [];
  let before = "";
  for (const word of sorted) {
    const shared = sharedLength(before, word);
    const further = word.length - shared;
    if (further >= LENGTHS_RADIX) throw new Error(`too long a word: ${word}`);
    lengths.add(shared * LENGTHS_RADIX + further);
    for (let level = shared; level < word.length; level++) levels[level] = (levels[level] ?? 0) + 1;
    suffixes.push(word.slice(shared));
    before = word;
  }
  const units = suffixes.flatMap((suffix) => Array.from({ length: suffix.length }, (_, at) => suffix.charCodeAt(at)));
  const alphabet = byFrequency(units);
  const alphabetColumn = new ColumnWriter();
  alphabetColumn.add(alphabet.size, ...alphabet.keys());
  const letters = new ColumnWriter();
  for (const unit of units) letters.add(alphabet.get(unit)!);
  return { nodes: units.length + 1, levels, columns: [alphabetColumn, lengths, letters] };
}

function sharedLength(a: string, b: string): number {
  let shared = 0;
  while (shared < a.length && a[shared] === b[shared]) shared++;
  return shared;
}

interface EncodedEntries {
  entries: number;
  kinds: number;
  neighbours: ColumnWriter;
  /** Counts, kinds, costs. */
  columns: ColumnWriter[];
}

function encodeEntries(lists: readonly (readonly Entry[])[], rowOf: readonly number[]): EncodedEntries {
  const needed = lists.map((list) =>
    withoutDominated(list.map((entry) => ({ ...entry, leftId: rowOf[entry.leftId]! }))),
  );
  const all = needed.flat();
  const kinds = byFrequency(all.map(kindKey));
  if (kinds.size >= MORE_ENTRIES) throw new Error("too many kinds of words");
  const costsOf = Array.from(kinds, (): number[] => []);
  for (const entry of all) costsOf[kinds.get(kindKey(entry))!]!.push(entry.cost);
  const usualCosts = costsOf.map((costs) => [...byFrequency(costs).keys()][0]!);
  const neighbours = new ColumnWriter();
  for (const [key, kind] of kinds) {
    neighbours.add(Math.floor(key / ID_RADIX), key % ID_RADIX);
    neighbours.addSigned(usualCosts[kind]!);
  }
  const [counts, ownKinds, costs] = [new ColumnWriter(), new ColumnWriter(), new ColumnWriter()];
  for (const list of needed) counts.add(list.length);
  for (const entry of all) {
    const kind = kinds.get(kindKey(entry))!;
    ownKinds.add(kind);
    costs.addSigned(entry.cost - usualCosts[kind]!);
  }
  return { entries: all.length, kinds: kinds.size, neighbours, columns: [counts, ownKinds, costs] };
}

const ID_RADIX = 0x10000;

function kindKey({ leftId, rightId }: Entry): number {
  return leftId * ID_RADIX + rightId;
}

/**
 * Leaves out entries of a word that can never be on the cheapest way, because another one goes with the same neighbours and
 * costs less, or the same and comes first. One that comes before its cheaper twin stays if entries with other right ids lie
 * between: the order in which right ids come decides which of equally cheap ways is taken.
 */
function withoutDominated(entries: readonly Entry[]): Entry[] {
  const kept: Entry[] = [];
  for (const entry of entries) {
    const twin = kept.findLastIndex((other) => kindKey(other) === kindKey(entry));
    if (twin < 0) kept.push(entry);
    else if (entry.cost < kept[twin]!.cost) {
      if (kept.slice(twin).every(({ rightId }) => rightId === entry.rightId)) kept.splice(twin, 1);
      kept.push(entry);
    }
  }
  return kept;
}

/** References and differences. */
function encodeMatrix(grid: Grid): ColumnWriter[] {
  const rowLike = rowsLike(grid);
  const byRow = transposed(lessRowsLike(grid, rowLike));
  const columnLike = rowsLike(byRow);
  const differences = new ColumnWriter();
  for (const cell of transposed(lessRowsLike(byRow, columnLike)).cells) differences.addSigned(cell);
  const references = new ColumnWriter();
  for (const like of [rowLike, columnLike]) references.add(...like.map((other, own) => own - other));
  return [references, differences];
}

function encodeCharacters({ categories, category, secondCategory }: Dictionary): ColumnWriter {
  const column = new ColumnWriter();
  let start = 0;
  for (let unit = 1; unit <= UNITS; unit++) {
    const isSame = category[unit] === category[start] && secondCategory[unit] === secondCategory[start];
    if (unit < UNITS && isSame) continue;
    column.add(unit - start - 1, category[start]!, secondCategory[start]!);
    start = unit;
  }
  for (const { group, invoke } of categories) column.add((group ? 1 : 0) + (invoke ? 2 : 0));
  return column;
}

/** The different values with their places when sorted by frequency, the most frequent first. */
function byFrequency(values: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const sorted = [...counts].sort(([a, countA], [b, countB]) => countB - countA || a - b);
  return new Map(sorted.map(([value], place) => [value, place]));
}
