/** Which documents hold words beside each other: phrases, synonyms, words written in two. */
import { bitAt, bitsAnd, bitsList, rowAt } from "../../keyword/assembly/bits";
import { NO_COST } from "../../keyword/assembly/costs";
import { gatherMet } from "../../keyword/assembly/gather";
import { meetAll, useList } from "../../keyword/assembly/meet";
import { near, nearInField } from "../../keyword/assembly/near";
import { listPick, planeAdd, planeFill, planePick } from "../../keyword/assembly/planes";
import { unionRows, unionRowsInSets } from "../../keyword/assembly/rows";
import { open, useSets } from "../../keyword/assembly/term";
import { visitAll } from "../../keyword/assembly/visit";
import { spend } from "./clock";
import { index, segmentAt, segmentCount } from "./index-of";
import { PhraseInput } from "./layout";
import { addList } from "./lines";
import { keepZeros, mark, release, roomLeft, stack } from "./room";
import { keptSet } from "./sets";
import { addRemembered, keepNotes, noteRows, openNotes } from "./split-rows";
import { meetTable, tableSpans } from "./table-rows";
import { madeTable, termTable } from "./tables";
import { findWord, Word } from "./words";

/** Slots of a phrase that are compared with each other. */
const WINDOW: u32 = 3;
/** Words in a smaller share of the rows are met row by row. */
const RARE_SHARE: u32 = 32;

@unmanaged
export class Phrase {
  count: u32;
  /** Words, 0 for stop words. */
  words: usize;
  /** The documents that hold it; 0 until somebody asks. */
  set: usize;
  /** The word that it is, cut in two; 0 for other phrases. */
  whole: usize;
  wholeLength: u32;
  cut: u32;

  @inline
  word(i: u32): Word | null {
    const at = <usize>load<u32>(this.words + ((<usize>i) << 2));
    return at === 0 ? null : changetype<Word>(at);
  }
}

/** A word of a phrase that is asked for; none in a slot without a text. */
@unmanaged
class PhraseWord {
  text: u32;
  length: u32;
}

export function openPhrase(input: usize): Phrase {
  const count = changetype<PhraseInput>(input).count;
  const phrase = newPhrase(count);
  for (let i: u32 = 0; i < count; i++) {
    const slot = changetype<PhraseWord>(input + offsetof<PhraseInput>() + <usize>i * offsetof<PhraseWord>());
    if (slot.length > 0) putWord(phrase, i, findWord(slot.text, slot.length));
  }
  return phrase;
}

/** Of words that are to be put in. */
export function newPhrase(count: u32): Phrase {
  const phrase = changetype<Phrase>(keepZeros(offsetof<Phrase>()));
  phrase.count = count;
  phrase.words = keepZeros((<usize>count) << 2);
  return phrase;
}

export function putWord(phrase: Phrase, i: u32, word: Word): void {
  store<u32>(phrase.words + ((<usize>i) << 2), <u32>changetype<usize>(word));
}

export function samePhrase(a: Phrase, b: Phrase): bool {
  return a.count === b.count && memory.compare(a.words, b.words, (<usize>a.count) << 2) === 0;
}

/** The first word that is none of the stop words. */
export function firstWord(phrase: Phrase): Word | null {
  for (let i: u32 = 0; i < phrase.count; i++) if (phrase.word(i) !== null) return phrase.word(i);
  return null;
}

export function phraseSet(phrase: Phrase): usize {
  if (phrase.set === 0) {
    phrase.set = keptSet();
    if (phrase.whole === 0) addRows(phrase);
    else if (!addRemembered(phrase.whole, phrase.wholeLength, phrase.cut, phrase.set)) {
      const before = mark();
      openNotes();
      addRows(phrase);
      keepNotes(phrase.whole, phrase.wholeLength, phrase.cut);
      release(before);
    }
  }
  return phrase.set;
}

/** The documents that hold it, segment by segment. */
function addRows(phrase: Phrase): void {
  for (let i: u32 = 0; i < segmentCount; i++) {
    const before = mark();
    const count = rowsOf(phrase, i, true);
    addList(segmentAt(i), foundAt, count, phrase.set);
    if (phrase.whole !== 0) noteRows(foundAt, count, metAt(phrase, i));
    release(before);
  }
}

