/**
 * Sorts documents by the cost of their cheapest interpretation. Costs add up along an interpretation, the first cheapest
 * one is the document's, and the interpretations that some document of a bucket chose are those the next rule sees.
 */
import { NO_COST } from "../../keyword/assembly/costs";
import {
  distinct,
  planeAdd,
  planeCounts,
  planePick,
  planePickFrom,
  planeTake,
  planeUsed,
  signatureAdd,
} from "../../keyword/assembly/planes";
import { addToOrder, agreedPaths, choiceOrder, newOrders, startOrder } from "./agreement";
import { spend } from "./clock";
import { newPlane } from "./costs";
import { keepPositions } from "./host";
import { addPath, chosenPaths, newPaths, PATH_BYTES, Path, Paths, TERMS_MAX } from "./paths";
import { NO_READING, openPlaces } from "./proximity";
import { isEmpty, Reading } from "./readings";
import { mark, release, stack } from "./room";
import { choiceBase, costCount, costsOf, narrowed, narrows, PROXIMITY } from "./rules";
import { Docs, listDocs, pickDocs } from "./sets";

/** More different choices than this in one bucket are not told apart. */
const CHOICES_MAX: u32 = 4096;

@unmanaged
export class CostSort {
  rule: u32;
  docs: Docs;
  isGraph: u32;
  paths: Paths;
  /** u32 by path: its number before those that cannot match were left out; 0 where none were. */
  numbers: usize;
  max: u32;
  /** Of each path, the costs of its readings: TERMS_MAX addresses. */
  planes: usize;
  best: usize;
  /** By document, the number of its path; 0 when there is only one. */
  chosen: usize;
  /** By cost, how many documents. */
  counts: usize;
  upcoming: u32;
}

/** Where what a reading costs after another is known. */
@unmanaged
class Memo {
  reading: u32;
  before: u32;
  plane: u32;
}

/** A path, and the choices that documents made on it. */
@unmanaged
class Choice {
  path: u32;
  signature: u32;
}

let memo: usize = 0;
let memoCount: u32 = 0;
let memoRoom: u32 = 0;

export function openCostSort(rule: u32, docs: Docs, paths: Paths): CostSort {
  const sort = changetype<CostSort>(stack(offsetof<CostSort>()));
  sort.rule = rule;
  sort.docs = docs;
  sort.isGraph = paths.isGraph;
  sort.upcoming = 0;
  sort.max = costCount(rule, paths);
  listDocs(docs);
  sort.numbers = paths.isGraph !== 0 ? stack((<usize>paths.count) << 2) : 0;
  sort.paths = paths.isGraph !== 0 ? thoseThatMatch(paths, sort.numbers) : paths;
  const count = sort.paths.count;
  sort.planes = stack(((<usize>count * TERMS_MAX) << 2) + 4);
  memoRoom = count * TERMS_MAX;
  memo = stack(<usize>memoRoom * offsetof<Memo>());
  memoCount = 0;
  if (rule === PROXIMITY) openPlaces();
  for (let p: u32 = 0; p < count; p++) {
    const path = sort.paths.path(p);
    for (let i: u32 = 0; i < path.length; i++) {
      const left = i === 0 ? NO_READING : path.at(i - 1);
      store<u32>(planeAt(sort, p, i), <u32>planeOf(rule, path.at(i), left, docs));
    }
  }
  sort.chosen = count > 1 ? newPlane(docs, 0) : 0;
  sort.best = cheapest(sort);
  sort.counts = stack((<usize>sort.max + 1) << 2);
  memory.fill(sort.counts, 0, (<usize>sort.max + 1) << 2);
  planeCounts(sort.best, docs.count, sort.max, sort.counts);
  spend(docs.count);
  return sort;
}

function thoseThatMatch(paths: Paths, numbers: usize): Paths {
  const left = newPaths(paths.count);
  for (let p: u32 = 0; p < paths.count; p++) {
    const path = paths.path(p);
    let can = true;
    for (let i: u32 = 0; can && i < path.length; i++) can = !isEmpty(path.at(i));
    if (!can) continue;
    store<u32>(numbers + ((<usize>left.count) << 2), p);
    addPath(left, changetype<usize>(path));
  }
  return left;
}

function planeAt(sort: CostSort, path: u32, i: u32): usize {
  return sort.planes + ((<usize>(path * TERMS_MAX + i)) << 2);
}

function memoAt(i: u32): Memo {
  return changetype<Memo>(memo + <usize>i * offsetof<Memo>());
}

