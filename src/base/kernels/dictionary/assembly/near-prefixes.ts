/**
 * Terms near a word by what they may begin with: goes from letter to letter where a filter does not say that no term begins
 * so, which reads none of them, and looks up only what is near. The same terms as `near` finds, in the same order.
 */
import { firstNotBelow } from "../../keyword/assembly/bits";
import { characterBytes } from "../../shared/assembly/characters";
import {
  firstBit,
  hasBit,
  hashWith,
  LETTERS,
  lineOf,
  NO_LETTERS,
  secondBit,
  withFirstBit,
} from "../../shared/assembly/prefix-hash";
import {
  addLetter,
  allowsAny,
  distanceOf,
  endOf,
  hasAbout,
  nextLetters,
  nextPlaces,
  openTable,
  settled,
  useTable,
} from "./edit-table";
import { FuzzyWord, NO_LETTER, PrefixFilter, Range, Terms } from "./layout";
import { utf8Of } from "./packed";
import { termBound, termFind } from "./seek";

/** Sixteen letters are looked for at once. */
const AT_ONCE_BYTES: usize = 64;
/** Behind the table in the scratch, by depth: those of them that may come next. */
const FOUND_AT: usize = 10_240;
const FOUND_SHIFT: usize = 6;
/** By depth, places of the word's letters that may come after one that it does not have there. */
const AFTER_AT: usize = FOUND_AT + ((<usize>LETTERS + 1) << FOUND_SHIFT);
/** Where what is read only to have it fetched goes. */
const FETCHED_AT: usize = AFTER_AT + ((<usize>LETTERS + 1) << FOUND_SHIFT);

/** What no word has. */
const OTHER_LETTER: u32 = NO_LETTER - 1;
const MANY: u32 = u32.MAX_VALUE;

let terms: Terms = changetype<Terms>(0);
let filter: PrefixFilter = changetype<PrefixFilter>(0);
/** Terms that are still to come are in `[next, end)`. */
let next: u32 = 0;
let end: u32 = 0;
/** Begins with what the terms looked for begin with. */
let scratch: usize = 0;
let wanted: FuzzyWord = changetype<FuzzyWord>(0);

/**
 * Hands terms in `[from, to)`, all of which begin with the word's first letter, to `Taker`, as `termsNear` finds them:
 * `take` those whose distance from the word is known, `walk` those that are to be compared with it. False when it wanted no more.
 */
export function nearByPrefixes<Taker>(
  vocabulary: Terms,
  prefixes: PrefixFilter,
  from: u32,
  to: u32,
  word: FuzzyWord,
  room: usize,
): bool {
  terms = vocabulary;
  filter = prefixes;
  next = from;
  end = to;
  scratch = room;
  wanted = word;
  openTable(room, word);
  return goOn<Taker>(0, NO_LETTERS, word.letters, word.letters + 4);
}

/** From a beginning of `depth` letters to those that go on with some letters; false when no more terms are wanted. */
function goOn<Taker>(depth: u32, hash: u32, letters: usize, lettersEnd: usize): bool {
  const line = lineAt(hash);
  const found = foundAt(depth);
  const afterCount = placesAfterOther(depth);
  for (let at = letters; at < lettersEnd; at += AT_ONCE_BYTES) {
    const behind = <u32>max<isize>(0, <isize>(at + AT_ONCE_BYTES - lettersEnd)) >> 2;
    let foundEnd = found;
    for (let left = withFirstBit(line, hash, at) & (0xffff >> behind); left !== 0; left &= left - 1) {
      const letter = load<u32>(at + ((<usize>ctz(left)) << 2));
      if (!hasBit(line, secondBit(hash, letter))) continue;
      // The lines of all of them are fetched at once, so that none is waited for when its turn comes.
      store<u64>(scratch + FETCHED_AT, load<u64>(lineAt(hashWith(hash, letter))));
      store<u32>(foundEnd, letter);
      foundEnd += 4;
    }
    if (afterCount !== MANY) foundEnd = withNext(depth, hash, found, foundEnd, afterCount);
    if (!visitEach<Taker>(depth, hash, found, foundEnd)) return false;
  }
  return true;
}

/**
 * How many places of the word may follow a letter that it does not have there, where that takes the last edit and no term may end with it:
 * the same ones whichever letter it is.
 */
function placesAfterOther(depth: u32): u32 {
  addLetter(depth, OTHER_LETTER, 0);
  const below = depth + 1;
  if (below === LETTERS || allowsAny(below) || distanceOf(below) <= wanted.limit) return MANY;
  return nextPlaces(below, afterAt(depth));
}

/** Leaves out those of some letters after which no term goes on as the word does; returns where they end. */
function withNext(depth: u32, hash: u32, letters: usize, lettersEnd: usize, afterCount: u32): usize {
  let keptEnd = letters;
  for (let at = letters; at < lettersEnd; at += 4) {
    const letter = load<u32>(at);
    if (!hasAbout(depth, letter) && !goesOnFromOne(depth + 1, hashWith(hash, letter), afterAt(depth), afterCount))
      continue;
    store<u32>(keptEnd, letter);
    keptEnd += 4;
  }
  return keptEnd;
}

