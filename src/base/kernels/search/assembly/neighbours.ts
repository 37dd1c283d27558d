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
    addPairs(path.at(r - 1), path.at(r), docs, among, found);
    among = found;
    spend(docs.count);
  }
  return docsOfFinal(among);
}

/** Adds the rows in `among`, of the segments of some documents, where a word follows another one to a set. */
function addPairs(left: Reading, right: Reading, docs: Docs, among: usize, set: usize): void {
  const before = nodeOf(left).exact!;
  const isCommon = hasCommonPrefix(right);
  for (let i: u32 = 0; i < segmentCount; i++) {
    if (docs.countOf(i) === 0 || before.ordinal(i) === -1) continue;
    const own = nodeOf(right).refsOf(i);
    const word = isCommon ? -1 : nodeOf(right).exact!.ordinal(i);
    if (isCommon) addRowsFollowed(i, before.ordinal(i), own.from, own.to, among, set);
    else if (word !== -1) addRowsFollowed(i, before.ordinal(i), word, word + 1, among, set);
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
    const left = path.at(path.length - 2);
    if (nodeOf(left).exact !== null) addPairs(left, path.at(path.length - 1), docs, docs.source, found);
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