function planeOf(rule: u32, reading: Reading, left: Reading, docs: Docs): usize {
  const before = rule === PROXIMITY ? left : NO_READING;
  for (let m: u32 = 0; m < memoCount; m++) {
    const known = memoAt(m);
    if (known.reading === reading && known.before === before) return known.plane;
  }
  const plane = costsOf(rule, reading, left, docs);
  const own = memoAt(memoCount++);
  own.reading = reading;
  own.before = before;
  own.plane = <u32>plane;
  return plane;
}

function cheapest(sort: CostSort): usize {
  const docs = sort.docs;
  const paths = sort.paths;
  if (paths.count === 1) return sumOf(sort, 0);
  const best = newPlane(docs, NO_COST);
  for (let p: u32 = 0; p < paths.count; p++) {
    const before = mark();
    planeTake(best, sumOf(sort, p), sort.chosen, p, docs.count);
    release(before);
  }
  return best;
}

function sumOf(sort: CostSort, path: u32): usize {
  const length = sort.paths.path(path).length;
  const docs = sort.docs;
  if (length === 0) return newPlane(docs, 0);
  const first = <usize>load<u32>(planeAt(sort, path, 0));
  if (length === 1) return first;
  const total = stack((<usize>docs.count) << 1);
  memory.copy(total, first, (<usize>docs.count) << 1);
  for (let i: u32 = 1; i < length; i++) planeAdd(total, load<u32>(planeAt(sort, path, i)), docs.count);
  return total;
}

/** The next cost that some document has; -1 when there is none. */
export function nextCost(sort: CostSort): i32 {
  for (; sort.upcoming < sort.max; sort.upcoming++) {
    if (load<u32>(sort.counts + ((<usize>sort.upcoming) << 2)) > 0) return sort.upcoming++;
  }
  return -1;
}

/** The interpretations of the bucket that was made last. */
export let bucketPaths: Paths = changetype<Paths>(<usize>0);

/** The documents of a cost, and as `bucketPaths` the interpretations they chose. */
export function nextBucket(sort: CostSort, cost: u32, isDistinct: bool): Docs {
  const docs = sort.docs;
  const rule = sort.rule;
  const count = load<u32>(sort.counts + ((<usize>cost) << 2));
  const isAll = count === docs.count;
  if (isAll && !isDistinct && sort.chosen === 0 && (cost === 0 || !narrows(rule))) {
    bucketPaths = onlyPath(sort);
    return docs;
  }
  const positions = stack((<usize>count) << 2);
  planePick(sort.best, docs.count, cost, positions);
  const left = isDistinct ? keepPositions(docs, positions, count) : count;
  const picked = left === docs.count ? docs : pickDocs(docs, positions, left);
  bucketPaths = choose(sort, positions, left, cost);
  return picked;
}

/** What was not handed out yet. */
export function costRest(sort: CostSort): Docs {
  const docs = sort.docs;
  const positions = stack((<usize>docs.count) << 2);
  const count = planePickFrom(sort.best, docs.count, sort.upcoming, sort.max, positions);
  return pickDocs(docs, positions, count);
}

/** What is left of the only path when nothing was spent on it: all documents, of other parts too, made the same choices. */
function onlyPath(sort: CostSort): Paths {
  if (!narrows(sort.rule)) return chosenPaths(sort.paths);
  const paths = newPaths(1);
  addPath(paths, unspent(sort.rule, sort.paths.path(0)));
  return chosenPaths(paths);
}

/** Which of two paths goes first, with the choices that documents made on it, as the i-th of `orders`. */
function orderOf(sort: CostSort, orders: usize, i: u32, p: u32, signature: u32): void {
  startOrder(orders, i);
  if (!narrows(sort.rule)) {
    addToOrder(orders, i, sort.numbers === 0 ? p : load<u32>(sort.numbers + ((<usize>p) << 2)));
    return;
  }
  if (sort.isGraph === 0) addToOrder(orders, i, p);
  const path = sort.paths.path(p);
  for (let r: u32 = 0; r < path.length; r++) {
    addToOrder(orders, i, choiceOrder(path.at(r), choiceAt(signature, path.length, r)));
  }
}

/** What is left of an interpretation on which nothing was spent; on the stack. */
export function unspent(rule: u32, path: Path): usize {
  const left = changetype<Path>(stack(PATH_BYTES));
  left.length = path.length;
  for (let i: u32 = 0; i < path.length; i++) left.put(i, narrowed(rule, path.at(i), 0));
  return changetype<usize>(left);
}

