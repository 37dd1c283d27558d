/**
 * Drives the rules: the first one cuts the documents in buckets, the next one cuts each bucket, and so on, until enough
 * documents are in order. Only buckets that reach the page are refined.
 */

import { planePickFrom } from "../../keyword/assembly/planes";
import { beginBucket, enterBucket, isPassed } from "./agreement";
import { checkTime, forgiveTime, timeIsUp } from "./clock";
import { bucketPaths, CostSort, costRest, nextBucket, nextCost, openCostSort, unspent } from "./cost-sort";
import { earliest } from "./earliest";
import { EXACT_COSTS, exactAttributeCosts, NEITHER, withAllWords } from "./exact-attribute";
import { hitCount, putDetail, SKIPPED, score, showDocs } from "./hits";
import { hostDetail, hostRest, keepPositions, nextHostBucket, openHostSort, withoutExcluded } from "./host";
import { Request } from "./layout";
import { addBoth, removeFrom } from "./lines";
import { following, neighbours } from "./neighbours";
import { addPath, chosenPaths, newPaths, Paths } from "./paths";
import { mark, release, stack } from "./room";
import {
  costCount,
  EXACT_ATTRIBUTE,
  NOT_THE_SAME,
  POSITION,
  PROXIMITY,
  pathMax,
  SORT,
  sameForAll,
  WORDS,
} from "./rules";
import { lightest, likelyByPlace, likelyFirst, nextSet, openSetSort, SetSort, setPaths, without } from "./set-sort";
import { addDocs, areMany, Docs, docsOf, docsOfFinal, emptySet, forget, keptSet, listDocs, pickDocs } from "./sets";
import { nextWordsBucket, nextWordsCost, openWordsSort, wordsPaths } from "./words-rule";

let request: Request = changetype<Request>(<usize>0);
let universe: usize = 0;
let threshold: f64 = 0;
export let isDegraded: bool = false;

export function drive(asked: Request, rows: usize, count: u32, paths: Paths): void {
  request = asked;
  universe = rows;
  isDegraded = false;
  threshold = reinterpret<f64>(((<u64>asked.thresholdHigh) << 32) | <u64>asked.thresholdLow);
  // Without rules nothing beyond the last hit is looked at.
  if (asked.ruleCount === 0) showDocs(docsOf(rows), 0, false);
  else sort(0, null, count, paths);
}

function ruleAt(level: u32): u32 {
  return load<u8>(request.rules + level);
}

/** `docs`: null for the universe, which need not be listed before somebody asks. */
function sort(level: u32, given: Docs | null, count: u32, paths: Paths): void {
  const before = mark();
  checkTime();
  if (timeIsUp) {
    giveUp(level, given === null ? docsOf(universe) : given);
    release(before);
    return;
  }
  beginBucket(level);
  const rule = ruleAt(level);
  if (rule === WORDS) sortByWords(level, given, count);
  else {
    const docs = given === null ? docsOfFinal(universe) : given;
    if (rule === EXACT_ATTRIBUTE) sortByExactAttribute(level, docs, paths);
    else if (rule === SORT) sortByHost(level, docs, paths);
    else {
      const same = sameForAll(rule, docs, paths);
      if (same === NOT_THE_SAME) sortByCost(level, docs, paths);
      else {
        const only = newPaths(1);
        addPath(only, unspent(rule, paths.path(0)));
        goOn(
          level,
          isDistinct() ? withoutExcluded(docs) : docs,
          chosenPaths(only),
          same,
          pathMax(rule, paths.path(0)) + 1,
        );
      }
    }
    forget(docs, before);
  }
  release(before);
}

/** What time does not allow to sort comes as it is. */
function giveUp(level: u32, docs: Docs): void {
  forgiveTime();
  isDegraded = true;
  putDetail(level, SKIPPED, 1);
  showDocs(docs, level + 1, isDistinct());
}

function isDistinct(): bool {
  return request.isDistinct !== 0;
}

function isEnough(): bool {
  return hitCount >= request.wanted || isPassed;
}

function sortByWords(level: u32, given: Docs | null, count: u32): void {
  let rows = universe;
  if (given !== null) {
    rows = given.source;
    if (rows === 0) {
      rows = emptySet();
      addDocs(given, rows);
    }
  }
  const words = openWordsSort(rows, request.termCount);
  let left = count;
  for (let isFirst = true; !isEnough() && left > 0; isFirst = false) {
    const before = mark();
    if (!isFirst) checkTime();
    if (timeIsUp) {
      giveUp(level, docsOf(words.left));
      return;
    }
    const cost = nextWordsCost(words);
    if (cost < 0) return;
    const docs = nextWordsBucket(words, cost, isDistinct());
    left -= docs.count;
    if (!goOn(level, docs, wordsPaths, cost, words.max)) {
      const rest = docsOf(words.left);
      leave(rest);
      return;
    }
    release(before);
  }
}

