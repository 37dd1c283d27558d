/**
 * Finds the cheapest way to cut a text into words of a morpheme dictionary (Viterbi): every word costs, and so does every
 * pair of neighbours; long words cost extra, so that compounds fall into their parts.
 *
 * text      関 西 国 際          A word is a node; the nodes that end at a place are a list. Places are visited in
 * └─────┘└─────┘       order, so when words that begin at a place are added, all that may stand before
 * └─┘└─┘└─┘└─┘         them are known with their costs.
 */
import { DEFAULT_CATEGORY, MORE_ENTRIES, type MorphemeTables, NO_CATEGORY, ROOT } from "./morpheme-tables.ts";

/** UTF-16 units analysed at once: bounds memory and keeps costs far from 32 bits. Text has separators long before. */
const UNITS_MAX = 8192;

const KANJI_LENGTH_FREE = 2;
const KANJI_LENGTH_COST = 3000;
const OTHER_LENGTH_FREE = 7;
const OTHER_LENGTH_COST = 1700;
/** Word lengths are counted in bytes of UTF-8, as if all characters were as long as those of these scripts. */
const CHARACTER_BYTES = 3;

const NODES_AT_FIRST = 4096;
const NONE = -1;
/** Right id of the beginning of a text, and row in the matrix of its end. */
const BOUNDARY = 0;
/** Read in place of half a surrogate pair. */
const REPLACEMENT = 0xfffd;

export class Lattice {
  readonly #tables: MorphemeTables;

  // By place in the text; one more for its end.
  readonly #codes = new Uint32Array(UNITS_MAX + 1);
  readonly #category = new Uint8Array(UNITS_MAX + 1);
  /** UTF-8 bytes from here to the end. */
  readonly #bytesLeft = new Int32Array(UNITS_MAX + 1);
  /** Where the characters of the same category, and the kanji, that begin here end. */
  readonly #groupEnd = new Int32Array(UNITS_MAX + 1);
  readonly #kanjiEnd = new Int32Array(UNITS_MAX + 1);
  /** First and last node that ends here. */
  readonly #head = new Int32Array(UNITS_MAX + 1);
  readonly #tail = new Int32Array(UNITS_MAX + 1);

  // By node: a word at its place.
  #nodes = 0;
  #start = new Int32Array(NODES_AT_FIRST);
  #rightId = new Uint16Array(NODES_AT_FIRST);
  /** Of the cheapest way that ends with this word. */
  #cost = new Int32Array(NODES_AT_FIRST);
  /** Extra cost of a long word, due when another word follows. */
  #penalty = new Int32Array(NODES_AT_FIRST);
  #before = new Int32Array(NODES_AT_FIRST);
  #next = new Int32Array(NODES_AT_FIRST);

  // The nodes that end at the place being visited: for each right id the cheapest.
  #lefts = 0;
  readonly #leftNode: Int32Array;
  readonly #leftRightId: Int32Array;
  /** Of that right id in the matrix. */
  readonly #leftColumn: Int32Array;
  readonly #leftCost: Int32Array;
  readonly #leftOf: Int32Array;

  // The cheapest of them before each row of the matrix that words beginning there have.
  #bests = 0;
  readonly #bestNode: Int32Array;
  readonly #bestCost: Int32Array;
  readonly #bestRow: Int32Array;
  readonly #bestOf: Int32Array;

  constructor(tables: MorphemeTables) {
    this.#tables = tables;
    const { rightIds, rows } = tables.sizes;
    this.#leftNode = new Int32Array(rightIds);
    this.#leftRightId = new Int32Array(rightIds);
    this.#leftColumn = new Int32Array(rightIds);
    this.#leftCost = new Int32Array(rightIds);
    this.#leftOf = new Int32Array(rightIds);
    this.#bestNode = new Int32Array(rows);
    this.#bestCost = new Int32Array(rows);
    this.#bestRow = new Int32Array(rows);
    this.#bestOf = new Int32Array(rows);
  }

  /** Pushes the end of every word of `text.slice(start, end)` to `cuts`. */
  cut(text: string, start: number, end: number, cuts: number[]): void {
    let from = start;
    while (from < end) {
      const to = sentenceEnd(text, from, end);
      this.#cutSentence(text, from, to, cuts);
      from = to;
    }
  }

