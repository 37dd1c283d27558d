/**
 * Documents for which a reading costs nothing, or little, under a rule: as sets, by what tables know of frequent words and by the
 * postings of others. Each is found once a search.
 */

import { summariesOf, typoBase } from "./costs";
import { segmentAt, segmentCount } from "./index-of";
import { Segment } from "./layout";
import { addTermStarts, addTerms, markAll } from "./lines";
import { Node } from "./nodes";
import {
  exactMatching,
  hasCommonPrefix,
  matching,
  mayMatch,
  nodeOf,
  phraseCount,
  Reading,
  tier,
  typoWordsOf,
  wordsAt,
  wordsOf,
} from "./readings";
import { keep, mark, release } from "./room";
import { EXACT_WORDS, FIELD, POSITION, TYPO } from "./rules";
import { Docs, keptSet } from "./sets";
import { addPrefixInFields, addStarts, addWithField, lightFieldSets } from "./table-bits";
import { othersAt, summaryAt, summaryCount, Table, withoutSummaries } from "./tables";

/** Instead of a set: it takes a look at each document to tell. */
export const UNTOLD: usize = 1;

/** Documents for which a reading costs nothing under a rule; 0 when there are none. */
export function freeSet(rule: u32, reading: Reading, docs: Docs): usize {
  switch (rule) {
    case TYPO:
      return typoBase(reading) > 0 || !mayMatch(tier(reading, 0)) ? 0 : matching(tier(reading, 0));
    case FIELD:
      return lightSet(reading, 0, docs);
    case POSITION:
      // Only where a word can stand first does its first place tell.
      return nodeOf(reading).input.first > 0 || nodeOf(reading).size > 1 ? UNTOLD : startSet(reading, docs);
    case EXACT_WORDS:
      return exactMatching(reading);
    default:
      return UNTOLD;
  }
}

/** A set that was found before. */
@unmanaged
class Known {
  next: usize;
  reading: Reading;
  /** Most that a field may weigh, or AT_START. */
  kind: u32;
  set: usize;
  /** u8 by segment: 1 for those that it was found in. */
  segments: usize;

  /** Whether it tells of all of the documents. */
  tells(docs: Docs): bool {
    for (let i: u32 = 0; i < segmentCount; i++)
      if (docs.countOf(i) > 0 && load<u8>(this.segments + i) === 0) return false;
    return true;
  }
}

const AT_START: u32 = 0xffff_ffff;

/** Several rules ask for the same sets. */
let known: usize = 0;

/** Called before each search. */
export function openFreeSets(): void {
  known = 0;
}

function knownSet(reading: Reading, kind: u32, docs: Docs): usize {
  for (let at = known; at !== 0; at = changetype<Known>(at).next) {
    const own = changetype<Known>(at);
    if (own.reading === reading && own.kind === kind && own.tells(docs)) return own.set;
  }
  return 0;
}

/** What cannot be told of some documents may be told of others. */
function remember(reading: Reading, kind: u32, docs: Docs, set: usize): usize {
  if (set === UNTOLD) return set;
  const own = changetype<Known>(keep(offsetof<Known>()));
  own.next = known;
  own.reading = reading;
  own.kind = kind;
  own.set = set;
  own.segments = keep(segmentCount);
  for (let i: u32 = 0; i < segmentCount; i++) store<u8>(own.segments + i, <u8>(docs.countOf(i) > 0));
  known = changetype<usize>(own);
  return set;
}

/** Documents that have a reading in a field that weighs no more than that. */
export function lightSet(reading: Reading, weight: u32, docs: Docs): usize {
  const found = knownSet(reading, weight, docs);
  if (found !== 0) return found;
  weightMax = weight;
  return remember(reading, weight, docs, setByTables<ByField>(reading, docs));
}

/** Documents in which a reading stands first in a field. */
function startSet(reading: Reading, docs: Docs): usize {
  const found = knownSet(reading, AT_START, docs);
  return found !== 0 ? found : remember(reading, AT_START, docs, setByTables<ByStart>(reading, docs));
}

/** By what tables know of frequent words, and the postings of the others. */
function setByTables<By>(reading: Reading, docs: Docs): usize {
  const by = changetype<By>(<usize>0);
  if (phraseCount(reading) > 0) return UNTOLD;
  const isCommon = hasCommonPrefix(reading);
  const set = keptSet();
  const before = mark();
  for (let i: u32 = 0; i < segmentCount; i++) {
    const n = docs.countOf(i);
    if (n === 0) continue;
    const segment = segmentAt(i);
    if (isCommon && nodeOf(reading).refsOf(i).from !== nodeOf(reading).refsOf(i).to) {
      if (!by.addPrefix(docs, i, nodeOf(reading), set)) return UNTOLD;
    }
    // The word itself is among the words that begin with it.
    const count = isCommon ? typoWordsOf(reading, i) : wordsOf(reading, i);
    const others = withoutSummaries(i, wordsAt, count, n);
    for (let s: u32 = 0; s < summaryCount; s++) {
      if (!by.addKnown(summaryAt(s), segment, n, set)) return UNTOLD;
    }
    by.addTerms(segment, othersAt, others, set);
    release(before);
  }
  return set;
}

/** Most that a field may weigh. */
let weightMax: u32 = 0;

/** Words in fields that do not weigh more. */
class ByField {
  addPrefix(docs: Docs, i: u32, node: Node, set: usize): bool {
    const segment = segmentAt(i);
    const known = summariesOf(docs, i, node);
    if (known !== null) return this.addKnown(known, segment, docs.countOf(i), set);
    markAll(segment, set);
    return addPrefixInFields(i, node, weightMax, docs.countOf(i), set + segment.setAt);
  }

  addKnown(table: Table, segment: Segment, n: u32, set: usize): bool {
    markAll(segment, set);
    for (let field: u32 = 0; field < segment.fieldCount; field++) {
      if (<u32>load<u16>(segment.fieldWeights + ((<usize>field) << 1)) > weightMax) continue;
      if (!addWithField(table, field, n, set + segment.setAt)) return false;
    }
    return true;
  }

  addTerms(segment: Segment, refs: usize, count: u32, set: usize): void {
    addTerms(segment, refs, count, lightFieldSets(segment, weightMax), set);
  }
}

/** Words that stand first. */
class ByStart {
  addPrefix(docs: Docs, i: u32, node: Node, set: usize): bool {
    const known = summariesOf(docs, i, node);
    return known !== null && this.addKnown(known, segmentAt(i), docs.countOf(i), set);
  }

  addKnown(table: Table, segment: Segment, n: u32, set: usize): bool {
    markAll(segment, set);
    return addStarts(table, n, set + segment.setAt);
  }

  addTerms(segment: Segment, refs: usize, count: u32, set: usize): void {
    addTermStarts(segment, refs, count, set);
  }
}