/** In how many rows of a segment the rarer of two words is. */
function metAt(phrase: Phrase, i: u32): u32 {
  return min(phrase.word(0)!.rows(i), phrase.word(1)!.rows(i));
}

/** Live documents that hold the phrase in any field. */
export function countPhrase(phrase: Phrase): u32 {
  let count: u32 = 0;
  for (let i: u32 = 0; i < segmentCount; i++) {
    const before = mark();
    count += rowsOf(phrase, i, false);
    release(before);
  }
  return count;
}

/** Where the rows found last are listed, on the stack. */
let foundAt: usize = 0;

/** Lists the live rows of a segment that hold the phrase, in searched fields or in any; returns how many. */
function rowsOf(phrase: Phrase, i: u32, isSearch: bool): u32 {
  let rarest: Word | null = null;
  for (let w: u32 = 0; w < phrase.count; w++) {
    const word = phrase.word(w);
    if (word === null) continue;
    if (word.ordinal(i) === -1) return 0;
    if (rarest === null || word.rows(i) < rarest.rows(i)) rarest = word;
  }
  if (rarest === null) return 0;
  const segment = segmentAt(i);
  const marks = isSearch ? segment.searchedSets : 0;
  spend(rarest.rows(i));
  const isRare = marks === 0 && rarest.rows(i) < segment.rows / RARE_SHARE;
  const count = isRare ? withOthers(phrase, rarest, i, listRare(rarest, i)) : listAll(phrase, i, marks);
  return count === 0 ? 0 : keepNear(phrase, i, count);
}

let listEnd: usize = 0;
let liveAt: usize = 0;

class Listing {
  @inline
  visit(row: u32, _rank: u32): void {
    store<u32>(listEnd, row);
    listEnd += (<usize>bitAt(liveAt, row)) << 2;
  }
}

/** The live rows of a word. */
function listRare(word: Word, i: u32): u32 {
  foundAt = stack(((<usize>word.rows(i)) << 2) + 4);
  listEnd = foundAt;
  liveAt = index.live + segmentAt(i).setAt;
  open(word.ref(i));
  visitAll<Listing>();
  return <u32>((listEnd - foundAt) >> 2);
}

/** Leaves of the rows that were found those that the other words have as well: where they stand is looked at in these only. */
function withOthers(phrase: Phrase, rarest: Word, i: u32, n: u32): u32 {
  const rows = segmentAt(i).rows;
  let left = n;
  for (let w: u32 = 0; w < phrase.count && left > 0; w++) {
    const word = phrase.word(w);
    if (word === null || word === rarest) continue;
    listEnd = foundAt;
    const known = madeTable(i, word.ref(i));
    if (known !== null) meetTable<Keeping>(known, foundAt, left, 0, 0);
    else {
      useList(foundAt, left, 0, 0, 0);
      meetAll<Keeping>(word.ref(i), 1, rows);
    }
    left = <u32>((listEnd - foundAt) >> 2);
  }
  return left;
}

/** Positions ascend, so that a row is overwritten when it was looked at. */
class Keeping {
  needsRank(): bool {
    return false;
  }

  @inline
  visit(position: u32, _rank: u32): void {
    store<u32>(listEnd, rowAt(foundAt, position));
    listEnd += 4;
  }
}

/** The live rows that all words have, in field sets that are marked. */
function listAll(phrase: Phrase, i: u32, marks: usize): u32 {
  const segment = segmentAt(i);
  const bytes = segment.setBytes;
  const all = stack(bytes);
  const own = stack(bytes);
  memory.copy(all, index.live + segment.setAt, bytes);
  let least = segment.rows;
  for (let w: u32 = 0; w < phrase.count; w++) {
    const word = phrase.word(w);
    if (word === null) continue;
    least = min(least, word.rows(i));
    memory.fill(own, 0, bytes);
    if (marks === 0) unionRows(word.ref(i), 1, segment.rows, own);
    else unionRowsInSets(word.ref(i), 1, segment.rows, marks, own);
    bitsAnd(all, all, own, bytes);
  }
  foundAt = stack((<usize>least) << 2);
  return bitsList(all, bytes, foundAt);
}