function choose(sort: CostSort, positions: usize, count: u32, cost: u32): Paths {
  const chosen = sort.chosen;
  const paths = sort.paths;
  const rule = sort.rule;
  if (chosen === 0 && (!narrows(rule) || cost === 0)) return onlyPath(sort);
  const used = stack(paths.count + 1);
  memory.fill(used, chosen === 0 ? 1 : 0, paths.count);
  if (chosen !== 0) planeUsed(chosen, positions, count, used);
  if (narrows(rule)) return chooseParts(sort, positions, count, used, cost);
  const some = newPaths(paths.count);
  const orders = newOrders(paths.count);
  for (let p: u32 = 0; p < paths.count; p++) {
    if (load<u8>(used + p) === 0) continue;
    orderOf(sort, orders, some.count, p, 0);
    addPath(some, changetype<usize>(paths.path(p)));
  }
  return agreedPaths(cost, some, orders);
}

/** The different choices that documents made, path by path, in the order of paths and choices. */
function chooseParts(sort: CostSort, positions: usize, count: u32, used: usize, cost: u32): Paths {
  const paths = sort.paths;
  const rule = sort.rule;
  const found = stack((<usize>(CHOICES_MAX * 2)) << 2);
  let foundCount: u32 = 0;
  for (let p: u32 = 0; p < paths.count && foundCount < CHOICES_MAX; p++) {
    if (load<u8>(used + p) === 0) continue;
    const before = mark();
    const list = stack((<usize>count) << 2);
    const k = onPath(sort, positions, count, p, list);
    const signatures = stack((<usize>k) << 2);
    memory.fill(signatures, 0, (<usize>k) << 2);
    const path = paths.path(p);
    for (let i: u32 = 0; i < path.length; i++) {
      signatureAdd(signatures, load<u32>(planeAt(sort, p, i)), list, k, choiceBase(rule, path.at(i)));
    }
    const different = stack((<usize>CHOICES_MAX) << 2);
    const n = distinct(signatures, k, different, CHOICES_MAX - foundCount);
    for (let d: u32 = 0; d < n; d++, foundCount++) {
      const choice = changetype<Choice>(found + <usize>foundCount * offsetof<Choice>());
      choice.path = p;
      choice.signature = load<u32>(different + ((<usize>d) << 2));
    }
    release(before);
  }
  sortChoices(sort, found, foundCount);
  const narrow = newPaths(foundCount);
  const orders = newOrders(foundCount);
  const path = changetype<Path>(stack(PATH_BYTES));
  for (let f: u32 = 0; f < foundCount; f++) {
    const choice = changetype<Choice>(found + <usize>f * offsetof<Choice>());
    const from = paths.path(choice.path);
    path.length = from.length;
    for (let i: u32 = 0; i < from.length; i++) {
      path.put(i, narrowed(rule, from.at(i), choiceAt(choice.signature, from.length, i)));
    }
    orderOf(sort, orders, f, choice.path, choice.signature);
    addPath(narrow, changetype<usize>(path));
  }
  return agreedPaths(cost, narrow, orders);
}

function choiceAt(signature: u32, length: u32, i: u32): u32 {
  return (signature >> (2 * (length - 1 - i))) & 3;
}

/** The positions of documents that chose a path. */
function onPath(sort: CostSort, positions: usize, count: u32, path: u32, list: usize): u32 {
  const chosen = sort.chosen;
  if (chosen === 0) {
    memory.copy(list, positions, (<usize>count) << 2);
    return count;
  }
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const position = load<u32>(positions + ((<usize>i) << 2));
    if (load<u16>(chosen + ((<usize>position) << 1)) !== path) continue;
    store<u32>(list + ((<usize>kept) << 2), position);
    kept++;
  }
  return kept;
}

/** By path, unless paths follow the graph; then by node and choice, reading by reading. */
function sortChoices(sort: CostSort, found: usize, count: u32): void {
  for (let i: u32 = 1; i < count; i++) {
    const held = load<u64>(found + ((<usize>i) << 3));
    let at = i;
    for (; at > 0 && comesBefore(sort, held, load<u64>(found + ((<usize>(at - 1)) << 3))); at--) {
      store<u64>(found + ((<usize>at) << 3), load<u64>(found + ((<usize>(at - 1)) << 3)));
    }
    store<u64>(found + ((<usize>at) << 3), held);
  }
}

function comesBefore(sort: CostSort, a: u64, b: u64): bool {
  if (sort.isGraph === 0 && <u32>a !== <u32>b) return <u32>a < <u32>b;
  const one = sort.paths.path(<u32>a);
  const other = sort.paths.path(<u32>b);
  for (let i: u32 = 0; i < one.length && i < other.length; i++) {
    const x = choiceOrder(one.at(i), choiceAt(<u32>(a >> 32), one.length, i));
    const y = choiceOrder(other.at(i), choiceAt(<u32>(b >> 32), other.length, i));
    if (x !== y) return x < y;
  }
  return one.length < other.length;
}
