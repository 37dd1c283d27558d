/** Costs of the rows of a list, u16 each, eight at a time where that can be. */
import { bitAt } from "./bits";
import { NO_COST } from "./costs";

/** Positions that are taken eight at a time. */
function eights(n: u32): u32 {
  return n & ~7;
}

export function planeFill(plane: usize, n: u32, value: u32): void {
  const all = i16x8.splat(<i16>value);
  let p: u32 = 0;
  for (const end = eights(n); p < end; p += 8) v128.store(plane + ((<usize>p) << 1), all);
  for (; p < n; p++) store<u16>(plane + ((<usize>p) << 1), <u16>value);
}

export function planeSetWhere(bits: usize, list: usize, n: u32, cost: u32, plane: usize): void {
  for (let p: u32 = 0; p < n; p++) {
    const at = plane + ((<usize>p) << 1);
    const isIn = bitAt(bits, load<u32>(list + ((<usize>p) << 2)));
    store<u16>(at, <u16>select<u32>(cost, load<u16>(at), isIn));
  }
}

export function planeSetWhereUnset(bits: usize, list: usize, n: u32, cost: u32, plane: usize): u32 {
  let count: u32 = 0;
  for (let p: u32 = 0; p < n; p++) {
    const at = plane + ((<usize>p) << 1);
    const known = <u32>load<u16>(at);
    const isSet = bitAt(bits, load<u32>(list + ((<usize>p) << 2))) & <u32>(known === NO_COST);
    store<u16>(at, <u16>select<u32>(cost, known, isSet));
    count += isSet;
  }
  return count;
}

export function planeAdd(total: usize, plane: usize, n: u32): void {
  let p: u32 = 0;
  for (const end = eights(n); p < end; p += 8) {
    const at = total + ((<usize>p) << 1);
    v128.store(at, i16x8.add_sat_u(v128.load(at), v128.load(plane + ((<usize>p) << 1))));
  }
  for (; p < n; p++) {
    const at = total + ((<usize>p) << 1);
    store<u16>(at, <u16>min<u32>(NO_COST, <u32>load<u16>(at) + <u32>load<u16>(plane + ((<usize>p) << 1))));
  }
}

export function planeTake(best: usize, total: usize, chosen: usize, path: u32, n: u32): void {
  const paths = i16x8.splat(<i16>path);
  let p: u32 = 0;
  for (const end = eights(n); p < end; p += 8) {
    const at = (<usize>p) << 1;
    const known = v128.load(best + at);
    const offered = v128.load(total + at);
    const isLess = i16x8.lt_u(offered, known);
    v128.store(best + at, i16x8.min_u(known, offered));
    v128.store(chosen + at, v128.bitselect(paths, v128.load(chosen + at), isLess));
  }
  for (; p < n; p++) {
    const at = (<usize>p) << 1;
    if (load<u16>(total + at) >= load<u16>(best + at)) continue;
    store<u16>(best + at, load<u16>(total + at));
    store<u16>(chosen + at, <u16>path);
  }
}

export function planeCounts(best: usize, n: u32, max: u32, counts: usize): void {
  const most = min<u32>(max, NO_COST);
  const limit = i16x8.splat(<i16>most);
  let p: u32 = 0;
  for (const end = eights(n); p < end; p += 8) {
    const costs = i16x8.min_u(v128.load(best + ((<usize>p) << 1)), limit);
    const first = <u32>i16x8.extract_lane_u(costs, 0);
    // Neighbours often cost the same.
    if (i16x8.all_true(i16x8.eq(costs, i16x8.splat(<i16>first)))) {
      addTo(counts, first, 8);
      continue;
    }
    addTo(counts, first, 1);
    addTo(counts, i16x8.extract_lane_u(costs, 1), 1);
    addTo(counts, i16x8.extract_lane_u(costs, 2), 1);
    addTo(counts, i16x8.extract_lane_u(costs, 3), 1);
    addTo(counts, i16x8.extract_lane_u(costs, 4), 1);
    addTo(counts, i16x8.extract_lane_u(costs, 5), 1);
    addTo(counts, i16x8.extract_lane_u(costs, 6), 1);
    addTo(counts, i16x8.extract_lane_u(costs, 7), 1);
  }
  for (; p < n; p++) addTo(counts, min<u32>(load<u16>(best + ((<usize>p) << 1)), most), 1);
}

function addTo(counts: usize, cost: u32, count: u32): void {
  const at = counts + ((<usize>cost) << 2);
  store<u32>(at, load<u32>(at) + count);
}

export function planePick(best: usize, n: u32, cost: u32, positions: usize): u32 {
  return planePickFrom(best, n, cost, cost + 1, positions);
}

export function planePickFrom(best: usize, n: u32, cost: u32, below: u32, positions: usize): u32 {
  if (below <= cost) return 0;
  const least = i16x8.splat(<i16>cost);
  const span = min<u32>(below - cost - 1, NO_COST);
  const spans = i16x8.splat(<i16>span);
  let out = positions;
  let p: u32 = 0;
  for (const end = eights(n); p < end; p += 8) {
    const above = i16x8.sub(v128.load(best + ((<usize>p) << 1)), least);
    let found = i16x8.bitmask(i16x8.le_u(above, spans));
    while (found !== 0) {
      store<u32>(out, p + ctz(found));
      out += 4;
      found &= found - 1;
    }
  }
  for (; p < n; p++) {
    if (((<u32>load<u16>(best + ((<usize>p) << 1)) - cost) & 0xffff) > span) continue;
    store<u32>(out, p);
    out += 4;
  }
  return <u32>((out - positions) >> 2);
}

export function listPick(list: usize, positions: usize, k: u32, out: usize): void {
  const bytes = (<usize>k) << 2;
  for (let i: usize = 0; i < bytes; i += 4) {
    store<u32>(out + i, load<u32>(list + ((<usize>load<u32>(positions + i)) << 2)));
  }
}

export function planeUsed(chosen: usize, positions: usize, k: u32, used: usize): void {
  const bytes = (<usize>k) << 2;
  for (let i: usize = 0; i < bytes; i += 4) {
    store<u8>(used + load<u16>(chosen + ((<usize>load<u32>(positions + i)) << 1)), 1);
  }
}

export function signatureAdd(signatures: usize, plane: usize, positions: usize, k: u32, base: u32): void {
  const bytes = (<usize>k) << 2;
  for (let i: usize = 0; i < bytes; i += 4) {
    const cost = <u32>load<u16>(plane + ((<usize>load<u32>(positions + i)) << 1));
    store<u32>(signatures + i, (load<u32>(signatures + i) << 2) + cost - base);
  }
}

export function distinct(values: usize, k: u32, out: usize, capacity: u32): u32 {
  let count: u32 = 0;
  const end = values + ((<usize>k) << 2);
  for (let at = values; at < end && count < capacity; at += 4) {
    const value = load<u32>(at);
    if (isAmong(value, out, count)) continue;
    store<u32>(out + ((<usize>count) << 2), value);
    count++;
  }
  return count;
}

function isAmong(value: u32, values: usize, count: u32): bool {
  const all = i32x4.splat(value);
  let i: u32 = 0;
  for (; i + 4 <= count; i += 4) {
    if (v128.any_true(i32x4.eq(all, v128.load(values + ((<usize>i) << 2))))) return true;
  }
  for (; i < count; i++) if (load<u32>(values + ((<usize>i) << 2)) === value) return true;
  return false;
}
