/**
 * Query words that stand near each other cost less. Measured between neighbours in the query, in any field of the document:
 * 0 for words that follow each other, up to 3; a pair in reversed order counts one more.
 */
import { NO_COST } from "../../keyword/assembly/costs";
import { near, nearInField } from "../../keyword/assembly/near";
import { REF_BYTES } from "../../keyword/assembly/term";
import { agreedToHold } from "./agreement";
import { spend } from "./clock";
import { newPlane, setWhere } from "./costs";
import { index, segmentAt, segmentCount } from "./index-of";
import { meet } from "./lines";
import { Node } from "./nodes";
import { gatherPlaces, newTables, prefixPlaces, readingPlaces, tableAt } from "./occurrences";
import { Phrase, phraseSet } from "./phrases";
import { hasCommonPrefix, matching, nodeOf, phraseCount, phraseOf, Reading } from "./readings";
import { mark, release, stack } from "./room";
import { addDocs, Docs, emptySet, rank } from "./sets";
import { Word } from "./words";

/** Distances from here on are all the same. */
const FAR: u32 = 4;
export const NO_READING: u32 = 0xffff_ffff;
/** Readings whose places are kept for the pair that comes next. */
const MEMO_MAX: u32 = 64;

/** A reading and its tables. */
@unmanaged
class ReadingTables {
  reading: Reading;
  tables: usize;
}

/** Of the list under way. */
let memo: usize = 0;
let memoCount: u32 = 0;

/** To be called for every list of documents; on the stack. */
export function openPlaces(): void {
  memo = stack(<usize>MEMO_MAX * offsetof<ReadingTables>());
  memoCount = 0;
}

/** Nothing stands between the two in the query. */
export function areNeighbours(left: Reading, right: Reading): bool {
  return left !== NO_READING && nodeOf(left).input.last + 1 === nodeOf(right).input.first;
}

export function proximityMax(reading: Reading, left: Reading): u32 {
  return nodeOf(reading).size - 1 + (areNeighbours(left, reading) ? FAR - 1 : 0);
}

export function proximityCosts(reading: Reading, left: Reading, docs: Docs): usize {
  const base = nodeOf(reading).size - 1;
  const measured = areNeighbours(left, reading);
  const plane = newPlane(docs, NO_COST);
  setWhere(matching(reading), docs, base + (measured ? FAR - 1 : 0), plane);
  if (measured) measure(left, reading, docs, base, plane);
  return plane;
}

function measure(left: Reading, right: Reading, docs: Docs, base: u32, plane: usize): void {
  const leftWords = placesOf(left, docs);
  const rightWords = placesOf(right, docs);
  // As a set it outlasts what is measured here.
  if (docs.count >= index.many) rank(docs);
  const before = mark();
  const isCommon = hasCommonPrefix(right);
  const byAttribute = index.byAttribute !== 0;
  const leftPhrases = phraseCount(left);
  const completions = isCommon ? completionPlaces(nodeOf(right), docs) : 0;
  lower(leftWords, rightWords, 0, docs, base, plane);
  lower(rightWords, leftWords, byAttribute ? 0 : 1, docs, base, plane);
  const rightPhrases = phraseCount(right);
  for (let r: u32 = 0; r < rightPhrases; r++)
    lower(leftWords, edgePlaces(phraseOf(right, r), true, docs), 0, docs, base, plane);
  for (let l: u32 = 0; l < leftPhrases; l++) {
    const edge = edgePlaces(phraseOf(left, l), false, docs);
    if (edge === 0) continue;
    lower(edge, rightWords, 0, docs, base, plane);
    for (let r: u32 = 0; r < rightPhrases; r++)
      lower(edge, edgePlaces(phraseOf(right, r), true, docs), 0, docs, base, plane);
  }
  if (isCommon) {
    lower(leftWords, completions, 0, docs, base, plane);
    lower(uncheckedPlaces(left, docs), completions, 0, docs, base, plane);
  }
  spend(docs.count);
  release(before);
}

