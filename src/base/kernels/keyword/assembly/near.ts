/**
 * How far two words stand apart in each row of a list. Distances of four and more are all the same. Places of position p
 * are those from begins[p] to before ends[p].
 */
import { NO_COST } from "./costs";
import { fieldOf } from "./place";

const FAR: u32 = 4;
/** Up to this many bytes of places of each word, which is eight places, all pairs are compared, four at a time. */
const PAIRED_BYTES_MAX: usize = 32;

/**
 * Lowers plane[p] to `base` and what the places of the two words cost in that row. That is up to a rule, a class without
 * state, which is told `detail`: `least` is what they cost at least, `costOf` what they do, NO_COST for nothing.
 */
function lowerWhere<Rule>(
  aBegins: usize,
  aEnds: usize,
  aPlaces: usize,
  bBegins: usize,
  bEnds: usize,
  bPlaces: usize,
  n: u32,
  detail: usize,
  base: u32,
  plane: usize,
): void {
  const rule = changetype<Rule>(<usize>0);
  for (let p: u32 = 0; p < n; p++) {
    const at = (<usize>p) << 2;
    const aFrom = load<u32>(aBegins + at);
    const aTo = load<u32>(aEnds + at);
    const bFrom = load<u32>(bBegins + at);
    const bTo = load<u32>(bEnds + at);
    if (aFrom === aTo || bFrom === bTo) continue;
    const to = plane + ((<usize>p) << 1);
    const known = <u32>load<u16>(to);
    if (base + rule.least(detail) >= known) continue;
    const cost =
      base +
      rule.costOf(
        addressOf(aPlaces, aFrom),
        addressOf(aPlaces, aTo),
        addressOf(bPlaces, bFrom),
        addressOf(bPlaces, bTo),
        detail,
      );
    if (cost < known) store<u16>(to, <u16>cost);
  }
}

export function near(
  aBegins: usize,
  aEnds: usize,
  aPlaces: usize,
  bBegins: usize,
  bEnds: usize,
  bPlaces: usize,
  n: u32,
  more: u32,
  base: u32,
  plane: usize,
): void {
  lowerWhere<ByDistance>(aBegins, aEnds, aPlaces, bBegins, bEnds, bPlaces, n, more, base, plane);
}

class ByDistance {
  /** Nothing is nearer than the next position. */
  @inline
  least(more: usize): u32 {
    return more;
  }

  @inline
  costOf(aFrom: usize, aTo: usize, bFrom: usize, bTo: usize, more: usize): u32 {
    const distance = distanceOf(aFrom, aTo, bFrom, bTo) + more;
    return distance < FAR ? distance - 1 : NO_COST;
  }
}

function addressOf(places: usize, i: u32): usize {
  return places + ((<usize>i) << 2);
}

/** The smallest step from a place of `a` forward to one of `b` in the same field: 1, 2, 3 or FAR. */
function distanceOf(aFrom: usize, aTo: usize, bFrom: usize, bTo: usize): u32 {
  const few = aTo - aFrom <= PAIRED_BYTES_MAX && bTo - bFrom <= PAIRED_BYTES_MAX;
  return few ? pairDistance(aFrom, aTo, bFrom, <u32>((bTo - bFrom) >> 2)) : forwardDistance(aFrom, aTo, bFrom, bTo);
}

/** Looks at all pairs: no branch depends on where the places are. Reads as many of `b` as there may be. */
function pairDistance(aFrom: usize, aTo: usize, bFrom: usize, bCount: u32): u32 {
  const far = i32x4.splat(FAR);
  const first = v128.load(bFrom);
  const isFirst = i32x4.lt_u(i32x4(0, 1, 2, 3), i32x4.splat(bCount));
  const second = v128.load(bFrom, 16);
  const isSecond = i32x4.lt_u(i32x4(4, 5, 6, 7), i32x4.splat(bCount));
  let nearest = far;
  for (let a = aFrom; a < aTo; a += 4) {
    const from = i32x4.splat(load<u32>(a));
    nearest = i32x4.min_u(nearest, v128.bitselect(stepsTo(first, from), far, isFirst));
    nearest = i32x4.min_u(nearest, v128.bitselect(stepsTo(second, from), far, isSecond));
  }
  nearest = i32x4.min_u(nearest, i8x16.shuffle(nearest, nearest, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  return min<u32>(i32x4.extract_lane(nearest, 0), i32x4.extract_lane(nearest, 1));
}

/** Steps from one place to four; a huge number where those do not follow, or are in another field. */
function stepsTo(places: v128, from: v128): v128 {
  const otherField = i32x4.shr_u(v128.xor(places, from), 16);
  const step = i32x4.sub(places, from);
  return v128.or(v128.or(step, i32x4.ne(otherField, i32x4.splat(0))), i32x4.eq(step, i32x4.splat(0)));
}

/** Goes through both in order. */
function forwardDistance(aFrom: usize, aTo: usize, bFrom: usize, bTo: usize): u32 {
  let nearest = FAR;
  let b = bFrom;
  for (let a = aFrom; a < aTo; a += 4) {
    const from = load<u32>(a);
    while (load<u32>(b) <= from) {
      b += 4;
      if (b === bTo) return nearest;
    }
    const step = load<u32>(b) - from;
    if (step < nearest && fieldOf(b) === fieldOf(a)) {
      nearest = step;
      if (step === 1) return 1;
    }
  }
  return nearest;
}

export function nearInField(
  aBegins: usize,
  aEnds: usize,
  aPlaces: usize,
  bBegins: usize,
  bEnds: usize,
  bPlaces: usize,
  n: u32,
  marks: usize,
  base: u32,
  plane: usize,
): void {
  lowerWhere<BySharedField>(aBegins, aEnds, aPlaces, bBegins, bEnds, bPlaces, n, marks, base, plane);
}

class BySharedField {
  @inline
  least(_marks: usize): u32 {
    return 0;
  }

  @inline
  costOf(aFrom: usize, aTo: usize, bFrom: usize, bTo: usize, marks: usize): u32 {
    return shareField(aFrom, aTo, bFrom, bTo, marks) ? 0 : NO_COST;
  }
}

function shareField(aFrom: usize, aTo: usize, bFrom: usize, bTo: usize, marks: usize): bool {
  let a = aFrom;
  let b = bFrom;
  while (a < aTo && b < bTo) {
    const ofA = fieldOf(a);
    const ofB = fieldOf(b);
    if (ofA < ofB) a += 4;
    else if (ofB < ofA) b += 4;
    else if (marks === 0 || load<u8>(marks + ofA) === 1) return true;
    else a += 4;
  }
  return false;
}
