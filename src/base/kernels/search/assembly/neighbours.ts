/**
 * Of many documents, those that may cost nothing under the rule of proximity: the last two words of some interpretation follow
 * each other. Told from the words of each row, without their places, and often all that the page needs.
 */

import { spend } from "./clock";
import { addRowsFollowed, hasForward } from "./forward";
import { index, segmentAt, segmentCount } from "./index-of";
import { Path, Paths } from "./paths";
import { areNeighbours } from "./proximity";
import { hasCommonPrefix, nodeOf, phraseCount, typoWordsOf } from "./readings";
import { areMany, Docs, docsOfFinal, keptSet } from "./sets";

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
  if (nodeOf(left).isPrefix !== 0 || phraseCount(left) > 0 || phraseCount(right) > 0) return false;
  for (let i: u32 = 0; i < segmentCount; i++) {
    if (docs.countOf(i) === 0) continue;
    if (!hasForward(segmentAt(i)) || typoWordsOf(left, i) > 0 || typoWordsOf(right, i) > 0) return false;
  }
  return true;
}