/** Leaves of the rows that were found those where no pair stands too far apart, or by attribute all in a common one. */
function keepNear(phrase: Phrase, i: u32, n: u32): u32 {
  const segment = segmentAt(i);
  const window = min(phrase.count, WINDOW);
  // Of each slot: begins of the places, where places are, and how far behind the begins their ends are.
  const tables = stack(<usize>phrase.count * SLOT_BYTES);
  memory.fill(tables, 0, <usize>phrase.count * SLOT_BYTES);
  const total = stack((<usize>n) << 1);
  const plane = stack((<usize>n) << 1);
  const positions = stack((<usize>n) << 2);
  planeFill(total, n, 0);
  let pairs: u32 = 0;
  for (let left: u32 = 0; left < phrase.count; left++) {
    for (let right = left + 1; right < min(phrase.count, left + window); right++) {
      if (phrase.word(left) === null || phrase.word(right) === null) continue;
      pairs++;
      const a = placesOf(phrase, tables, left, i, n);
      const aPlaces = slotAt(tables, left).places;
      const aEnds = a + slotAt(tables, left).toEnds;
      const b = placesOf(phrase, tables, right, i, n);
      const bPlaces = slotAt(tables, right).places;
      const bEnds = b + slotAt(tables, right).toEnds;
      planeFill(plane, n, NO_COST);
      if (index.byAttribute !== 0) {
        nearInField(a, aEnds, aPlaces, b, bEnds, bPlaces, n, segment.searchedFields, 0, plane);
      } else {
        near(a, aEnds, aPlaces, b, bEnds, bPlaces, n, 0, 0, plane);
        if (right - left > 1) forgive(plane, n, right - left);
      }
      planeAdd(total, plane, n);
    }
  }
  if (pairs === 0) return n;
  const kept = planePick(total, n, 0, positions);
  listPick(foundAt, positions, kept, positions);
  foundAt = positions;
  return kept;
}

/** Where the places of a slot's word are, by row that was found: 0 until somebody asks. */
@unmanaged
class SlotPlaces {
  begins: u32;
  places: u32;
  /** Bytes from where those of a row begin to where they end. */
  toEnds: u32;
}

const SLOT_BYTES: usize = offsetof<SlotPlaces>();

function slotAt(tables: usize, slot: u32): SlotPlaces {
  return changetype<SlotPlaces>(tables + <usize>slot * SLOT_BYTES);
}

/** The places of a slot's word in the rows found; made once for every word. Returns where the starts are. */
function placesOf(phrase: Phrase, tables: usize, slot: u32, i: u32, n: u32): usize {
  const table = slotAt(tables, slot);
  if (table.begins !== 0) return table.begins;
  for (let other: u32 = 0; other < slot; other++) {
    if (phrase.word(other) === phrase.word(slot) && slotAt(tables, other).begins !== 0) {
      memory.copy(changetype<usize>(table), changetype<usize>(slotAt(tables, other)), SLOT_BYTES);
      return table.begins;
    }
  }
  const segment = segmentAt(i);
  const known = termTable(i, phrase.word(slot)!.ref(i), n);
  if (known !== null) {
    const begins = stack((<usize>n) << 3);
    tableSpans(known, foundAt, n, 0, 0, begins, begins + ((<usize>n) << 2));
    table.begins = <u32>begins;
    table.places = known.places;
    table.toEnds = n << 2;
    return begins;
  }
  table.toEnds = 4;
  const starts = stack((<usize>n + 1) << 2);
  const places = stack(0);
  useSets(segment.setOffsets, segment.setFields);
  useList(foundAt, n, 0, 0, 0);
  const count = gatherMet(phrase.word(slot)!.ref(i), 1, segment.rows, n, starts, places, <u32>(roomLeft() >> 2) - 16);
  stack((<usize>count + 16) << 2);
  table.begins = <u32>starts;
  table.places = <u32>places;
  return starts;
}

const FORGIVEN: u16 = 0;

/** Lets words that are several slots apart stand as many words apart: costs below `step` become none. */
function forgive(plane: usize, n: u32, step: u32): void {
  const end = plane + ((<usize>n) << 1);
  for (let at = plane; at < end; at += 2) if (load<u16>(at) < step) store<u16>(at, FORGIVEN);
}
