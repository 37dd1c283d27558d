/** The rules that sort by what readings cost, each known by its number. */
import { exactWordsCosts, fieldCosts, fieldsAreEqual, positionCosts, typoBase, typoCosts } from "./costs";
import { index } from "./index-of";
import { countBoth } from "./lines";
import { Path, Paths } from "./paths";
import { NO_READING, proximityCosts, proximityMax } from "./proximity";
import { exactly, matching, mayMatch, nodeOf, Reading, tier, typosMax } from "./readings";
import { Docs } from "./sets";

export const WORDS: u32 = 0;
export const TYPO: u32 = 1;
export const PROXIMITY: u32 = 2;
export const FIELD: u32 = 3;
export const POSITION: u32 = 4;
export const EXACT_ATTRIBUTE: u32 = 5;
export const EXACT_WORDS: u32 = 6;
export const SORT: u32 = 7;

export const NOT_THE_SAME: u32 = 0xffff_ffff;
const STEP_MAX: u32 = 10;

/** What the reading, after `left`, costs in each document; NO_COST where it does not match. */
export function costsOf(rule: u32, reading: Reading, left: Reading, docs: Docs): usize {
  switch (rule) {
    case TYPO:
      return typoCosts(reading, docs);
    case PROXIMITY:
      return proximityCosts(reading, left, docs);
    case FIELD:
      return fieldCosts(reading, docs);
    case POSITION:
      return positionCosts(reading, docs);
    default:
      return exactWordsCosts(reading, docs);
  }
}

/** Most that a reading can cost, whether or not some document does. */
function costMax(rule: u32, reading: Reading, left: Reading): u32 {
  const size = nodeOf(reading).size;
  switch (rule) {
    case TYPO:
      return typoBase(reading) + typosMax(reading);
    case PROXIMITY:
      return proximityMax(reading, left);
    case FIELD:
      return index.heaviest * size;
    case POSITION:
      return STEP_MAX * size;
    default:
      return size;
  }
}

/** Most that an interpretation can cost. */
export function pathMax(rule: u32, path: Path): u32 {
  let sum: u32 = 0;
  for (let i: u32 = 0; i < path.length; i++) {
    sum += costMax(rule, path.at(i), i === 0 ? NO_READING : path.at(i - 1));
  }
  return sum;
}

/** How many different costs there can be. */
export function costCount(rule: u32, paths: Paths): u32 {
  let most: u32 = 0;
  for (let p: u32 = 0; p < paths.count; p++) most = max(most, pathMax(rule, paths.path(p)));
  return most + 1;
}

/** Whether costs tell which part of a reading was used: what they have above `choiceBase`, 0 to 3. */
export function narrows(rule: u32): bool {
  return rule === TYPO || rule === EXACT_WORDS;
}

export function choiceBase(rule: u32, reading: Reading): u32 {
  return rule === TYPO ? typoBase(reading) : 0;
}

export function narrowed(rule: u32, reading: Reading, choice: u32): Reading {
  if (rule === TYPO) return tier(reading, choice);
  return rule === EXACT_WORDS && choice === 0 ? exactly(reading) : reading;
}

/** The cost that the documents, which all match the interpretations, are known to have without looking at each. */
export function sameForAll(rule: u32, docs: Docs, paths: Paths): u32 {
  if (paths.isGraph !== 0 || paths.count !== 1) return NOT_THE_SAME;
  const path = paths.path(0);
  if (rule === FIELD) return fieldsAreEqual() ? 0 : NOT_THE_SAME;
  // A single word is near itself.
  if (rule === PROXIMITY) return path.length === 1 ? nodeOf(path.at(0)).size - 1 : NOT_THE_SAME;
  if (rule !== TYPO) return NOT_THE_SAME;
  let cost: u32 = 0;
  for (let i: u32 = 0; i < path.length; i++) {
    if (mayHaveTypo(path.at(i)) && !allHave(tier(path.at(i), 0), docs)) return NOT_THE_SAME;
    cost += typoBase(path.at(i));
  }
  return cost;
}

/** Where no word may have a typo, none has. */
function mayHaveTypo(reading: Reading): bool {
  return mayMatch(tier(reading, 1)) || mayMatch(tier(reading, 2));
}

/** Whether all of many documents match, as far as that is quickly told. */
function allHave(reading: Reading, docs: Docs): bool {
  if (docs.source === 0 || docs.count < index.many || !mayMatch(reading)) return false;
  const set = matching(reading);
  return set !== 0 && countBoth(docs.source, set) === docs.count;
}
