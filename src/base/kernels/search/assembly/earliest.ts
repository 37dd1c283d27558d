/**
 * Of many documents, the ones with the lowest numbers that cost, under every rule that is left, as little as any of them could,
 * and the few that may come before these. Documents that cost the same come in the order of their numbers: when a page is
 * full of those, no other needs to be looked at, as for questions that thousands of documents begin with.
 */

import { planePick, planePickFrom } from "../../keyword/assembly/planes";
import { isPart } from "./agreement";
import { timeIsUp } from "./clock";
import { openCostSort } from "./cost-sort";
import { exactAttributeCosts, NEITHER, wordsOfQuery } from "./exact-attribute";
import { lightSet, UNTOLD } from "./free-sets";
import { index, segmentAt, segmentCount } from "./index-of";
import { rowsWithCount, TOO_MANY } from "./lengths";
import { addBoth, addList, addTo, andInto, countBoth } from "./lines";
import { Path, Paths } from "./paths";
import { exactMatching, hasExactTerm, nodeOf } from "./readings";
import { mark, release, stack } from "./room";
import { EXACT_ATTRIBUTE, EXACT_WORDS, FIELD, NOT_THE_SAME, POSITION, PROXIMITY, sameForAll } from "./rules";
import { lightest, nextHeavier } from "./set-sort";
import { addDocs, areMany, Docs, docsOfFinal, firstDocs, keptSet, listDocs, pickDocs } from "./sets";

/** Documents with the lowest numbers, of which each is looked at: at most, and the part of all that they may be. */
const FIRST_MAX: u32 = 1024;
const FIRST_SHARE: u32 = 8;
/** So many times as many as are wanted: of fewer, too few cost little. */
const FIRST_TIMES: u32 = 4;
/** The part of all that may come before those. */
const OTHERS_SHARE: u32 = 4;
/** The part of all that has a rare word. */
const RARE_SHARE: u32 = 16;

const NONE: u8 = 0;
const FEW: u8 = 1;
const MANY: u8 = 2;

/** Null where there may be others before them, or too few. `rules`: those that are left. */
export function earliest(docs: Docs, paths: Paths, rules: usize, ruleCount: u32, wanted: u32): Docs | null {
  const firstCount = min(FIRST_MAX, docs.count / FIRST_SHARE);
  if (isPart || firstCount / FIRST_TIMES < wanted || !areMany(docs)) return null;
  if (paths.isGraph !== 0 || paths.count !== 1 || !areTold(rules, ruleCount)) return null;
  let best = firstDocs(docs, firstCount);
  let byField = false;
  let byWhole = false;
  let byWords = false;
  for (let r: u32 = 0; r < ruleCount; r++) {
    const rule = load<u8>(rules + r);
    if (rule === EXACT_ATTRIBUTE) byWhole = true;
    else if (rule === EXACT_WORDS) byWords = true;
    else if (sameForAll(rule, docs, paths) !== NOT_THE_SAME) continue;
    else if (rule === FIELD) byField = true;
    else best = costing(0, rule, best, paths);
    if (best.count < wanted || timeIsUp) return null;
  }
  const path = paths.path(0);
  const shares = byWhole || byWords ? sharesOfWords(docs, path) : 0;
  // What has a rare word may come before all others, and nothing else has the words of the query as they stand.
  const isRare = shares !== 0 && hasRareWord(shares, path);
  const words = byWhole && !isRare ? wordsOfQuery(paths) : 0;
  if (words > 0) best = beginning(best, paths);
  if (byWords && best.count >= wanted) best = costing(leastExact(shares, path), EXACT_WORDS, best, paths);
  if (best.count < wanted || timeIsUp) return null;
  const found = keptSet();
  addDocs(best, found);
  if (byField) {
    const heavier = nextHeavier(docs, paths);
    if (heavier === 0) return null;
    andInto(found, found, heavier);
    if (docsOfFinal(found).count < wanted) return null;
    addTo(found, lightest);
  }
  if (isRare) addRareWords(docs, shares, path, found);
  if (words > 0 && !addThoseAsLong(docs, path, words, found)) return null;
  const all = docsOfFinal(found);
  return all.count <= docs.count / OTHERS_SHARE ? all : null;
}