function sortByCost(level: u32, docs: Docs, paths: Paths): void {
  let sorting: SetSort | null = null;
  if (!isDistinct()) sorting = openSetSort(ruleAt(level), docs, paths);
  const rest = sorting === null ? docs : sortAsSets(level, sorting, docs, paths);
  if (rest === null) return;
  if (rest !== docs || !showLikely(level, docs, paths)) sortEach(level, rest, paths);
}

/** As far as sets tell: often that is enough, and no document is looked at. Returns what is left to sort, null for nothing. */
function sortAsSets(level: u32, sorting: SetSort, docs: Docs, paths: Paths): Docs | null {
  const max = costCount(ruleAt(level), paths);
  let rest = docs;
  for (let found = nextSet(sorting); found !== null; found = nextSet(sorting)) {
    if (found.count === 0) continue;
    if (!goOn(level, found, setPaths, sorting.cost, max)) {
      leave(docsOfFinal(sorting.left));
      return null;
    }
    if (isEnough() || sorting.leftCount === 0) return null;
    rest = docsOfFinal(sorting.left);
    checkTime();
    if (timeIsUp) {
      giveUp(level, rest);
      return null;
    }
  }
  return rest;
}

/**
 * Fills the page with documents that cost nothing under this rule and little under the next ones, without a look at the
 * others; false when there are not enough.
 */
function showLikely(level: u32, docs: Docs, paths: Paths): bool {
  if (isDistinct() || request.hasThreshold !== 0) return false;
  const before = mark();
  const next = level + 1;
  const rules = request.rules + next;
  const left = request.ruleCount - next;
  const wanted = request.wanted - hitCount;
  let isShown = showEarliest(level, docs, paths);
  if (!isShown && !timeIsUp) {
    const likely = likelyFirst(docs, paths, rules, left, wanted);
    if (likely !== null) isShown = showFree(level, likely, paths, wanted);
  }
  if (!isShown && !timeIsUp) {
    const placed = likelyByPlace(docs, paths, rules, left, wanted);
    if (placed !== null) isShown = showPlaced(level, placed, paths, wanted);
  }
  if (!isShown && !timeIsUp && ruleAt(level) === PROXIMITY) isShown = showNear(level, docs, paths, wanted);
  forget(docs, before);
  release(before);
  return isShown;
}

/** Fills the page with the documents of the lowest numbers that cost as little as any could; false when there are not enough. */
function showEarliest(level: u32, docs: Docs, paths: Paths): bool {
  if (isDistinct() || request.hasThreshold !== 0) return false;
  const first = earliest(docs, paths, request.rules + level, request.ruleCount - level, request.wanted - hitCount);
  if (first === null) return false;
  sort(level, first, first.count, paths);
  return true;
}

/** Those in which words follow each other as they do in the question; false when there are not enough. */
function showNear(level: u32, docs: Docs, paths: Paths, wanted: u32): bool {
  const free = following(docs, paths);
  if (free === null) {
    const near = neighbours(docs, paths);
    return near !== null && near.count >= wanted && showFree(level, near, paths, wanted);
  }
  if (free.count < wanted || timeIsUp) return false;
  goOn(level, free, chosenPaths(paths), 0, costCount(PROXIMITY, paths));
  return true;
}

/** Those that cost nothing under the rule, which come first; false when there are not enough. */
function showFree(level: u32, likely: Docs, paths: Paths, wanted: u32): bool {
  const sorting = openCostSort(ruleAt(level), likely, paths);
  const free = freeDocs(sorting);
  if (free === null || free.count < wanted) return false;
  goOn(level, free, bucketPaths, 0, sorting.max);
  return true;
}

/** Of those that cost nothing under the rule, the ones that come before all others; false when there are not enough. */
function showPlaced(level: u32, likely: Docs, paths: Paths, wanted: u32): bool {
  const sorting = openCostSort(ruleAt(level), likely, paths);
  const free = freeDocs(sorting);
  if (free === null || free.count < wanted) return false;
  const chosen = bucketPaths;
  const inPlace = freeDocs(openCostSort(POSITION, free, paths));
  const all = emptySet();
  addDocs(free, all);
  const first = keptSet();
  addBoth(first, all, lightest);
  if (inPlace !== null) addDocs(inPlace, first);
  const found = docsOfFinal(first);
  if (found.count < wanted || timeIsUp) return false;
  goOn(level, found, chosen, 0, sorting.max);
  return true;
}

