/** Which documents hold words beside each other: phrases, synonyms of several words, words written in two. */
import { NO_COST } from "../../base/kernels/keyword/kernels.ts";
import { NO_ROW, type PostingsCursor } from "../../storage/segment/postings/cursor.ts";
import type { Corpus } from "./corpus.ts";
import { forwardDistance, PlaceBuffer, shareField } from "./places.ts";
import type { RowSets } from "./row-sets.ts";
import type { RowSpace } from "./row-space.ts";
import { wordTable } from "./row-tables.ts";
import type { Phrase } from "./synonyms.ts";
import type { Word } from "./vocabulary.ts";

/** Slots of a phrase that are compared with each other. */
const WINDOW = 3;

interface Pair {
  left: number;
  right: number;
  /** Slots from the one to the other. */
  step: number;
}

/** Live rows by segment that hold the phrase. */
export function phraseRows(corpus: Corpus, phrase: Phrase, byAttribute: boolean): RowSets {
  const slots = phrase.map((text) => (text === null ? null : corpus.find(text)));
  const pairs = pairsOf(slots);
  return corpus.spaces.list.map((space, segment) => {
    const rows = space.emptySet();
    const sets = corpus.sets(segment, "anywhere");
    const isThere = addRowsWithAll(corpus, segment, slots, sets, rows.words.byteOffset);
    if (isThere && pairs.length > 0) keepNear(corpus, segment, slots, pairs, rows.words.byteOffset, byAttribute);
    return rows;
  });
}

function pairsOf(slots: readonly (Word | null)[]): Pair[] {
  const pairs: Pair[] = [];
  const window = Math.min(slots.length, WINDOW);
  for (let left = 0; left < slots.length; left++) {
    for (let right = left + 1; right < Math.min(slots.length, left + window); right++) {
      if (slots[left] !== null && slots[right] !== null) pairs.push({ left, right, step: right - left });
    }
  }
  return pairs;
}

/**
 * Fills an empty set with the live rows that hold every word, in field sets that are marked; false when some word is not
 * in the segment.
 */
function addRowsWithAll(
  corpus: Corpus,
  segment: number,
  slots: readonly (Word | null)[],
  sets: Uint8Array | null,
  into: number,
): boolean {
  const words = [...new Set(slots)].filter((word) => word !== null);
  if (words.length === 0 || words.some(({ ordinals }) => ordinals[segment] === -1)) return false;
  const space = corpus.spaces.list[segment]!;
  const { bytes, kernels, rows, workspace } = space;
  const live = space.address(corpus.segments[segment]!.view.live);
  const { mark } = workspace;
  const marks = sets === null ? 0 : space.bytesOf(sets);
  const own = workspace.allocate(bytes);
  words.forEach(({ ordinals }, i) => {
    const refs = space.refs([ordinals[segment]!]);
    kernels.fill(own, bytes, 0);
    if (marks === 0) kernels.unionRows(refs.at, refs.count, rows, own);
    else kernels.unionRowsInSets(refs.at, refs.count, rows, marks, own);
    kernels.bitsAnd(into, own, i === 0 ? live : into, bytes);
  });
  workspace.release(mark);
  return true;
}

