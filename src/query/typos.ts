/**
 * Which words of the vocabulary a mistyped word may mean. Walks each segment's terms in byte order with a table of edit
 * distances that is kept for the part a term shares with the one before, and leaves branches that cannot match.
 */
import { Buffer } from "node:buffer";
import { characterBytes, codePointAt } from "../text/utf8.ts";
import { compareText } from "./order.ts";
import { startsWith, type Vocabulary, type Word, type WordSegment } from "./vocabulary.ts";

const ONE_TYPO_MAX = 150;
const TWO_TYPOS_MAX = 50;

export interface TypoWords {
  one: Word[];
  two: Word[];
}

interface Candidate {
  word: Word;
  distance: number;
  sameFirst: boolean;
}

/** Words one or two typos away, `allowed` being the most; both lists in byte order. */
export function typoWords(vocabulary: Vocabulary, text: string, allowed: number, isPrefix: boolean): TypoWords {
  const found: TypoWords = { one: [], two: [] };
  if (allowed === 0 || text === "") return found;
  const pattern = Array.from(text, (character) => character.codePointAt(0)!);
  const lists = vocabulary.segments.map((segment) => {
    const near = new NearWords(vocabulary, segment, text, pattern, allowed, isPrefix);
    return near.collect();
  });
  const candidates = lists.length === 1 ? lists[0]! : merged(lists);
  for (const candidate of candidates) if (!take(found, candidate, allowed)) break;
  return found;
}

function merged(lists: readonly Candidate[][]): Candidate[] {
  const byText = new Map<string, Candidate>();
  for (const list of lists) for (const candidate of list) byText.set(candidate.word.text, candidate);
  return [...byText.values()].sort((a, b) => compareText(a.word.text, b.word.text));
}

/** False once both lists are full. */
function take(found: TypoWords, { word, distance, sameFirst }: Candidate, allowed: number): boolean {
  const { one, two } = found;
  if (allowed === 1) {
    one.push(word);
    return one.length < ONE_TYPO_MAX;
  }
  const oneIsFull = one.length >= ONE_TYPO_MAX;
  const twoIsFull = two.length >= TWO_TYPOS_MAX;
  if (oneIsFull && twoIsFull) return false;
  // A wrong first letter counts as a second typo; once there is no room for those it is judged like any other.
  if (!sameFirst && !twoIsFull) two.push(word);
  else if (distance === 1) {
    if (!oneIsFull) one.push(word);
  } else if (!twoIsFull) two.push(word);
  return true;
}

class NearWords {
  private readonly vocabulary: Vocabulary;
  private readonly segment: WordSegment;
  private readonly text: string;
  private readonly pattern: readonly number[];
  private readonly allowed: number;
  private readonly isPrefix: boolean;
  private readonly firstBytes: Uint8Array;
  private readonly candidates: Candidate[] = [];
  private readonly counted: TypoWords = { one: [], two: [] };

  constructor(
    vocabulary: Vocabulary,
    segment: WordSegment,
    text: string,
    pattern: readonly number[],
    allowed: number,
    isPrefix: boolean,
  ) {
    this.vocabulary = vocabulary;
    this.segment = segment;
    this.text = text;
    this.pattern = pattern;
    this.allowed = allowed;
    this.isPrefix = isPrefix;
    this.firstBytes = Buffer.from(String.fromCodePoint(pattern[0]!));
  }

  /** Candidates of this segment in byte order, as many as can matter. */
  collect(): Candidate[] {
    if (this.allowed === 1) {
      this.scanSameFirst(1);
      return this.candidates;
    }
    const otherFirst = this.otherFirstWords();
    let next = 0;
    while (next < otherFirst.length && compareText(otherFirst[next]!.text, this.text) < 0) {
      if (!this.add(otherFirst[next++]!, 1, false)) return this.candidates;
    }
    if (!this.scanSameFirst(2)) return this.candidates;
    while (next < otherFirst.length && this.add(otherFirst[next]!, 1, false)) next++;
    return this.candidates;
  }

  private add(word: Word, distance: number, sameFirst: boolean): boolean {
    if (!word.tolerant) return true;
    const candidate = { word, distance, sameFirst };
    this.candidates.push(candidate);
    return take(this.counted, candidate, this.allowed);
  }

  /**
   * Words one edit away whose first letter differs: that edit can only be at the beginning, which leaves four spellings
   * (another letter for the first, one more letter before it, the first dropped, the first two swapped).
   */
  private otherFirstWords(): Word[] {
    const { pattern } = this;
    const rest = String.fromCodePoint(...pattern.slice(1));
    const first = String.fromCodePoint(pattern[0]!);
    const found = new Map<string, Word>();
    if (pattern[1] !== undefined && pattern[1] !== pattern[0]) {
      this.look(rest, found);
      this.look(String.fromCodePoint(pattern[1], pattern[0]!) + String.fromCodePoint(...pattern.slice(2)), found);
    }
    for (const letter of firstLetters(this.segment)) {
      if (letter === first) continue;
      this.look(letter + rest, found);
      this.look(letter + this.text, found);
    }
    return [...found.values()].sort((a, b) => compareText(a.text, b.text));
  }

