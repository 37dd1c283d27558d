/** Which documents hold words beside each other: phrases, synonyms of several words, words written in two. */
import { Bitmap } from "../segment/bitmap.ts";
import { NO_ROW, type PostingsCursor } from "../segment/postings/cursor.ts";
import type { Corpus } from "./corpus.ts";
import { forwardDistance, PlaceBuffer, shareField } from "./places.ts";
import type { Phrase } from "./rules.ts";
import type { Word, WordSegment } from "./vocabulary.ts";

/** Slots of a phrase that are compared with each other. */
const WINDOW = 3;

interface Pair {
  left: number;
  right: number;
  /** Slots from the one to the other. */
  step: number;
}

/** Live rows by segment that hold the phrase. */
export function phraseRows(corpus: Corpus, phrase: Phrase, byAttribute: boolean): Bitmap[] {
  const slots = phrase.map((text) => (text === null ? null : corpus.find(text)));
  const pairs = pairsOf(slots);
  return corpus.segments.map((segment, i) => {
    const rows = rowsWithAll(segment, i, slots, corpus.sets(i, "anywhere"));
    const fields = corpus.fields(i);
    if (rows !== null && pairs.length > 0) keepNear(segment, i, rows, slots, pairs, byAttribute ? { fields } : null);
    return rows ?? Bitmap.create(segment.view.rows);
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

/** Null when some word is not in the segment. */
function rowsWithAll(
  segment: WordSegment,
  index: number,
  slots: readonly (Word | null)[],
  sets: Uint8Array | null,
): Bitmap | null {
  let rows: Bitmap | null = null;
  for (const word of new Set(slots)) {
    if (word === null) continue;
    if (word.ordinals[index] === -1) return null;
    const own = wordRows(segment, word.ordinals[index]!, sets);
    if (rows === null) rows = own.andWith(segment.view.live);
    else rows.andWith(own);
  }
  return rows;
}

function wordRows(segment: WordSegment, ordinal: number, sets: Uint8Array | null): Bitmap {
  const rows = Bitmap.create(segment.view.rows);
  const cursor = segment.openShared(ordinal);
  if (sets === null) cursor.addRows(rows.words);
  else cursor.addRowsInSets(sets, rows.words);
  return rows;
}

const buffers: PlaceBuffer[] = [];

function buffer(slot: number): PlaceBuffer {
  while (buffers.length <= slot) buffers.push(new PlaceBuffer());
  return buffers[slot]!;
}

/** Takes away the rows where some pair stands too far apart, or with `attributes` in no common one. */
function keepNear(
  segment: WordSegment,
  index: number,
  rows: Bitmap,
  slots: readonly (Word | null)[],
  pairs: readonly Pair[],
  attributes: { fields: ReadonlySet<number> | null } | null,
): void {
  const words = [...new Set(slots)].filter((word) => word !== null);
  const cursors = words.map((word, slot) => segment.open(slot, word.ordinals[index]!));
  const slotOf = slots.map((word) => (word === null ? -1 : words.indexOf(word)));
  for (let row = rows.first(); row !== -1; row = rows.next(row + 1)) {
    for (let i = 0; i < cursors.length; i++) {
      cursors[i]!.seek(row);
      buffer(i).read(cursors[i]!);
    }
    for (const { left, right, step } of pairs) {
      const a = buffer(slotOf[left]!);
      const b = buffer(slotOf[right]!);
      const near =
        attributes !== null
          ? shareField(a, b, attributes.fields)
          : forwardDistance(a.places, 0, a.count, b.places, 0, b.count) <= step;
      if (!near) {
        rows.clear(row);
        break;
      }
    }
  }
}

/** Live documents in which `right` follows `left` directly, or stands in the same attribute; at most `enough`. */
export function countTogether(corpus: Corpus, left: Word, right: Word, byAttribute: boolean, enough: number): number {
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