  #cutSentence(text: string, start: number, end: number, cuts: number[]): void {
    const length = end - start;
    this.#readCharacters(text, start, length);
    this.#head.fill(NONE, 0, length + 1);
    this.#nodes = 0;
    this.#addNode(0, 0, BOUNDARY, 0, 0, NONE);
    for (let at = 0; at < length; at++) {
      if (this.#head[at] === NONE) continue;
      this.#gatherLefts(at);
      const known = this.#addKnownWords(at, length);
      this.#addUnknownWords(at, length, known);
    }
    const firstCut = cuts.length;
    cuts.push(end);
    for (let node = this.#lastNode(length); node > 0; node = this.#before[node]!) {
      if (this.#start[node]! > 0) cuts.push(start + this.#start[node]!);
    }
    reverse(cuts, firstCut);
  }

  #readCharacters(text: string, start: number, length: number): void {
    const codes = this.#codes;
    const category = this.#category;
    const bytesLeft = this.#bytesLeft;
    const groupEnd = this.#groupEnd;
    const kanjiEnd = this.#kanjiEnd;
    const categoryOf = this.#tables.category;
    bytesLeft[length] = 0;
    category[length] = NO_CATEGORY;
    kanjiEnd[length] = length;
    let at = length;
    while (at > 0) {
      const end = at--;
      let code = text.charCodeAt(start + at);
      if ((code & 0xf800) === 0xd800) {
        const pair = at > 0 ? text.codePointAt(start + at - 1)! : 0;
        if (pair > 0xffff) at--;
        code = pair > 0xffff ? pair : REPLACEMENT;
      }
      codes[at] = code;
      bytesLeft[at] = bytesLeft[end]! + utf8Bytes(code);
      const own = code > 0xffff ? DEFAULT_CATEGORY : categoryOf[code]!;
      category[at] = own;
      groupEnd[at] = category[end] === own ? groupEnd[end]! : end;
      kanjiEnd[at] = isKanji(code) ? Math.max(end, kanjiEnd[end]!) : at;
    }
  }

