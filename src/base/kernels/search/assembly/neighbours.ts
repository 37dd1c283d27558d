/**
 * Of many documents, those that cost nothing under the rule of proximity, since each word follows the one before it, or may cost
 * nothing, since the last two words of some interpretation do. Told from the words of each row, without their places, and often
 * all that the page needs.
 */

import { spend } from "./clock";
import { addRowsFollowed, areShort, hasForward } from "./forward";
import { index, segmentAt, segmentCount } from "./index-of";
import { Path, Paths } from "./paths";
import { areNeighbours } from "./proximity";
import { hasCommonPrefix, hasExactTerm, nodeOf, phraseCount, Reading, typoWordsOf } from "./readings";
import { areMany, Docs, docsOfFinal, keptSet } from "./sets";

/** Those that cost nothing, all of them; null when that cannot be told. */
export function following(docs: Docs, paths: Paths): Docs | null {
  if (!areMany(docs) || index.byAttribute !== 0 || paths.count !== 1) return null;
  const path = paths.path(0);
  if (!mayBeFree(path)) return null;
  for (let r: u32 = 1; r < path.length; r++) if (!isPairTold(path.at(r - 1), path.at(r), docs)) return null;
  let among = docs.source;
  for (let r: u32 = 1; r < path.length; r++) {
    if (!areNeighbours(path.at(r - 1), path.at(r))) continue;
    const found = keptSet();
    for (let i: u32 = 0; i < segmentCount; i++)
      if (docs.countOf(i) > 0) addPair(path.at(r - 1), path.at(r), i, among, found);
    among = found;
    spend(docs.count);
  }
  return docsOfFinal(among);
}

/** Adds the rows of a segment in `among` where a word follows another one to a set. */
function addPair(left: Reading, right: Reading, i: u32, among: usize, set: usize): void {
  const ordinal = nodeOf(left).exact!.ordinal(i);
  if (ordinal === -1) return;
  const own = nodeOf(right).refsOf(i);
  if (hasCommonPrefix(right)) addRowsFollowed(i, ordinal, own.from, own.to, among, set);
  else {
    const next = nodeOf(right).exact!.ordinal(i);
    if (next !== -1) addRowsFollowed(i, ordinal, next, next + 1, among, set);
  }
}

/** Whether each of the two is one word, the second may be the beginning of many, and a look at rows is soon done. */
function isPairTold(left: Reading, right: Reading, docs: Docs): bool {
  if (!areNeighbours(left, right)) return true;
  const isCommon = hasCommonPrefix(right);
  if (!isOneWord(left, docs) || (!isCommon && !isOneWord(right, docs))) return false;
  if (isCommon && !isWithoutOthers(right, docs)) return false;
  for (let i: u32 = 0; i < segmentCount; i++) {
    if (docs.countOf(i) === 0) continue;
    if (!hasForward(segmentAt(i)) || !(isCommon || areShort(segmentAt(i)))) return false;
  }
  return true;
}

function isOneWord(reading: Reading, docs: Docs): bool {
  return nodeOf(reading).isPrefix === 0 && hasExactTerm(reading) && isWithoutOthers(reading, docs);
}

/** Neither typos nor phrases are among what it stands for. */
function isWithoutOthers(reading: Reading, docs: Docs): bool {
  if (phraseCount(reading) > 0) return false;
  for (let i: u32 = 0; i < segmentCount; i++) if (docs.countOf(i) > 0 && typoWordsOf(reading, i) > 0) return false;
  return true;
}

/** Those that may cost nothing must be so much fewer. */
const FEWER: u32 = 2;

/** Null when that cannot be told, or they are too many to be worth it. */
export function neighbours(docs: Docs, paths: Paths): Docs | null {
  if (!areMany(docs) || index.byAttribute !== 0) return null;
  for (let p: u32 = 0; p < paths.count; p++) if (!isTold(paths.path(p), docs)) return null;
  const found = keptSet();
  for (let p: u32 = 0; p < paths.count; p++) {
    const path = paths.path(p);
    if (!mayBeFree(path)) continue;
    const right = path.at(path.length - 1);
    const left = nodeOf(path.at(path.length - 2)).exact;
    if (left === null) continue;
    for (let i: u32 = 0; i < segmentCount; i++) {
      const own = nodeOf(right).refsOf(i);
      if (docs.countOf(i) > 0 && left.ordinal(i) !== -1)
        addRowsFollowed(i, left.ordinal(i), own.from, own.to, docs.source, found);
    }
  }
  spend(docs.count);
  const near = docsOfFinal(found);
  return near.count <= docs.count / FEWER ? near : null;
}

/** Words joined to one cost something wherever they stand. */
function mayBeFree(path: Path): bool {
  for (let i: u32 = 0; i < path.length; i++) if (nodeOf(path.at(i)).size > 1) return false;
  return true;
}

/** Whether the last word of a path is the beginning of many, and the one before it is the only one that it stands for. */
function isTold(path: Path, docs: Docs): bool {
  if (!mayBeFree(path)) return true;
  if (path.length < 2) return false;
  const left = path.at(path.length - 2);
  const right = path.at(path.length - 1);
  if (!areNeighbours(left, right) || !hasCommonPrefix(right)) return false;
  if (nodeOf(left).isPrefix !== 0 || !isWithoutOthers(left, docs) || !isWithoutOthers(right, docs)) return false;
  for (let i: u32 = 0; i < segmentCount; i++) if (docs.countOf(i) > 0 && !hasForward(segmentAt(i))) return false;
  return true;
}