function lower(a: usize, b: usize, more: u32, docs: Docs, base: u32, plane: usize): void {
  if (a === 0 || b === 0) return;
  for (let i: u32 = 0; i < segmentCount; i++) {
    const left = tableAt(a, i);
    const right = tableAt(b, i);
    if (left.begins === 0 || right.begins === 0) continue;
    const n = docs.countOf(i);
    const to = plane + ((<usize>docs.start(i)) << 1);
    if (index.byAttribute !== 0) {
      const marks = segmentAt(i).searchedFields;
      nearInField(left.begins, left.ends, left.places, right.begins, right.ends, right.places, n, marks, base, to);
    } else near(left.begins, left.ends, left.places, right.begins, right.ends, right.places, n, more, base, to);
  }
}

/** A reading is the right side of one pair and the left side of the next. */
function placesOf(reading: Reading, docs: Docs): usize {
  for (let m: u32 = 0; m < memoCount; m++) {
    const known = memoOf(m);
    if (known.reading === reading) return known.tables;
  }
  const tables = newTables();
  for (let i: u32 = 0; i < segmentCount; i++) readingPlaces(docs, i, reading, tableAt(tables, i));
  if (memoCount < MEMO_MAX) {
    const kept = memoOf(memoCount++);
    kept.reading = reading;
    kept.tables = tables;
  }
  return tables;
}

function memoOf(m: u32): ReadingTables {
  return changetype<ReadingTables>(memo + <usize>m * offsetof<ReadingTables>());
}

function completionPlaces(node: Node, docs: Docs): usize {
  const tables = newTables();
  for (let i: u32 = 0; i < segmentCount; i++) prefixPlaces(docs, i, node, tableAt(tables, i));
  return tables;
}

function edgeOf(phrase: Phrase, isFirst: bool): Word | null {
  return phrase.word(isFirst ? 0 : phrase.count - 1);
}

/** Places of the first or last word of a phrase in documents that hold it; 0 when that is a stop word. */
function edgePlaces(phrase: Phrase, isFirst: bool, docs: Docs): usize {
  const word = edgeOf(phrase, isFirst);
  if (word === null) return 0;
  const tables = newTables();
  const among = phraseSet(phrase);
  for (let i: u32 = 0; i < segmentCount; i++) {
    if (word.ordinal(i) !== -1) gatherPlaces(docs, i, word.ref(i), 1, among + segmentAt(i).setAt, tableAt(tables, i));
  }
  return tables;
}

/** Places of the last words of phrases that some document here holds, whether or not it stands there. */
function uncheckedPlaces(reading: Reading, docs: Docs): usize {
  const phrases = phraseCount(reading);
  if (phrases === 0) return 0;
  const set = emptySet();
  addDocs(docs, set);
  const words = stack((<usize>phrases) << 2);
  let count: u32 = 0;
  let edges: u32 = 0;
  for (let p: u32 = 0; p < phrases; p++) {
    const word = edgeOf(phraseOf(reading, p), false);
    if (word === null || !agreedToHold(reading, edges++, meet(phraseSet(phraseOf(reading, p)), set))) continue;
    store<u32>(words + ((<usize>count) << 2), <u32>changetype<usize>(word));
    count++;
  }
  const tables = newTables();
  for (let i: u32 = 0; i < segmentCount; i++) {
    const refs = stack(<usize>count * REF_BYTES);
    let there: u32 = 0;
    for (let w: u32 = 0; w < count; w++) {
      const word = changetype<Word>(<usize>load<u32>(words + ((<usize>w) << 2)));
      if (word.ordinal(i) === -1) continue;
      memory.copy(refs + <usize>there * REF_BYTES, word.ref(i), REF_BYTES);
      there++;
    }
    gatherPlaces(docs, i, refs, there, 0, tableAt(tables, i));
  }
  return tables;
}
