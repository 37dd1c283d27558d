/**
 * What a search over one part of an index tells of itself and is told of the other parts: see `engine/rank/agreement.ts`. A search
 * over a whole index asks nothing here.
 */
import { detailsOf } from "./hits";
import { chosenPaths, newPaths, PATH_BYTES, Paths } from "./paths";
import { Reading } from "./readings";
import { stack } from "./room";

/** The bucket that is sorted from now on: what the rules before a level said of it. */
declare function begin(details: usize, level: u32): void;

/** The rule that sorts it comes to a bucket of its own. */
declare function reach(cost: u32): void;

/** Goes into a bucket of so many documents; 0 when all that is shown comes before it. */
declare function enter(details: usize, levels: u32, count: u32): u32;

/** Tells which paths documents of a bucket chose, and their orders; returns how many were agreed on, or AS_HERE. */
declare function choose(cost: u32, paths: usize, orders: usize, count: u32): u32;

/** Writes the paths that were agreed on. */
declare function putAgreed(paths: usize): void;

/** Whether a phrase of a reading, the i-th with a last word, is held by some document of the bucket that is sorted. */
declare function holds(reading: u32, i: u32, here: u32): u32;

/** The typos of a node are looked at. */
declare function look(node: u32): void;

/** Replaces how many documents match each term here by how many do in all parts. */
declare function sumFrequencies(counts: usize, termCount: u32): void;

const AS_HERE: u32 = 0xffff_ffff;
/** Of a path: which of two goes first, in all parts alike. A length, then as many numbers: one more than a path has readings. */
const ORDER_BYTES: usize = PATH_BYTES + 4;

/** Whether this is a search over one part of an index. */
export let isPart: bool = false;
/** All that is shown comes before the bucket that was entered last. */
export let isPassed: bool = false;

export function openAgreement(ranksPart: bool): void {
  isPart = ranksPart;
  isPassed = false;
}

export function beginBucket(level: u32): void {
  if (isPart) begin(detailsOf(0), level);
}

export function reachBucket(cost: u32): void {
  if (isPart) reach(cost);
}

/** False when all that is shown comes before it. */
export function enterBucket(levels: u32, count: u32): bool {
  if (isPart && enter(detailsOf(0), levels, count) === 0) isPassed = true;
  return !isPassed;
}

/** Orders for so many paths; 0 where nobody wants to know them. On the stack. */
export function newOrders(count: u32): usize {
  return isPart ? stack(<usize>count * ORDER_BYTES) : 0;
}

/** The order of a path, with no numbers in it yet. */
export function startOrder(orders: usize, i: u32): void {
  if (orders !== 0) store<u32>(orders + <usize>i * ORDER_BYTES, 0);
}

export function addToOrder(orders: usize, i: u32, number: u32): void {
  if (orders === 0) return;
  const at = orders + <usize>i * ORDER_BYTES;
  const length = load<u32>(at) + 1;
  store<u32>(at, length);
  store<u32>(at + ((<usize>length) << 2), number);
}

/** The order of a choice on a reading. */
export function choiceOrder(reading: Reading, choice: u32): u32 {
  return ((reading >> 4) << 2) + choice;
}

/** The interpretations of a bucket, from those that its documents here chose. */
export function agreedPaths(cost: u32, here: Paths, orders: usize): Paths {
  if (!isPart) return chosenPaths(here);
  const count = choose(cost, here.list, orders, here.count);
  if (count === AS_HERE) return chosenPaths(here);
  const agreed = newPaths(count);
  agreed.count = count;
  putAgreed(agreed.list);
  return chosenPaths(agreed);
}

export function agreedToHold(reading: Reading, i: u32, here: bool): bool {
  return isPart ? holds(reading, i, here ? 1 : 0) !== 0 : here;
}

export function lookAt(node: u32): void {
  if (isPart) look(node);
}

export function agreeOnFrequencies(counts: usize, termCount: u32): void {
  if (isPart) sumFrequencies(counts, termCount);
}