/** Takes away the rows where some pair stands too far apart, or by attribute in no common one. */
function keepNear(
  corpus: Corpus,
  segment: number,
  slots: readonly (Word | null)[],
  pairs: readonly Pair[],
  bits: number,
  byAttribute: boolean,
): void {
  const space = corpus.spaces.list[segment]!;
  const { bytes, kernels, rows, setFields, setOffsets, workspace } = space;
  const { mark } = workspace;
  const marks = space.fieldMarks(byAttribute ? corpus.fields(segment) : null);
  const count = kernels.bitsCount(bits, bytes);
  const list = workspace.allocate(count * 4);
  kernels.bitsList(bits, bytes, list);
  const tables = new Map<Word, { begins: number; ends: number; places: number }>();
  for (const word of slots) {
    if (word === null || tables.has(word)) continue;
    const ordinal = word.ordinals[segment]!;
    const table = wordTable(space, ordinal, word.documents, count);
    const begins = workspace.allocate((count + 1) * 4);
    if (table !== null) {
      const ends = workspace.allocate(count * 4);
      kernels.tableSpans(table.bits, table.ranks, table.starts, list, count, begins, ends);
      tables.set(word, { begins, ends, places: table.places });
      continue;
    }
    const refs = space.refs([ordinal]);
    const places = workspace.mark;
    const room = Math.floor(workspace.room / 4);
    const { at } = refs;
    const total = kernels.wordPlaces(at, 1, rows, setOffsets, setFields, list, count, 0, 0, 0, begins, places, room);
    workspace.allocate(total * 4);
    tables.set(word, { begins, ends: begins + 4, places });
  }
  const plane = workspace.allocate(count * 2);
  const positions = workspace.allocate(count * 4);
  kernels.fill(bits, bytes, 0);
  // A pair adds nothing where it is near enough.
  const total = workspace.allocate(count * 2);
  kernels.planeFill(total, count, 0);
  for (const { left: first, right: second, step } of pairs) {
    const a = tables.get(slots[first]!)!;
    const b = tables.get(slots[second]!)!;
    kernels.planeFill(plane, count, NO_COST);
    if (byAttribute)
      kernels.nearInField(a.begins, a.ends, a.places, b.begins, b.ends, b.places, count, marks, 0, plane);
    else kernels.near(a.begins, a.ends, a.places, b.begins, b.ends, b.places, count, 0, 0, plane);
    if (!byAttribute && step > 1) forgive(space, plane, count, step, positions);
    kernels.planeAdd(total, plane, count);
  }
  const left = kernels.planePick(total, count, 0, positions);
  kernels.listPick(list, positions, left, positions);
  kernels.listBits(positions, left, bits);
  workspace.release(mark);
}

const buffers: PlaceBuffer[] = [];

function buffer(slot: number): PlaceBuffer {
  while (buffers.length <= slot) buffers.push(new PlaceBuffer());
  return buffers[slot]!;
}

/** Lets words that are several slots apart stand as many words apart: costs below `step` become none. */
function forgive({ kernels, workspace }: RowSpace, plane: number, count: number, step: number, scratch: number): void {
  const near = kernels.planePickFrom(plane, count, 0, step, scratch);
  for (let i = 0; i < near; i++) workspace.u16[(plane >>> 1) + workspace.u32[(scratch >>> 2) + i]!] = 0;
}

/** With fewer documents it is quicker to look at each of them than to make sets. */
const FEW = 512;

/** Live documents in which `right` follows `left` directly, or stands in the same attribute; counting may end at `enough`. */
export function countTogether(corpus: Corpus, left: Word, right: Word, byAttribute: boolean, enough: number): number {
  if (Math.min(left.documents, right.documents) < FEW) return countEach(corpus, left, right, byAttribute, enough);
  let count = 0;
  corpus.spaces.list.forEach((space, segment) => {
    // Copied, if it must be, before anything that is given back.
    space.address(corpus.segments[segment]!.view.live);
    const { mark } = space.workspace;
    const rows = space.emptySet().words.byteOffset;
    if (addRowsWithAll(corpus, segment, [left, right], null, rows)) {
      keepNear(corpus, segment, [left, right], [{ left: 0, right: 1, step: 1 }], rows, byAttribute);
      count += space.kernels.bitsCount(rows, space.bytes);
    }
    space.workspace.release(mark);
  });
  return count;
}

function countEach(corpus: Corpus, left: Word, right: Word, byAttribute: boolean, enough: number): number {
  let count = 0;
  corpus.segments.forEach((segment, index) => {
    const leftOrdinal = left.ordinals[index]!;
    const rightOrdinal = right.ordinals[index]!;
    if (leftOrdinal === -1 || rightOrdinal === -1) return;
    const a = segment.open(0, leftOrdinal);
    const b = left === right ? a : segment.open(1, rightOrdinal);
    const [rare, other] = a.docCount <= b.docCount ? [a, b] : [b, a];
    const { live } = segment.view;
    const areTogether = (one: PostingsCursor, two: PostingsCursor): boolean => {
      const onePlaces = buffer(0);
      const twoPlaces = one === two ? onePlaces : buffer(1);
      onePlaces.read(one);
      if (one !== two) twoPlaces.read(two);
      if (byAttribute) return shareField(onePlaces, twoPlaces, corpus.fields(index));
      return forwardDistance(onePlaces.places, 0, onePlaces.count, twoPlaces.places, 0, twoPlaces.count) === 1;
    };
    let row = rare.next();
    while (row !== NO_ROW && count < enough) {
      const met = other.seek(row);
      if (met !== row) {
        row = met === NO_ROW ? NO_ROW : rare.seek(met);
        continue;
      }
      if (live.has(row) && areTogether(a, b)) count++;
      row = rare.next();
    }
  });
  return count;
}