function goesOnFromOne(depth: u32, hash: u32, places: usize, count: u32): bool {
  const line = lineAt(hash);
  for (let i: u32 = 0; i < count; i++) {
    const at = <usize>load<u32>(places + ((<usize>i) << 2));
    const letter = load<u32>(at);
    if (letter !== NO_LETTER && goesOnWith(line, depth, hash, letter, at + 4)) return true;
  }
  return false;
}

/**
 * Whether terms may begin with a beginning of `depth` letters, whose line this is, a letter, and what the word has from `rest` on. Where
 * they do, so do they with every part of that: after the letter only the longest is looked up that the filter has.
 */
function goesOnWith(line: usize, depth: u32, hash: u32, letter: u32, rest: usize): bool {
  if (!hasBoth(line, hash, letter)) return false;
  let before = hash;
  let last = letter;
  for (let at = rest, left = LETTERS - 1 - depth; left > 0 && load<u32>(at) !== NO_LETTER; at += 4, left--) {
    before = hashWith(before, last);
    last = load<u32>(at);
  }
  return before === hash || hasBoth(lineAt(before), before, last);
}

function hasBoth(line: usize, hash: u32, letter: u32): bool {
  return hasBit(line, firstBit(hash, letter)) && hasBit(line, secondBit(hash, letter));
}

/** The beginning that `Following` is asked about. */
let lineHere: usize = 0;
let depthHere: u32 = 0;
let hashHere: u32 = 0;

class Following {
  @inline
  has(letter: u32, rest: usize): bool {
    return goesOnWith(lineHere, depthHere, hashHere, letter, rest);
  }
}

/** The same where only the letters may come that the word has next, which are few. */
function goOnAsWanted<Taker>(depth: u32, hash: u32): bool {
  lineHere = lineAt(hash);
  depthHere = depth;
  hashHere = hash;
  const found = foundAt(depth);
  const count = nextLetters<Following>(depth, found);
  return visitEach<Taker>(depth, hash, found, found + ((<usize>count) << 2));
}

function foundAt(depth: u32): usize {
  return scratch + FOUND_AT + ((<usize>depth) << FOUND_SHIFT);
}

function afterAt(depth: u32): usize {
  return scratch + AFTER_AT + ((<usize>depth) << FOUND_SHIFT);
}

function visitEach<Taker>(depth: u32, hash: u32, letters: usize, lettersEnd: usize): bool {
  for (let at = letters; at < lettersEnd; at += 4) {
    const letter = load<u32>(at);
    const bytes = endOf(depth);
    store<u32>(scratch + bytes, utf8Of(letter));
    if (!addLetter(depth, letter, bytes + characterBytes(load<u8>(scratch + bytes)))) continue;
    if (!visit<Taker>(depth + 1, hashWith(hash, letter), letter)) return false;
  }
  return true;
}

function lineAt(hash: u32): usize {
  return filter.bits + lineOf(hash, filter.lines);
}

/** A beginning of `depth` letters, of which this is the last. */
function visit<Taker>(depth: u32, hash: u32, letter: u32): bool {
  const taker = changetype<Taker>(<usize>0);
  if (!taker.goesOn()) return false;
  const distance = distanceOf(depth);
  if (wanted.isPrefix !== 0 && settled(depth)) {
    return distance === 0 || !findBranch(depth) || taker.take(branchFrom, next, distance);
  }
  if (depth === LETTERS) {
    if (!findBranch(depth)) return true;
    const wantsMore = taker.walk(branchFrom, next);
    useTable(scratch, wanted);
    return wantsMore;
  }
  if (distance > 0 && distance <= wanted.limit) {
    const term = termFind(terms, next, end, scratch, endOf(depth));
    if (term !== -1) {
      next = term + 1;
      if (!taker.take(term, next, distance)) return false;
    }
  }
  if (!allowsAny(depth)) return goOnAsWanted<Taker>(depth, hash);
  const count = filter.letterCount;
  const i = firstNotBelow(filter.letters, 0, count, letter);
  if (i === count || load<u32>(filter.letters + ((<usize>i) << 2)) !== letter) return true;
  const starts = changetype<Range>(filter.starts + ((<usize>i) << 2));
  return goOn<Taker>(
    depth,
    hash,
    filter.followers + ((<usize>starts.first) << 2),
    filter.followers + ((<usize>starts.end) << 2),
  );
}

/** The first of the terms that `findBranch` found; `next` is behind the last. */
let branchFrom: u32 = 0;

/** Whether there are terms that begin with the first `depth` letters. */
function findBranch(depth: u32): bool {
  const bytes = endOf(depth);
  branchFrom = termBound(terms, next, end, scratch, bytes, false);
  next = termBound(terms, branchFrom, end, scratch, bytes, true);
  return branchFrom < next;
}
