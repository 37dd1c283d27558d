/**
 * Decodes a dictionary of morphemes from its file (`scripts/dictionaries/encode.ts` writes it) into tables. Several threads
 * may do so in one buffer at the same time: every place is written once, with what belongs there and nothing before that, so
 * none of them has to wait for another.
 *
 * A file is columns of numbers:
 *
 * sizes       of the tables; how many words there are; how many levels the trie has, and the nodes of each
 * kinds       row, right id, most frequent cost of each kind
 * alphabet    UTF-16 units, the most frequent in words first
 * lengths     by word, in the order of UTF-16 units: units shared with the word before * radix + further units
 * letters     places in the alphabet of the further units
 * counts      by word, then by category for its unknown words: the number of entries
 * entries     the kind of each
 * costs       of each, less the most frequent cost of its kind
 * columns     by right id
 * references  by row, then by column: how far before it the one lies that is most like it, 0 for none
 * matrix      costs, less what the references of row and column let expect
 * characters  runs of units: how many less one, category, second category; then by category: 1 to group + 2 to invoke
 */
import { MORE_ENTRIES, MorphemeTables, ROOT, sizesFrom, UNITS } from "./morpheme-tables.ts";
import { type NumberColumn, NumberColumns } from "./number-columns.ts";

/** More than the further units that any word has. */
export const LENGTHS_RADIX = 32;

/** Fills the tables in a buffer; throws when they do not fit, or the file is none of this form. */
export function decodeTables(file: Uint8Array, buffer: ArrayBufferLike): MorphemeTables {
  const columns = new NumberColumns(file);
  const head = columns.take();
  const tables = new MorphemeTables(
    buffer,
    sizesFrom(() => head.next()),
  );
  const words = head.next();
  const levels = Array.from({ length: head.next() }, () => head.next());
  head.finish();
  const usualCosts = decodeKinds(columns.take(), tables);
  const trie = new TrieDecoder(columns.take(), columns.take(), columns.take(), tables, levels);
  const entries = new EntryDecoder(columns.take(), columns.take(), columns.take(), tables, usualCosts);
  for (let word = 0; word < words; word++) {
    const node = trie.nextWord();
    tables.firstEntry[node] = entries.next();
  }
  for (let category = 0; category < tables.sizes.categories; category++) {
    tables.unknownEntry[category] = entries.next();
  }
  trie.finish();
  entries.finish();
  decodeMatrix(columns.take(), columns.take(), columns.take(), tables);
  decodeCharacters(columns.take(), tables);
  tables.complete();
  return tables;
}

/** Gives the most frequent cost of each kind. */
function decodeKinds(column: NumberColumn, { sizes, rowOfKind, rightIdOfKind }: MorphemeTables): Int16Array {
  const usualCosts = new Int16Array(sizes.kinds);
  for (let kind = 0; kind < sizes.kinds; kind++) {
    rowOfKind[kind] = column.next();
    rightIdOfKind[kind] = column.next();
    usualCosts[kind] = column.nextSigned();
  }
  column.finish();
  return usualCosts;
}

/** Words come in order, so each level of the trie is met from its first node to its last. */
class TrieDecoder {
  readonly #lengths: NumberColumn;
  readonly #letters: NumberColumn;
  readonly #tables: MorphemeTables;
  readonly #alphabet: number[] = [];
  /** By level: the node that comes next. */
  readonly #nextNode: Uint32Array;

  constructor(
    alphabet: NumberColumn,
    lengths: NumberColumn,
    letters: NumberColumn,
    tables: MorphemeTables,
    levels: readonly number[],
  ) {
    this.#lengths = lengths;
    this.#letters = letters;
    this.#tables = tables;
    for (let left = alphabet.next(); left > 0; left--) this.#alphabet.push(alphabet.next());
    alphabet.finish();
    this.#nextNode = new Uint32Array(levels.length + 2);
    this.#nextNode[0] = ROOT + 1;
    for (const [level, nodes] of levels.entries()) this.#nextNode[level + 1] = this.#nextNode[level]! + nodes;
    this.#nextNode[levels.length + 1] = tables.sizes.nodes;
    tables.firstChild[ROOT] = ROOT + 1;
    tables.firstChild[tables.sizes.nodes] = tables.sizes.nodes;
  }

