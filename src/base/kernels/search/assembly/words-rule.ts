/**
 * More of the query words first. Walks the query graph with sets: matching a node is free, skipping one that the strategy
 * gives up costs the terms it covers, and skipping forbids matching, further on, what should have been given up before.
 */
import { addToOrder, agreedPaths, newOrders, reachBucket, startOrder } from "./agreement";
import { withoutExcluded } from "./host";
import { addTo, andInto, clearSet, hasAny, meet, removeFrom } from "./lines";
import { nodeAt, nodeCount } from "./nodes";
import { addPath, newPaths, PATH_BYTES, Path, Paths, TERMS_MAX } from "./paths";
import { isEmpty, matching, wholeReading } from "./readings";
import { mark, release, stack } from "./room";
import { addDocs, Docs, docsOf, docsOfFinal, keptSet } from "./sets";
import { groupOf } from "./strategy";

/** More different ways than this that documents of one bucket take are not told apart. */
const WAYS_MAX: u32 = 512;

@unmanaged
class WordsSort {
  left: usize;
  termCount: u32;
  /** Bit c of entry t: from term t on it can cost c; of all ways, the most. */
  costsFrom: usize;
  upcoming: u32;
  max: u32;
  /** A set for every length of path: of all paths of that length only one is under way. */
  found: usize;
}

let sorting: WordsSort = changetype<WordsSort>(<usize>0);
let bucket: usize = 0;
let taken: usize = 0;
let isDone: bool = false;
let ways: Paths = changetype<Paths>(<usize>0);
/** By way: see `agreement`. */
let orders: usize = 0;
/** Of the way under way: nodes that were skipped and taken, u32 each. */
let steps: usize = 0;
let stepCount: u32 = 0;

export function openWordsSort(documents: usize, termCount: u32): WordsSort {
  const sort = changetype<WordsSort>(stack(offsetof<WordsSort>()));
  sort.left = keptSet();
  addTo(sort.left, documents);
  sort.termCount = termCount;
  sort.upcoming = 0;
  sort.costsFrom = stack((<usize>termCount + 1) << 2);
  sort.found = stack((<usize>termCount + 1) << 2);
  memory.fill(sort.found, 0, (<usize>termCount + 1) << 2);
  store<u32>(sort.costsFrom + ((<usize>termCount) << 2), 1);
  let phraseWords: i32 = 0;
  for (let term = <i32>termCount - 1; term >= 0; term--) {
    let costs: u32 = 0;
    for (let n: u32 = 0; n < nodeCount; n++) {
      const node = nodeAt(n);
      if (node.input.from !== <u32>term) continue;
      const after = costsAfter(sort, node.input.to + 1);
      costs |= after;
      if (groupOf(n) > 0) costs |= after << node.size;
      const phrase = node.phrase;
      if (phrase !== null) for (let w: u32 = 0; w < phrase.count; w++) if (phrase.word(w) !== null) phraseWords++;
    }
    store<u32>(sort.costsFrom + ((<usize>term) << 2), costs);
  }
  const most: u32 = 31 - clz(costsAfter(sort, 0));
  sort.max = 1 + most + <u32>max<i32>(0, phraseWords - 1);
  return sort;
}

function costsAfter(sort: WordsSort, term: u32): u32 {
  return load<u32>(sort.costsFrom + ((<usize>term) << 2));
}

/** The next cost there can be; -1 when there is none. */
export function nextWordsCost(sort: WordsSort): i32 {
  const costs = costsAfter(sort, 0) >> sort.upcoming;
  if (sort.upcoming > 31 || costs === 0) return -1;
  const cost = sort.upcoming + ctz(costs);
  sort.upcoming = cost + 1;
  return cost;
}

export let wordsPaths: Paths = changetype<Paths>(<usize>0);

/** The documents of a cost, and as `wordsPaths` the ways that some of them match. */
export function nextWordsBucket(sort: WordsSort, cost: u32, isDistinct: bool): Docs {
  sorting = sort;
  reachBucket(cost);
  if (isDistinct) leaveExcluded(sort.left);
  bucket = keptSet();
  taken = keptSet();
  isDone = false;
  ways = newPaths(WAYS_MAX);
  orders = newOrders(WAYS_MAX);
  steps = stack((<usize>TERMS_MAX) << 2);
  stepCount = 0;
  if (hasAny(sort.left)) {
    const path = changetype<Path>(stack(PATH_BYTES));
    path.length = 0;
    walk(0, cost, sort.left, path, 0);
  }
  wordsPaths = ways.count === 0 ? ways : agreedPaths(cost, ways, orders);
  return docsOfFinal(bucket);
}

function leaveExcluded(set: usize): void {
  const before = mark();
  const docs = withoutExcluded(docsOf(set));
  clearSet(set);
  addDocs(docs, set);
  release(before);
}

/** Depth first, `cost` being what is left to spend and `found` what satisfies the path so far. */
function walk(term: u32, cost: u32, found: usize, path: Path, forbidden: u32): void {
  if (term === sorting.termCount) {
    take(found, path);
    return;
  }
  for (let n: u32 = 0; n < nodeCount; n++) {
    const node = nodeAt(n);
    if (node.input.from !== term) continue;
    const next = node.input.to + 1;
    const after = costsAfter(sorting, next);
    const group = groupOf(n);
    if (group > 0 && cost >= node.size && ((after >> (cost - node.size)) & 1) !== 0) {
      step(2 * n);
      walk(next, cost - node.size, found, path, max(forbidden, group));
      stepCount--;
      if (isDone) return;
    }
    const isForbidden = group > 0 && group < forbidden;
    if (isForbidden || ((after >> cost) & 1) === 0 || isEmpty(wholeReading(n))) continue;
    const both = setFor(path.length);
    andInto(both, found, matching(wholeReading(n)));
    if (!meet(both, sorting.left)) continue;
    path.put(path.length, wholeReading(n));
    path.length++;
    step(2 * n + 1);
    walk(next, cost, both, path, forbidden);
    stepCount--;
    path.length--;
    if (isDone) return;
  }
}

function step(number: u32): void {
  store<u32>(steps + ((<usize>stepCount) << 2), number);
  stepCount++;
}

function setFor(length: u32): usize {
  const at = sorting.found + ((<usize>length) << 2);
  if (load<u32>(at) === 0) store<u32>(at, <u32>keptSet());
  return load<u32>(at);
}

/** Documents go to the first path they satisfy. */
function take(found: usize, path: Path): void {
  andInto(taken, found, sorting.left);
  if (!hasAny(taken)) return;
  if (ways.count < WAYS_MAX) {
    startOrder(orders, ways.count);
    for (let i: u32 = 0; i < stepCount; i++) addToOrder(orders, ways.count, load<u32>(steps + ((<usize>i) << 2)));
    addPath(ways, changetype<usize>(path));
  }
  addTo(bucket, taken);
  removeFrom(sorting.left, taken);
  isDone = !hasAny(sorting.left);
}
