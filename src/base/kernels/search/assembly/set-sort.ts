/**
 * Sorts many documents by what they cost under a rule as sets, without a look at each of them: first those that cost
 * nothing, by weights of fields also those that cost little. Often these are all that the page needs.
 */

import { addToOrder, agreedPaths, choiceOrder, newOrders, startOrder } from "./agreement";
import { unspent } from "./cost-sort";
import { fieldsAreEqual } from "./costs";
import { freeSet, lightSet, UNTOLD } from "./free-sets";
import { index } from "./index-of";
import { addBoth, addTo, andInto, clearSet, countOf, hasAny, removeFrom } from "./lines";
import { addPath, chosenPaths, newPaths, Path, Paths } from "./paths";
import { nodeOf } from "./readings";
import { stack } from "./room";
import { FIELD, narrows, POSITION, pathMax } from "./rules";
import { areMany, Docs, docsOfFinal, isMany, keptSet } from "./sets";

/** Those that are likely to be first must be so much fewer. */
const LIKELY_SHARE: u32 = 8;
/** The same of those that are by where their words stand: more has to be known of each. */
const PLACED_SHARE: u32 = 4;

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
  /** By weights: the sets of `weighedUpTo`, u32 by reading and cost, 0 until somebody asks. */
  weighed: usize;
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
  if (byWeights(sort)) {
    const bytes = (<usize>(paths.path(0).length * index.lightWeights)) << 2;
    sort.weighed = stack(bytes);
    memory.fill(sort.weighed, 0, bytes);
  }
  return sort;
}

function byWeights(sort: SetSort): bool {
  return sort.rule === FIELD && sort.paths.count === 1;
}

/** The documents of the next cost, of which there may be none; null when there is no quick way to tell. */
export function nextSet(sort: SetSort): Docs | null {
  sort.cost++;
  const found = byWeights(sort) ? nextWeighed(sort) : nextFree(sort);
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
  const orders = newOrders(paths.count);
  const isOne = paths.count === 1;
  const free = keptSet();
  const found = isOne ? free : keptSet();
  let left = docs.source;
  for (let p: u32 = 0; p < paths.count; p++) {
    const path = paths.path(p);
    if (!findFree(rule, path, docs, left, found)) return null;
    if (!hasAny(found)) continue;
    startOrder(orders, chosen.count);
    addToOrder(orders, chosen.count, p);
    if (narrows(rule)) {
      for (let i: u32 = 0; i < path.length; i++) addToOrder(orders, chosen.count, choiceOrder(path.at(i), 0));
    }
    addPath(chosen, narrows(rule) ? unspent(rule, path) : changetype<usize>(path));
    if (isOne) break;
    addTo(free, found);
    left = without(docs.source, free);
  }
  setPaths = isOne || chosen.count === 0 ? chosenPaths(chosen) : agreedPaths(0, chosen, orders);
  return docsOfFinal(free);
}

/** Those whose fields weigh as much as the cost; all that are left weigh the most. */
function nextWeighed(sort: SetSort): Docs | null {
  const path = sort.paths.path(0);
  const cost = <u32>sort.cost;
  setPaths = sort.paths;
  if (cost === pathMax(FIELD, path)) return docsOfFinal(sort.left);
  if (cost >= index.lightWeights || (cost > 0 && !isMany(sort.leftCount))) return null;
  const weighed = weighedUpTo(sort, path.length, cost);
  if (weighed === UNTOLD) return null;
  const found = keptSet();
  andInto(found, sort.left, weighed);
  return docsOfFinal(found);
}

/** Documents in which the first readings of the path cost no more than that. */
function weighedUpTo(sort: SetSort, length: u32, cost: u32): usize {
  if (length === 0) return sort.docs.source;
  const at = sort.weighed + ((<usize>((length - 1) * index.lightWeights + cost)) << 2);
  if (load<u32>(at) === 0) store<u32>(at, <u32>weigh(sort, length, cost));
  return load<u32>(at);
}

function weigh(sort: SetSort, length: u32, cost: u32): usize {
  const reading = sort.paths.path(0).at(length - 1);
  const size = nodeOf(reading).size;
  const set = keptSet();
  for (let weight: u32 = 0; weight * size <= cost && weight <= index.heaviest; weight++) {
    const before = weighedUpTo(sort, length - 1, cost - weight * size);
    if (before === UNTOLD) return UNTOLD;
    if (weight === index.heaviest) {
      addTo(set, before);
      break;
    }
    const light = lightSet(reading, weight, sort.docs);
    if (light === UNTOLD) return UNTOLD;
    addBoth(set, before, light);
  }
  return set;
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

/** What `likelyByPlace` found: those whose fields weigh so little that they come before all others, wherever words stand. */
export let lightest: usize = 0;

/**
 * The same where the page is not full of documents that cost nothing: those whose fields weigh little, as long as they are few,
 * and of those that weigh the next more the ones in which the first word stands first in a field. Of documents that cost the same
 * under the rule before, the light ones and those that cost nothing under the rule of positions come first.
 */
export function likelyByPlace(docs: Docs, paths: Paths, rules: usize, ruleCount: u32, wanted: u32): Docs | null {
  if (!areMany(docs) || paths.isGraph !== 0 || paths.count !== 1) return null;
  const byField = ruleCount > 0 && load<u8>(rules) === FIELD;
  const place: u32 = byField ? 1 : 0;
  if (ruleCount <= place || load<u8>(rules + place) !== POSITION) return null;
  const path = paths.path(0);
  const starts = path.length === 0 ? UNTOLD : freeSet(POSITION, path.at(0), docs);
  if (starts === UNTOLD) return null;
  lightest = keptSet();
  const heavier = byField && !fieldsAreEqual() ? nextHeavier(docs, paths) : docs.source;
  if (heavier === 0) return null;
  const found = keptSet();
  if (starts !== 0) andInto(found, heavier, starts);
  addTo(found, lightest);
  const likely = docsOfFinal(found);
  return likely.count >= wanted && likely.count <= docs.count / PLACED_SHARE ? likely : null;
}

/** Documents whose fields weigh no more than the least that many of them do; `lightest` are those that weigh less. 0: untold. */
export function nextHeavier(docs: Docs, paths: Paths): usize {
  const most = pathMax(FIELD, paths.path(0));
  const sort = openSetSort(FIELD, docs, paths)!;
  for (let cost: u32 = 0; cost < most; cost++) {
    if (cost >= index.lightWeights) return 0;
    const weighed = weighedUpTo(sort, paths.path(0).length, cost);
    if (weighed === UNTOLD) return 0;
    const found = keptSet();
    andInto(found, docs.source, weighed);
    if (countOf(found) > docs.count / LIKELY_SHARE) return found;
    lightest = found;
  }
  return docs.source;
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