  /** The node at which the next word ends. */
  nextWord(): number {
    const alphabet = this.#alphabet;
    const letters = this.#letters;
    const nextNode = this.#nextNode;
    const { firstChild, nodeAfter, unit } = this.#tables;
    const length = this.#lengths.next();
    const shared = Math.floor(length / LENGTHS_RADIX);
    const end = shared + (length % LENGTHS_RADIX);
    let node = ROOT;
    for (let level = shared; level < end; level++) {
      node = nextNode[level]!++;
      const letter = alphabet[letters.next()]!;
      unit[node] = letter;
      firstChild[node] = nextNode[level + 1]!;
      if (level === 0) nodeAfter[letter] = node;
    }
    return node;
  }

  finish(): void {
    this.#lengths.finish();
    this.#letters.finish();
  }
}

class EntryDecoder {
  readonly #counts: NumberColumn;
  readonly #kinds: NumberColumn;
  readonly #costs: NumberColumn;
  readonly #tables: MorphemeTables;
  readonly #usualCosts: Int16Array;
  #entries = 0;

  constructor(
    counts: NumberColumn,
    kinds: NumberColumn,
    costs: NumberColumn,
    tables: MorphemeTables,
    usualCosts: Int16Array,
  ) {
    this.#counts = counts;
    this.#kinds = kinds;
    this.#costs = costs;
    this.#tables = tables;
    this.#usualCosts = usualCosts;
  }

  /** One more than the first entry of the next word; 0 if it has none. */
  next(): number {
    const { kind: kindOf, cost } = this.#tables;
    const count = this.#counts.next();
    const first = this.#entries;
    for (let left = count; left > 0; left--) {
      const kind = this.#kinds.next();
      kindOf[this.#entries] = left > 1 ? kind | MORE_ENTRIES : kind;
      cost[this.#entries++] = this.#usualCosts[kind]! + this.#costs.nextSigned();
    }
    return count === 0 ? 0 : first + 1;
  }

  finish(): void {
    this.#counts.finish();
    this.#kinds.finish();
    this.#costs.finish();
  }
}

/** What a cost differs by from that in the row most like its own is mostly the same as in the column most like its own. */
function decodeMatrix(
  columnOf: NumberColumn,
  references: NumberColumn,
  differences: NumberColumn,
  tables: MorphemeTables,
): void {
  const { matrix } = tables;
  const { rows, columns, rightIds } = tables.sizes;
  for (let rightId = 0; rightId < rightIds; rightId++) tables.columnOf[rightId] = columnOf.next();
  const rowLike = Int32Array.from({ length: rows }, (_, row) => row - references.next());
  const columnLike = Int32Array.from({ length: columns }, (_, column) => column - references.next());
  const fromRowLike = new Int32Array(columns);
  for (let row = 0; row < rows; row++) {
    const at = row * columns;
    const like = rowLike[row]!;
    for (let column = 0; column < columns; column++) {
      // Where a row or column has no other like it, what stands for that is still 0.
      fromRowLike[column] = 0;
      fromRowLike[column] = differences.nextSigned() + fromRowLike[columnLike[column]!]!;
      const expected = like === row ? 0 : matrix[like * columns + column]!;
      matrix[at + column] = expected + fromRowLike[column]!;
    }
  }
  for (const column of [columnOf, references, differences]) column.finish();
}

function decodeCharacters(column: NumberColumn, tables: MorphemeTables): void {
  for (let unit = 0; unit < UNITS; ) {
    const end = unit + 1 + column.next();
    tables.category.fill(column.next(), unit, end);
    tables.secondCategory.fill(column.next(), unit, end);
    unit = end;
  }
  for (let category = 0; category < tables.sizes.categories; category++) {
    const flags = column.next();
    tables.group[category] = flags & 1;
    tables.invoke[category] = flags >> 1;
  }
  column.finish();
}