/** Null when there are none, or no time to tell. */
function freeDocs(sorting: CostSort): Docs | null {
  if (nextCost(sorting) !== 0 || timeIsUp) return null;
  return nextBucket(sorting, 0, false);
}

function sortEach(level: u32, docs: Docs, paths: Paths): void {
  const sorting = openCostSort(ruleAt(level), docs, paths);
  if (timeIsUp) {
    giveUp(level, docs);
    return;
  }
  let left = docs.count;
  for (let isFirst = true; !isEnough() && left > 0; isFirst = false) {
    const before = mark();
    if (!isFirst) checkTime();
    if (timeIsUp) {
      giveUp(level, costRest(sorting));
      return;
    }
    const cost = nextCost(sorting);
    if (cost < 0) return;
    const found = nextBucket(sorting, cost, isDistinct());
    left -= found.count;
    if (!goOn(level, found, bucketPaths, cost, sorting.max)) {
      leave(costRest(sorting));
      return;
    }
    forget(docs, before);
    release(before);
  }
}

function sortByExactAttribute(level: u32, docs: Docs, paths: Paths): void {
  const before = mark();
  const isShown = showEarliest(level, docs, paths);
  forget(docs, before);
  release(before);
  if (isShown) return;
  const some = !isDistinct() && areMany(docs) ? withAllWords(docs, paths) : docs;
  listDocs(some);
  const costs = exactAttributeCosts(some, paths);
  if (timeIsUp) {
    giveUp(level, docs);
    return;
  }
  let left = docs.count;
  for (let cost: u32 = 0; !isEnough() && left > 0; cost++) {
    const before = mark();
    if (cost > 0) checkTime();
    if (timeIsUp) {
      giveUp(level, exactRest(docs, some, costs, cost));
      return;
    }
    if (cost === EXACT_COSTS) return;
    const found = cost === NEITHER ? exactRest(docs, some, costs, cost) : between(some, costs, cost, cost + 1);
    left -= found.count;
    if (!goOn(level, found, paths, cost, EXACT_COSTS)) {
      leave(exactRest(docs, some, costs, cost + 1));
      return;
    }
    forget(some, before);
    release(before);
  }
}

/** The documents that cost as much or more; those that are not among `some` cost the most. */
function exactRest(docs: Docs, some: Docs, costs: usize, cost: u32): Docs {
  if (some === docs || cost === EXACT_COSTS) return between(some, costs, cost, EXACT_COSTS);
  const others = between(some, costs, 0, cost);
  if (others.count === 0) return docs;
  const gone = keptSet();
  addDocs(others, gone);
  return docsOfFinal(without(docs.source, gone));
}

/** By what only the host knows. */
function sortByHost(level: u32, docs: Docs, paths: Paths): void {
  if (!openHostSort(level, docs)) {
    giveUp(level, docs);
    return;
  }
  let left = docs.count;
  for (let isFirst = true; !isEnough() && left > 0; isFirst = false) {
    const before = mark();
    if (!isFirst) checkTime();
    if (timeIsUp) {
      giveUp(level, hostRest(level, docs));
      return;
    }
    const found = nextHostBucket(level, docs);
    if (found === null) return;
    left -= found.count;
    // What is said about values leaves the score as it is: no threshold can be passed here.
    goOn(level, found, paths, hostDetail(), 0);
    forget(docs, before);
    release(before);
  }
}

function between(docs: Docs, costs: usize, from: u32, below: u32): Docs {
  const positions = stack((<usize>docs.count) << 2);
  const found = planePickFrom(costs, docs.count, from, below, positions);
  const count = isDistinct() ? keepPositions(docs, positions, found) : found;
  return count === docs.count ? docs : pickDocs(docs, positions, count);
}

/** With a bucket, to the next rule or onto the page; false when it, and all that follow, are below the threshold. */
function goOn(level: u32, docs: Docs, paths: Paths, cost: u32, max: u32): bool {
  putDetail(level, cost, max);
  if (!enterBucket(level + 1, docs.count)) return true;
  if (request.hasThreshold !== 0 && score(level + 1) < threshold) {
    leave(docs);
    return false;
  }
  if (docs.count === 0) return true;
  const needsNoRanks = request.wantsDetails === 0 && request.hasThreshold === 0;
  if (level === request.ruleCount - 1 || (docs.count === 1 && needsNoRanks)) showDocs(docs, level + 1, isDistinct());
  else sort(level + 1, docs, docs.count, paths);
  beginBucket(level);
  return true;
}

/** Documents that do not count any more. */
function leave(docs: Docs): void {
  const before = mark();
  const set = emptySet();
  addDocs(docs, set);
  removeFrom(request.candidates, set);
  release(before);
}