  private look(spelling: string, found: Map<string, Word>): void {
    const bytes = Buffer.from(spelling);
    const { walk } = this.segment;
    let more = walk.seek(bytes, bytes.length);
    for (; more && startsWith(walk, bytes); more = walk.next()) {
      if (!this.isPrefix && walk.length !== bytes.length) return;
      const word = this.vocabulary.findAt(walk);
      found.set(word.text, word);
      if (found.size > ONE_TYPO_MAX + TWO_TYPOS_MAX) return;
    }
  }

  /** Words with the same first letter; false when enough were found. */
  private scanSameFirst(limit: number): boolean {
    const { firstBytes, isPrefix, vocabulary } = this;
    const { walk } = this.segment;
    const table = new EditTable(this.pattern, limit);
    const { ends, lowest } = table;
    let known = 0;
    let more = walk.seek(firstBytes, firstBytes.length);
    while (more && startsWith(walk, firstBytes)) {
      const { bytes, length, shared } = walk;
      let depth = known;
      while (depth > 0 && ends[depth]! > shared) depth--;
      let isDead = false;
      while (ends[depth]! < length && !(isPrefix && table.isSettled(depth))) {
        table.add(depth, bytes);
        depth++;
        // Two rows, because a swap reaches over one.
        isDead = lowest[depth]! > limit && lowest[depth - 1]! > limit;
        if (isDead) break;
      }
      known = depth;
      if (isDead) {
        more = walk.skipPrefix(ends[depth]!);
        continue;
      }
      const distance = table.distance(depth);
      if (distance > 0 && distance <= limit && !this.add(vocabulary.findAt(walk), distance, true)) return false;
      more = walk.next();
    }
    return true;
  }
}

/**
 * Edit distances between the beginnings of a word and those of a candidate, one row per letter of the candidate. Only
 * the cells near the diagonal can be within the limit; the others stand for "too far".
 */
class EditTable {
  /** By depth: bytes of the candidate read, and the lowest distance in the row. */
  readonly ends: Uint16Array;
  readonly lowest: Uint8Array;
  private readonly pattern: Int32Array;
  private readonly limit: number;
  private readonly width: number;
  private readonly rows: Uint8Array;
  private readonly letters: Int32Array;

  constructor(pattern: readonly number[], limit: number) {
    this.pattern = Int32Array.from(pattern);
    this.limit = limit;
    this.width = pattern.length + 1;
    const depths = pattern.length + limit + 3;
    this.rows = new Uint8Array(depths * this.width).fill(limit + 1);
    this.lowest = new Uint8Array(depths);
    this.letters = new Int32Array(depths);
    this.ends = new Uint16Array(depths);
    for (let j = 0; j <= limit && j < this.width; j++) this.rows[j] = j;
  }

  /** From the whole word to the candidate's first `depth` letters; anything above the limit is too far. */
  distance(depth: number): number {
    return this.rows[depth * this.width + this.width - 1]!;
  }

  /** Near enough, and no shorter beginning of the word is nearer: what follows does not matter. */
  isSettled(depth: number): boolean {
    const distance = this.distance(depth);
    return distance <= this.limit && this.lowest[depth]! >= distance;
  }

  /** Reads the candidate's letter after the first `depth`. */
  add(depth: number, bytes: Uint8Array): void {
    const { letters, limit, pattern, rows, width } = this;
    const at = this.ends[depth]!;
    const lead = bytes[at]!;
    const letter = lead < 0x80 ? lead : codePointAt(bytes, at);
    this.ends[depth + 1] = at + characterBytes(lead);
    letters[depth + 1] = letter;
    const previous = letters[depth]!;
    const above = depth * width;
    const here = above + width;
    const tooFar = limit + 1;
    let from = depth + 1 - limit;
    let left = tooFar;
    let lowest = tooFar;
    if (from <= 0) {
      left = depth + 1;
      lowest = left;
      rows[here] = left;
      from = 1;
    }
    const to = Math.min(depth + 1 + limit, width - 1);
    for (let j = from; j <= to; j++) {
      const expected = pattern[j - 1]!;
      let cost = rows[above + j - 1]!;
      if (expected !== letter) {
        cost++;
        const fromAbove = rows[above + j]! + 1;
        if (fromAbove < cost) cost = fromAbove;
        if (left + 1 < cost) cost = left + 1;
        if (j > 1 && depth > 0 && expected === previous && pattern[j - 2] === letter) {
          const swapped = rows[above - width + j - 2]! + 1;
          if (swapped < cost) cost = swapped;
        }
        if (cost > tooFar) cost = tooFar;
      }
      rows[here + j] = cost;
      left = cost;
      if (cost < lowest) lowest = cost;
    }
    // The cell before the band is read by the row below, the one behind it too.
    if (from > 1) rows[here + from - 1] = tooFar;
    if (to < width - 1) rows[here + to + 1] = tooFar;
    this.lowest[depth + 1] = lowest;
  }
}

const lettersOf = new WeakMap<object, string[]>();

/** The letters words of a segment begin with. */
function firstLetters(segment: WordSegment): string[] {
  let letters = lettersOf.get(segment.reader);
  if (letters === undefined) {
    letters = [];
    const { walk } = segment;
    let more = walk.moveTo(0);
    while (more) {
      letters.push(String.fromCodePoint(codePointAt(walk.bytes, 0)));
      more = walk.skipPrefix(characterBytes(walk.bytes[0]!));
    }
    lettersOf.set(segment.reader, letters);
  }
  return letters;
}