/** Whether the least that a document can cost is known of each rule, and none but the last one chooses among interpretations. */
function areTold(rules: usize, ruleCount: u32): bool {
  for (let r: u32 = 0; r < ruleCount; r++) {
    const rule = load<u8>(rules + r);
    if (rule === EXACT_WORDS && r === ruleCount - 1) continue;
    if (rule !== PROXIMITY && rule !== FIELD && rule !== POSITION && rule !== EXACT_ATTRIBUTE) return false;
  }
  return true;
}

function costing(cost: u32, rule: u32, docs: Docs, paths: Paths): Docs {
  const positions = stack((<usize>docs.count) << 2);
  const count = planePick(openCostSort(rule, docs, paths).best, docs.count, cost, positions);
  return pickDocs(docs, positions, count);
}

/** Those that begin with the query as it stands. */
function beginning(docs: Docs, paths: Paths): Docs {
  const positions = stack((<usize>docs.count) << 2);
  const count = planePickFrom(exactAttributeCosts(docs, paths), docs.count, 0, NEITHER, positions);
  return pickDocs(docs, positions, count);
}

/** For each word of the query, how many documents have it as the user wrote it: NONE, FEW or MANY. */
function sharesOfWords(docs: Docs, path: Path): usize {
  const shares = stack(<usize>path.length);
  for (let i: u32 = 0; i < path.length; i++) {
    const exact = exactMatching(path.at(i));
    const share = exact === 0 ? NONE : countBoth(docs.source, exact) <= docs.count / RARE_SHARE ? FEW : MANY;
    store<u8>(shares + i, share);
  }
  return shares;
}

/** What is not what the user wrote costs something, in nearly every document where few have that. */
function leastExact(shares: usize, path: Path): u32 {
  let least: u32 = 0;
  for (let i: u32 = 0; i < path.length; i++) {
    if (load<u8>(shares + i) !== MANY) least += nodeOf(path.at(i)).size;
  }
  return least;
}

function hasRareWord(shares: usize, path: Path): bool {
  for (let i: u32 = 0; i < path.length; i++) if (load<u8>(shares + i) === FEW) return true;
  return false;
}

/** Adds the few documents that have such a word. */
function addRareWords(docs: Docs, shares: usize, path: Path, set: usize): void {
  for (let i: u32 = 0; i < path.length; i++) {
    if (load<u8>(shares + i) === FEW) addBoth(set, docs.source, exactMatching(path.at(i)));
  }
}

/** Adds all documents of which a field may be the whole query: it has as many words. False when they are many. */
function addThoseAsLong(docs: Docs, path: Path, words: u32, set: usize): bool {
  listDocs(docs);
  const before = mark();
  let left = docs.count / OTHERS_SHARE;
  const rows = stack((<usize>left) << 2);
  for (let weight: u32 = 0; weight <= index.heaviest && left > 0; weight++) {
    const among = withExactWords(docs, path, weight);
    for (let i: u32 = 0; i < segmentCount && left > 0; i++) {
      const segment = segmentAt(i);
      for (let field: u32 = 0; docs.countOf(i) > 0 && field < segment.fieldCount && left > 0; field++) {
        if (<u32>load<u16>(segment.fieldWeights + ((<usize>field) << 1)) !== weight) continue;
        const count = rowsWithCount(docs, segment, i, field, words, among, left, rows);
        if (count !== TOO_MANY) addList(segment, rows, count, set);
        left -= count === TOO_MANY ? left : count;
      }
    }
  }
  release(before);
  return left > 0;
}

/** Documents that may have each word which stands as it was written in a field that weighs so much. */
function withExactWords(docs: Docs, path: Path, weight: u32): usize {
  if (weight === index.heaviest || weight >= index.lightWeights) return docs.source;
  const found = keptSet();
  let from = docs.source;
  for (let i: u32 = 0; i < path.length; i++) {
    const light = hasExactTerm(path.at(i)) ? lightSet(path.at(i), weight, docs) : UNTOLD;
    if (light === UNTOLD) continue;
    andInto(found, from, light);
    from = found;
  }
  return from;
}
