/**
 * Sorts many documents by what they cost under a rule as sets, without a look at each of them: first those that cost
 * nothing, by weights of fields also those that cost little. Often these are all that the page needs.
 */

import { unspent } from "./cost-sort";
import { fieldsAreEqual, summariesOf, typoBase } from "./costs";
import { index, segmentAt, segmentCount } from "./index-of";
import { Segment } from "./layout";
import { addBoth, addTermStarts, addTerms, addTo, andInto, clearSet, hasAny, markAll, removeFrom } from "./lines";
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
import { EXACT_WORDS, FIELD, narrows, POSITION, pathMax, TYPO } from "./rules";
import { areMany, Docs, docsOfFinal, isMany, keptSet } from "./sets";
import { addPrefixInFields, addStarts, addWithField, lightFieldSets } from "./table-bits";
import { othersAt, summaryAt, summaryCount, Table, withoutSummaries } from "./tables";

/** Instead of a set: it takes a look at each document to tell. */
const UNTOLD: usize = 1;

/** Those that are likely to be first must be so much fewer. */
const LIKELY_SHARE: u32 = 8;

@unmanaged
export class SetSort {
  rule: u32;
  docs: Docs;
  paths: Paths;
  /** What the bucket that was handed out last costs; -1 before the first. */
  cost: i32;
  /** The documents that were not handed out yet, as a set. */
  left: usize;
  leftCount: u32;
}

/** The interpretations that the documents handed out last chose. */
export let setPaths: Paths = changetype<Paths>(<usize>0);

/** Null where a look at each document is as quick. */
export function openSetSort(rule: u32, docs: Docs, paths: Paths): SetSort | null {
  if (!areMany(docs) || paths.isGraph !== 0) return null;
  const sort = changetype<SetSort>(stack(offsetof<SetSort>()));
  sort.rule = rule;
  sort.docs = docs;
  sort.paths = paths;
  sort.cost = -1;
  sort.left = docs.source;
  sort.leftCount = docs.count;
  if (rule === FIELD && paths.count === 1) openWeighing(docs, paths.path(0));
  return sort;
}

/** The documents of the next cost, of which there may be none; null when there is no quick way to tell. */
export function nextSet(sort: SetSort): Docs | null {
  sort.cost++;
  const found = sort.rule === FIELD && sort.paths.count === 1 ? nextWeighed(sort) : nextFree(sort);
  if (found === null) return null;
  if (found.count > 0) {
    sort.left = without(sort.left, found.source);
    sort.leftCount -= found.count;
  }
  return found;
}

/** Those that cost nothing, and no others. */
function nextFree(sort: SetSort): Docs | null {
  if (sort.cost > 0) return null;
  const rule = sort.rule;
  const docs = sort.docs;
  const paths = sort.paths;
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
    left = without(docs.source, free);
  }
  setPaths = chosenPaths(chosen);
  return docsOfFinal(free);
}

/** What is weighed, and the sets of `lightSet` and `reached`: u32 by reading and cost, 0 until somebody asks. */
let weighedDocs: Docs = changetype<Docs>(<usize>0);
let weighedPath: Path = changetype<Path>(<usize>0);
let lightAt: usize = 0;
let weighedAt: usize = 0;

function openWeighing(docs: Docs, path: Path): void {
  const bytes = (<usize>(path.length * index.lightWeights)) << 2;
  weighedDocs = docs;
  weighedPath = path;
  lightAt = stack(bytes);
  weighedAt = stack(bytes);
  memory.fill(lightAt, 0, bytes);
  memory.fill(weighedAt, 0, bytes);
}

function slotOf(table: usize, reading: u32, cost: u32): usize {
  return table + ((<usize>(reading * index.lightWeights + cost)) << 2);
}

/** Those whose fields weigh as much as the cost; all that are left weigh the most. */
function nextWeighed(sort: SetSort): Docs | null {
  const path = sort.paths.path(0);
  const cost = <u32>sort.cost;
  setPaths = sort.paths;
  if (cost === pathMax(FIELD, path)) return docsOfFinal(sort.left);
  if (cost >= index.lightWeights || (cost > 0 && !isMany(sort.leftCount))) return null;
  const weighed = weighedUpTo(path.length, cost);
  if (weighed === UNTOLD) return null;
  const found = keptSet();
  andInto(found, sort.left, weighed);
  return docsOfFinal(found);
}

/** Documents in which the first readings of the path cost no more than that. */
function weighedUpTo(length: u32, cost: u32): usize {
  if (length === 0) return weighedDocs.source;
  const at = slotOf(weighedAt, length - 1, cost);
  if (load<u32>(at) === 0) store<u32>(at, <u32>weigh(length, cost));
  return load<u32>(at);
}

function weigh(length: u32, cost: u32): usize {
  const size = nodeOf(weighedPath.at(length - 1)).size;
  const set = keptSet();
  for (let weight: u32 = 0; weight * size <= cost && weight <= index.heaviest; weight++) {
    const before = weighedUpTo(length - 1, cost - weight * size);
    if (before === UNTOLD) return UNTOLD;
    if (weight === index.heaviest) {
      addTo(set, before);
      break;
    }
    const light = lightSet(length - 1, weight);
    if (light === UNTOLD) return UNTOLD;
    addBoth(set, before, light);
  }
  return set;
}

/** Documents that have a reading of the path in a field that weighs no more than that. */
function lightSet(reading: u32, weight: u32): usize {
  const at = slotOf(lightAt, reading, weight);
  if (load<u32>(at) === 0) {
    weightMax = weight;
    store<u32>(at, <u32>setByTables<ByField>(weighedPath.at(reading), weighedDocs));
  }
  return load<u32>(at);
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

/** A set without the rows of another one. */
export function without(set: usize, gone: usize): usize {
  const left = keptSet();
  addTo(left, set);
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
      weightMax = 0;
      return setByTables<ByField>(reading, docs);
    case POSITION:
      // Only where a word can stand first does its first place tell.
      return nodeOf(reading).input.first > 0 || nodeOf(reading).size > 1 ? UNTOLD : setByTables<ByStart>(reading, docs);
    case EXACT_WORDS:
      return exactMatching(reading);
    default:
      return UNTOLD;
  }
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
