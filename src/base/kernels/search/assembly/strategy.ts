/** Which terms a document may lack: groups of nodes, those given up first in front; and who is left then. */
import { agreeOnFrequencies } from "./agreement";
import { index } from "./index-of";
import { addBoth, addTo, countBoth } from "./lines";
import { Node, nodeAt, nodeCount } from "./nodes";
import { isEmpty, isFound, matching, wholeReading } from "./readings";
import { keepZeros, mark, release, stack } from "./room";
import { emptySet, keptSet } from "./sets";

const STRATEGY_LAST: u32 = 0;
const STRATEGY_ALL: u32 = 1;
const INFINITE: u32 = 0xffff_ffff;

/** u32 by node: the number of its group from 1 on, 0 for one that must stay. */
let groupsAt: usize = 0;

export function groupOf(node: u32): u32 {
  return load<u32>(groupsAt + ((<usize>node) << 2));
}

export function openStrategy(kind: u32, termCount: u32, allowed: usize): void {
  groupsAt = keepZeros((<usize>nodeCount) << 2);
  reachedAt = 0;
  universe = 0;
  if (kind === STRATEGY_ALL || kind === STRATEGY_LAST) {
    reachedAt = keepZeros((<usize>termCount + 1) << 2);
    store<u32>(reachedAt, <u32>allowed);
  }
  if (kind === STRATEGY_ALL || nodeCount === 0 || (kind === STRATEGY_LAST && termCount === 1)) return;
  const before = mark();
  const ranks = stack((<usize>termCount) << 2);
  if (kind === STRATEGY_LAST) {
    for (let term: u32 = 0; term < termCount; term++) store<u32>(ranks + ((<usize>term) << 2), termCount - term);
  } else rankByFrequency(ranks, termCount);
  let hasPhrase = false;
  let last: u32 = 0;
  for (let n: u32 = 0; n < nodeCount; n++) {
    const own = nodeAt(n);
    const phrase = own.phrase;
    const input = own.input;
    if (phrase !== null) {
      hasPhrase = true;
      continue;
    }
    let rank: u32 = 0;
    for (let term = input.from; term <= input.to; term++) rank = max(rank, load<u32>(ranks + ((<usize>term) << 2)));
    store<u32>(groupsAt + ((<usize>n) << 2), rank);
    last = max(last, rank);
  }
  release(before);
  if (hasPhrase) return;
  // Something must be left.
  for (let n: u32 = 0; n < nodeCount; n++) if (groupOf(n) === last) store<u32>(groupsAt + ((<usize>n) << 2), 0);
}

/** The most frequent terms get the lowest ranks; terms in no document count as most frequent. */
function rankByFrequency(ranks: usize, termCount: u32): void {
  const frequencies = stack((<usize>termCount) << 2);
  const found = stack(0);
  for (let term: u32 = 0; term < termCount; term++) {
    release(found);
    const set = emptySet();
    for (let n: u32 = 0; n < nodeCount; n++) {
      const input = nodeAt(n).input;
      if (input.from > term || term > input.to) continue;
      const rows = matching(wholeReading(n));
      if (rows !== 0) addTo(set, rows);
    }
    store<u32>(frequencies + ((<usize>term) << 2), countBoth(set, index.live));
  }
  agreeOnFrequencies(frequencies, termCount);
  for (let term: u32 = 0; term < termCount; term++) {
    const at = frequencies + ((<usize>term) << 2);
    if (load<u32>(at) === 0) store<u32>(at, INFINITE);
  }
  for (let term: u32 = 0; term < termCount; term++) {
    // One more than there are different higher frequencies.
    const own = load<u32>(frequencies + ((<usize>term) << 2));
    let rank: u32 = 1;
    for (let a: u32 = 0; a < termCount; a++) {
      const higher = load<u32>(frequencies + ((<usize>a) << 2));
      if (higher <= own) continue;
      let isFirst = true;
      for (let b: u32 = 0; b < a; b++) if (load<u32>(frequencies + ((<usize>b) << 2)) === higher) isFirst = false;
      if (isFirst) rank++;
    }
    store<u32>(ranks + ((<usize>term) << 2), rank);
  }
}

/** u32 by term: documents that match some way to it, 0 until somebody asks. */
let reachedAt: usize = 0;

/** What `findUniverse` found; 0 before. */
let universe: usize = 0;

/**
 * The documents that count for a node: those that match all before it. Where later terms are given up first, or none is,
 * nobody asks about others. Words that nobody has asked about yet are not looked for on that account: all documents of the
 * search count then. 0 for all of the index.
 */
export function documentsFor(node: Node): usize {
  const found = reachedAt !== 0 && isReached(node.input.from) ? reach(node.input.from) : universe;
  return found === index.live ? 0 : found;
}

/** Whether everything that leads to a term was looked for. */
function isReached(term: u32): bool {
  if (load<u32>(reachedAt + ((<usize>term) << 2)) !== 0) return true;
  for (let n: u32 = 0; n < nodeCount; n++) {
    const input = nodeAt(n).input;
    if (input.to + 1 === term && !(isFound(wholeReading(n)) && isReached(input.from))) return false;
  }
  return true;
}

function reach(term: u32): usize {
  const at = reachedAt + ((<usize>term) << 2);
  if (load<u32>(at) === 0) {
    const set = keptSet();
    store<u32>(at, <u32>set);
    for (let n: u32 = 0; n < nodeCount; n++) {
      const node = nodeAt(n);
      if (node.input.to + 1 !== term || isEmpty(wholeReading(n))) continue;
      addBoth(set, matching(wholeReading(n)), reach(node.input.from));
    }
  }
  return load<u32>(at);
}

/** Documents of `allowed` that match some way through the graph on which what may be given up is skipped. */
export function findUniverse(allowed: usize, termCount: u32): usize {
  const from = stack((<usize>termCount + 1) << 2);
  store<u32>(from + ((<usize>termCount) << 2), <u32>allowed);
  for (let term = <i32>termCount - 1; term >= 0; term--) {
    const at = from + ((<usize>term) << 2);
    let isFree = false;
    let found: usize = 0;
    for (let n: u32 = 0; n < nodeCount; n++) {
      const node = nodeAt(n);
      if (node.input.from !== <u32>term) continue;
      if (groupOf(n) > 0) isFree = isFree || node.size === 1;
      else if (!isEmpty(wholeReading(n))) {
        if (found === 0) found = keptSet();
        addBoth(found, matching(wholeReading(n)), load<u32>(from + ((<usize>(node.input.to + 1)) << 2)));
      }
    }
    const behind = load<u32>(from + ((<usize>term + 1) << 2));
    if (found === 0) found = isFree ? behind : keptSet();
    else if (isFree) addTo(found, behind);
    store<u32>(at, <u32>found);
  }
  universe = load<u32>(from);
  return universe;
}