  #gatherLefts(at: number): void {
    const leftNode = this.#leftNode;
    const leftRightId = this.#leftRightId;
    const leftColumn = this.#leftColumn;
    const leftCost = this.#leftCost;
    const leftOf = this.#leftOf;
    const rightId = this.#rightId;
    const cost = this.#cost;
    const penalty = this.#penalty;
    const next = this.#next;
    const { columnOf } = this.#tables;
    let lefts = 0;
    for (let node = this.#head[at]!; node !== NONE; node = next[node]!) {
      const id = rightId[node]!;
      const total = cost[node]! + penalty[node]!;
      const known = leftOf[id]!;
      if (known < lefts && leftRightId[known] === id) {
        if (total < leftCost[known]!) {
          leftCost[known] = total;
          leftNode[known] = node;
        }
        continue;
      }
      leftOf[id] = lefts;
      leftRightId[lefts] = id;
      leftColumn[lefts] = columnOf[id]!;
      leftCost[lefts] = total;
      leftNode[lefts] = node;
      lefts++;
    }
    this.#lefts = lefts;
    this.#bests = 0;
  }

  /** Whether there were any. */
  #addKnownWords(at: number, length: number): boolean {
    const tables = this.#tables;
    const codes = this.#codes;
    const first = codes[at]!;
    let node = first > 0xffff ? tables.childCharacter(ROOT, first) : tables.nodeAfter[first]!;
    let end = at + unitsOf(first);
    let any = false;
    while (node !== 0) {
      const entry = tables.firstEntry[node]!;
      if (entry !== 0) {
        this.#addWords(entry, at, end);
        any = true;
      }
      if (end >= length) break;
      const code = codes[end]!;
      node = tables.childCharacter(node, code);
      end += unitsOf(code);
    }
    return any;
  }

  #addUnknownWords(at: number, length: number, known: boolean): void {
    const { group, invoke, secondCategory, unknownEntry } = this.#tables;
    const code = this.#codes[at]!;
    const first = this.#category[at]!;
    if (!known || invoke[first] === 1) {
      const end = group[first] === 1 ? this.#groupEnd[at]! : at + unitsOf(code);
      this.#addWords(unknownEntry[first]!, at, end);
    }
    const second = code > 0xffff ? NO_CATEGORY : secondCategory[code]!;
    if (second !== NO_CATEGORY && (!known || invoke[second] === 1)) {
      let end = at + 1;
      if (group[second] === 1) {
        while (end < length && secondCategory[this.#codes[end]!] === second) end++;
      }
      this.#addWords(unknownEntry[second]!, at, end);
    }
  }

  /** Adds a node for each entry of a word: `firstEntry` is one more than the first of them, 0 for none. */
  #addWords(firstEntry: number, at: number, end: number): void {
    const { cost, kind, rightIdOfKind, rowOfKind } = this.#tables;
    const penalty = this.#penaltyOf(at, end);
    let more = firstEntry !== 0;
    for (let entry = firstEntry - 1; more; entry++) {
      const own = kind[entry]! & ~MORE_ENTRIES;
      const best = this.#bestBefore(rowOfKind[own]!);
      const total = this.#bestCost[best]! + cost[entry]!;
      this.#addNode(at, end, rightIdOfKind[own]!, total, penalty, this.#bestNode[best]!);
      more = kind[entry]! >= MORE_ENTRIES;
    }
  }

  #penaltyOf(at: number, end: number): number {
    const length = Math.floor((this.#bytesLeft[at]! - this.#bytesLeft[end]!) / CHARACTER_BYTES);
    if (length <= KANJI_LENGTH_FREE) return 0;
    if (this.#kanjiEnd[at]! >= end) return (length - KANJI_LENGTH_FREE) * KANJI_LENGTH_COST;
    return length > OTHER_LENGTH_FREE ? (length - OTHER_LENGTH_FREE) * OTHER_LENGTH_COST : 0;
  }

  /** Index in `bestNode` and `bestCost`. Words that begin at a place often share their row of the matrix. */
  #bestBefore(row: number): number {
    const bestOf = this.#bestOf;
    const bestRow = this.#bestRow;
    const leftCost = this.#leftCost;
    const leftColumn = this.#leftColumn;
    const lefts = this.#lefts;
    const known = bestOf[row]!;
    if (known < this.#bests && bestRow[known] === row) return known;
    const { matrix, sizes } = this.#tables;
    const rowStart = row * sizes.columns;
    let cheapest = leftCost[0]! + matrix[rowStart + leftColumn[0]!]!;
    let left = 0;
    for (let at = 1; at < lefts; at++) {
      const total = leftCost[at]! + matrix[rowStart + leftColumn[at]!]!;
      if (total < cheapest) {
        cheapest = total;
        left = at;
      }
    }
    const best = this.#bests++;
    bestOf[row] = best;
    bestRow[best] = row;
    this.#bestCost[best] = cheapest;
    this.#bestNode[best] = this.#leftNode[left]!;
    return best;
  }

  #addNode(start: number, end: number, rightId: number, cost: number, penalty: number, before: number): void {
    const node = this.#nodes++;
    if (node === this.#start.length) this.#growNodes();
    this.#start[node] = start;
    this.#rightId[node] = rightId;
    this.#cost[node] = cost;
    this.#penalty[node] = penalty;
    this.#before[node] = before;
    this.#next[node] = NONE;
    if (this.#head[end] === NONE) this.#head[end] = node;
    else this.#next[this.#tail[end]!] = node;
    this.#tail[end] = node;
  }

  #growNodes(): void {
    this.#start = grown(this.#start);
    this.#cost = grown(this.#cost);
    this.#penalty = grown(this.#penalty);
    this.#before = grown(this.#before);
    this.#next = grown(this.#next);
    const rightId = new Uint16Array(this.#rightId.length * 2);
    rightId.set(this.#rightId);
    this.#rightId = rightId;
  }

  /** The last word of the cheapest way to the end of the text, where long words are not penalized; or NONE. */
  #lastNode(length: number): number {
    const { matrix, columnOf, sizes } = this.#tables;
    const rowStart = BOUNDARY * sizes.columns;
    let cheapest = Number.POSITIVE_INFINITY;
    let last = NONE;
    for (let node = this.#head[length]!; node !== NONE; node = this.#next[node]!) {
      const total = this.#cost[node]! + matrix[rowStart + columnOf[this.#rightId[node]!]!]!;
      if (total < cheapest) {
        cheapest = total;
        last = node;
      }
    }
    return last;
  }
}

/** After the next comma, full stop, line break or tab: the analysis starts afresh there. */
function sentenceEnd(text: string, start: number, end: number): number {
  const limit = Math.min(end, start + UNITS_MAX);
  for (let at = start; at < limit; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x3001 || unit === 0x3002 || unit === 0x0a || unit === 0x09) return at + 1;
  }
  const insidePair = limit < end && (text.charCodeAt(limit) & 0xfc00) === 0xdc00;
  return insidePair ? limit - 1 : limit;
}

function isKanji(code: number): boolean {
  return (code >= 0x4e00 && code <= 0x9faf) || (code >= 0x3400 && code <= 0x4dbf);
}

function unitsOf(code: number): number {
  return code > 0xffff ? 2 : 1;
}

function utf8Bytes(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code > 0xffff ? 4 : 3;
}

function grown(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}

/** Reverses what follows `from`. */
function reverse(cuts: number[], from: number): void {
  for (let low = from, high = cuts.length - 1; low < high; low++, high--) {
    const cut = cuts[low]!;
    cuts[low] = cuts[high]!;
    cuts[high] = cut;
  }
}
