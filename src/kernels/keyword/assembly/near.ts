/**
 * How far two words stand apart in each row of a list. Distances of four and more are all the same. Places of position p
 * are those from begins[p] to before ends[p].
 */

const FAR: u32 = 4;
/** With so many places of both words or fewer, every pair is looked at, four at a time. */
const PAIRED_MAX: u32 = 8;

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
  for (let p: u32 = 0; p < n; p++) {
    const at = (<usize>p) << 2;
    const aFrom = load<u32>(aBegins + at);
    const aTo = load<u32>(aEnds + at);
    const bFrom = load<u32>(bBegins + at);
    const bTo = load<u32>(bEnds + at);
    if (aFrom === aTo || bFrom === bTo) continue;
    const to = plane + ((<usize>p) << 1);
    const known = <u32>load<u16>(to);
    // Nothing is nearer than the next position.
    if (base + more >= known) continue;
    const distance = distanceOf(aPlaces, aFrom, aTo, bPlaces, bFrom, bTo) + more;
    if (distance < FAR && base + distance - 1 < known) store<u16>(to, <u16>(base + distance - 1));
  }
}

function addressOf(places: usize, i: u32): usize {
  return places + ((<usize>i) << 2);
}

/** The smallest step from a place of `a` forward to one of `b` in the same field: 1, 2, 3 or FAR. */
function distanceOf(aPlaces: usize, aFrom: u32, aTo: u32, bPlaces: usize, bFrom: u32, bTo: u32): u32 {
  const a = addressOf(aPlaces, aFrom);
  const b = addressOf(bPlaces, bFrom);
  const few = aTo - aFrom <= PAIRED_MAX && bTo - bFrom <= PAIRED_MAX;
  if (few) return pairDistance(a, addressOf(aPlaces, aTo), b, bTo - bFrom);
  return forwardDistance(a, addressOf(aPlaces, aTo), b, addressOf(bPlaces, bTo));
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
    if (step < nearest && load<u16>(b, 2) === load<u16>(a, 2)) {
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
  for (let p: u32 = 0; p < n; p++) {
    const at = (<usize>p) << 2;
    const aFrom = load<u32>(aBegins + at);
    const aTo = load<u32>(aEnds + at);
    const bFrom = load<u32>(bBegins + at);
    const bTo = load<u32>(bEnds + at);
    if (aFrom === aTo || bFrom === bTo) continue;
    const to = plane + ((<usize>p) << 1);
    if (base >= <u32>load<u16>(to)) continue;
    if (
      shareField(
        addressOf(aPlaces, aFrom),
        addressOf(aPlaces, aTo),
        addressOf(bPlaces, bFrom),
        addressOf(bPlaces, bTo),
        marks,
      )
    ) {
      store<u16>(to, <u16>base);
    }
  }
}

function shareField(aFrom: usize, aTo: usize, bFrom: usize, bTo: usize, marks: usize): bool {
  let a = aFrom;
  let b = bFrom;
  while (a < aTo && b < bTo) {
    const ofA = load<u16>(a, 2);
    const ofB = load<u16>(b, 2);
    if (ofA < ofB) a += 4;
    else if (ofB < ofA) b += 4;
    else if (marks === 0 || load<u8>(marks + ofA) === 1) return true;
    else a += 4;
  }
  return false;
}
