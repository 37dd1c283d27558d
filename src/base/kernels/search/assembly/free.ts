/**
 * Documents that cost nothing under a rule, as a set. Where there are many, these are found without a look at each of
 * them, and are often all that the page needs.
 */

import { unspent } from "./cost-sort";
import { fieldsAreEqual, summariesOf, typoBase } from "./costs";
import { segmentAt, segmentCount } from "./index-of";
import { Segment } from "./layout";
import { addTermStarts, addTerms, addTo, andInto, clearSet, hasAny, markAll, removeFrom } from "./lines";
import { Node } from "./nodes";
import { addPath, chosenPaths, newPaths, Path, Paths } from "./paths";
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
import { mark, release, stack } from "./room";
import { EXACT_WORDS, FIELD, narrows, POSITION, TYPO } from "./rules";
import { areMany, Docs, docsOfFinal, keptSet } from "./sets";
import { addStarts, addWeightless, addWithField } from "./table-bits";
import { othersAt, summaryAt, summaryCount, Table, withoutSummaries } from "./tables";

/** Instead of a set: it takes a look at each document to tell. */
const UNTOLD: usize = 1;

/** Those that are likely to be first must be so much fewer. */
const LIKELY_SHARE: u32 = 8;

/** The interpretations that the documents which cost nothing chose. */
export let freePaths: Paths = changetype<Paths>(<usize>0);

/** Null when there are none, or no quick way to tell. */
export function freeDocs(rule: u32, docs: Docs, paths: Paths): Docs | null {
  if (!areMany(docs) || paths.isGraph !== 0) return null;
  const chosen = newPaths(paths.count);
  const isOne = paths.count === 1;
  const free = keptSet();
  const found = isOne ? free : keptSet();
  let left = docs.source;
  for (let p: u32 = 0; p < paths.count; p++) {
    const path = paths.path(p);
    if (!findFree(rule, path, docs, left, found)) return null;
    if (!hasAny(found)) continue;
    addPath(chosen, narrows(rule) ? unspent(rule, path) : changetype<usize>(path));
    if (isOne) break;
    addTo(free, found);
    left = without(docs, free);
  }
  if (chosen.count === 0) return null;
  freePaths = chosenPaths(chosen);
  return docsOfFinal(free);
}

/**
 * Of many documents, those that cost nothing under the rules from `level` on as far as that is quickly told. When enough of
 * them cost nothing under the rule before either, they are the first of all: no other needs to be looked at. Null when
 * fewer than `wanted` are left, or too many to be worth it.
 */
export function likelyFirst(docs: Docs, paths: Paths, rules: usize, ruleCount: u32, wanted: u32): Docs | null {
  if (!areMany(docs) || paths.isGraph !== 0 || paths.count !== 1) return null;
  const path = paths.path(0);
  const found = keptSet();
  let from = docs.source;
  for (let level: u32 = 0; level < ruleCount; level++) {
    const rule = load<u8>(rules + level);
    if (rule !== FIELD && rule !== POSITION) break;
    if (rule === FIELD && fieldsAreEqual()) continue;
    if (!findFree(rule, path, docs, from, found)) break;
    from = found;
  }
  if (from !== found) return null;
  const likely = docsOfFinal(found);
  return likely.count >= wanted && likely.count <= docs.count / LIKELY_SHARE ? likely : null;
}

/** A set of documents without those of another one. */
export function without(docs: Docs, gone: usize): usize {
  const left = keptSet();
  addTo(left, docs.source);
  removeFrom(left, gone);
  return left;
}

/** Writes those of a set for which no reading of a path costs anything; false, and nothing is written, when that cannot be told. */
function findFree(rule: u32, path: Path, docs: Docs, among: usize, found: usize): bool {
  const sets = stack((<usize>path.length) << 2);
  for (let i: u32 = 0; i < path.length; i++) {
    const set = freeSet(rule, path.at(i), docs);
    if (set === UNTOLD) return false;
    store<u32>(sets + ((<usize>i) << 2), <u32>set);
  }
  let from = among;
  for (let i: u32 = 0; i < path.length; i++) {
    const set = <usize>load<u32>(sets + ((<usize>i) << 2));
    if (set === 0) {
      clearSet(found);
      return true;
    }
    andInto(found, from, set);
    from = found;
  }
  return path.length > 0;
}

/** 0 when there are none. */
function freeSet(rule: u32, reading: Reading, docs: Docs): usize {
  switch (rule) {
    case TYPO:
      return typoBase(reading) > 0 || !mayMatch(tier(reading, 0)) ? 0 : matching(tier(reading, 0));
    case FIELD:
      return freeByTables<ByField>(reading, docs);
    case POSITION:
      // Only where a word can stand first does its first place tell.
      return nodeOf(reading).input.first > 0 || nodeOf(reading).size > 1
        ? UNTOLD
        : freeByTables<ByStart>(reading, docs);
    case EXACT_WORDS:
      return exactMatching(reading);
    default:
      return UNTOLD;
  }
}

/** By what tables know of frequent words, and the postings of the others. */
function freeByTables<By>(reading: Reading, docs: Docs): usize {
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

/** Words in fields that weigh nothing. */
class ByField {
  addPrefix(docs: Docs, i: u32, node: Node, set: usize): bool {
    const segment = segmentAt(i);
    const known = summariesOf(docs, i, node);
    if (known !== null) return this.addKnown(known, segment, docs.countOf(i), set);
    markAll(segment, set);
    return addWeightless(i, node, docs.countOf(i), set + segment.setAt);
  }

  addKnown(table: Table, segment: Segment, n: u32, set: usize): bool {
    markAll(segment, set);
    for (let field: u32 = 0; field < segment.fieldCount; field++) {
      if (load<u16>(segment.fieldWeights + ((<usize>field) << 1)) !== 0) continue;
      if (!addWithField(table, field, n, set + segment.setAt)) return false;
    }
    return true;
  }

  addTerms(segment: Segment, refs: usize, count: u32, set: usize): void {
    addTerms(segment, refs, count, segment.weightlessSets, set);
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
