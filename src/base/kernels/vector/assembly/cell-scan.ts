/**
 * The first, rough scan of sketch.ts over vectors in cells (an inverted file, IVF: Sivic, Zisserman 2003, "Video Google"): only
 * the cells nearest to the query are looked at, and a vector's bits say how it differs from the centre of its cell.
 *
 *   sum of a vector  =  similarity of its centre * factor  +  (what the tables say - middle) * weight / 2
 *
 * `middle` is what the tables say of a vector just like its centre. The weights are the last 64 bytes of a block: 16-bit
 * fixed-point numbers of which 16384 is 1 (so that the multiplication, in 32768ths, halves), in the order in which `sumUp` of
 * sketch.ts leaves the sums: of vectors 0 to 15 the even ones, then the odd ones; of 16 to 31 likewise.
 */
import { allowedOf } from "./allowed";
import { distanceOf } from "./heap";
import { BitCodeScan, BLOCK_VECTORS, FAR, SCAN_ROOM_BYTES, Steps, SUM_STEPS } from "./layout";
import { above, select, sumAt, sumUp } from "./sketch";

/** Replaces each sum by (sum - middle) * weight / 2. */
function weigh(room: usize, weights: usize, middle: i32): void {
  const middles = i16x8.splat(<i16>middle);
  for (let i: usize = 0; i < SCAN_ROOM_BYTES; i += 16) {
    v128.store(room + i, i16x8.q15mulr_sat_s(i16x8.sub(v128.load(room + i), middles), v128.load(weights + i)));
  }
}

/** Vectors of a cell that are sampled to estimate how many of it pass the filter. */
const SAMPLE: u32 = 4;

/** Estimates how many of a cell pass the filter, from a few that are evenly spread. */
function sampled(slots: usize, size: u32, rows: usize, rowList: usize): u32 {
  const step = max<u32>(1, size / SAMPLE);
  const end = slots + 4 * <usize>size;
  let asked: u32 = 0;
  let count: u32 = 0;
  for (let at = slots; at < end; at += 4 * <usize>step, asked++) count += allowedOf(at, rows, rowList, 1);
  return count === 0 ? 0 : (size * count) / asked;
}

/** Keeps one more key; returns the sum that must be exceeded from now on. */
function keepKey(scan: BitCodeScan, sum: i32, slot: u32, limit: i32): i32 {
  const wanted = scan.wanted;
  const keys = <usize>scan.keys;
  const size = scan.size;
  store<u64>(keys + 8 * <usize>size, ((<u64>(FAR - sum)) << 32) | <u64>slot);
  scan.size = size + 1;
  const raised = counted(scan, sum, wanted, limit);
  return size + 1 < 2 * wanted ? raised : makeRoom(scan, raised);
}

/**
 * Counts a sum in the histogram and returns the limit from now on: once as many sums as are wanted lie above a step, none below
 * it need be kept, nor any that is too far (`behind`) below the best `sought`.
 */
function counted(scan: BitCodeScan, sum: i32, wanted: u32, limit: i32): i32 {
  const factor = scan.factor;
  const step = <f32>sum * (<f32>SUM_STEPS / factor);
  // Written so that NaN is left out, too.
  if (!(step >= <f32>scan.firstStep)) return limit;
  const counts = <usize>scan.counts;
  const at = step < <f32>SUM_STEPS ? <u32>step : SUM_STEPS - 1;
  store<u32>(counts + 4 * <usize>at, load<u32>(counts + 4 * <usize>at) + 1);
  const first = climbed(stepsAt(scan, offsetof<BitCodeScan>("firstStep")), counts, wanted);
  // Less by 2: both conversions to a step round.
  const raised = first === 0 ? limit : max(limit, sumAtStep(first, factor) - 2);
  if (at < scan.bestStep) return raised;
  const best = climbed(stepsAt(scan, offsetof<BitCodeScan>("bestStep")), counts, scan.sought);
  return best === 0 ? raised : max(raised, sumAtStep(best, factor) - scan.behind);
}

function sumAtStep(step: u32, factor: f32): i32 {
  return <i32>((<f32>step * factor) / <f32>SUM_STEPS);
}

function stepsAt(scan: BitCodeScan, offset: usize): Steps {
  return changetype<Steps>(changetype<usize>(scan) + offset);
}

/** One more sum was counted: returns the highest step such that there are still as many as wanted from it on. */
function climbed(steps: Steps, counts: usize, wanted: u32): u32 {
  let step = steps.first;
  let kept = steps.kept + 1;
  if (kept > wanted) {
    let least = load<u32>(counts + 4 * <usize>step);
    while (kept - least >= wanted) {
      kept -= least;
      step++;
      least = load<u32>(counts + 4 * <usize>step);
    }
    steps.first = step;
  }
  steps.kept = kept;
  return step;
}

/** Drops keys that need not be kept, and more where that is still too many; returns the sum that must be exceeded. */
function makeRoom(scan: BitCodeScan, limit: i32): i32 {
  const wanted = scan.wanted;
  return 2 * drop(scan, limit) < 3 * wanted ? limit : dropAllBut(scan, wanted);
}

/** Drops keys whose sums are not above a limit; returns how many are left. */
function drop(scan: BitCodeScan, limit: i32): u32 {
  const keys = <usize>scan.keys;
  const size = scan.size;
  const far = <u32>(FAR - limit);
  let kept: u32 = 0;
  for (let i: u32 = 0; i < size; i++) {
    const key = load<u64>(keys + 8 * <usize>i);
    store<u64>(keys + 8 * <usize>kept, key);
    kept += <u32>(<u32>(key >> 32) < far);
  }
  scan.size = kept;
  return kept;
}

/** Returns what all sums that are left exceed. */
function dropAllBut(scan: BitCodeScan, wanted: u32): i32 {
  const keys = <usize>scan.keys;
  select(keys, scan.size, wanted);
  scan.size = wanted;
  return FAR - <i32>(load<u64>(keys + 8 * <usize>wanted - 8) >> 32) - 1;
}

/** Leaves as many keys as are wanted, or a few more than that; returns how many. */
export function settle(scan: BitCodeScan): u32 {
  const wanted = scan.wanted;
  if (drop(scan, scan.limit) > wanted + wanted / 8) dropAllBut(scan, wanted);
  return scan.size;
}

/**
 * Looks at the nearest cells until `blocks` blocks or enough vectors that pass the filter were looked at. Returns 0 when these
 * were enough, or no more cells are near enough; 1 when it is to be called again.
 */
export function scanCells(scan: BitCodeScan, blocks: u32): u32 {
  const blockBytes = <usize>scan.blockBytes;
  const rows = <usize>scan.rows;
  const rowList = <usize>scan.rowList;
  const room = <usize>scan.room;
  const firstBlocks = <usize>scan.firstBlocks;
  const sizes = <usize>scan.cellSizes;
  const factor = scan.factor;
  const enough = scan.enough;
  const middle = scan.middle;
  const least = scan.least;
  const reach = scan.reach;
  const isFew = rows !== 0 && scan.isMany === 0;
  const end = <usize>scan.cellKeys + 8 * <usize>scan.allCells;
  let cells = scan.cells;
  let limit = scan.limit;
  let seen = scan.seen;
  let done: u32 = 0;
  while (cells > 0 && seen < enough && done < blocks) {
    const key = load<u64>(end - 8 * <usize>cells);
    cells--;
    // The distance of a cell is its similarity taken from 2.
    const offset = <i32>((<f32>2 - distanceOf(key)) * factor);
    if (seen >= least && offset + reach < limit) {
      cells = 0;
      break;
    }
    let block = load<u32>(firstBlocks + 4 * <usize>(<u32>key));
    let left = load<u32>(sizes + 4 * <usize>(<u32>key));
    let slots = <usize>scan.slotList + 4 * <usize>(block * BLOCK_VECTORS);
    if (rows === 0) seen += left;
    else if (!isFew) seen += sampled(slots, left, rows, rowList);
    for (; left > 0; block++, slots += 4 * <usize>BLOCK_VECTORS) {
      const count = min(left, BLOCK_VECTORS);
      let allowed: u32 = u32.MAX_VALUE >> (BLOCK_VECTORS - count);
      left -= count;
      if (isFew) {
        allowed &= allowedOf(slots, rows, rowList, count);
        seen += popcnt<u32>(allowed);
        if (allowed === 0) continue;
      }
      done++;
      const at = <usize>scan.blocks + blockBytes * <usize>block;
      sumUp(scan, at);
      weigh(room, at + blockBytes - 64, middle);
      let hits = above(room, limit - offset) & allowed;
      for (; hits !== 0; hits &= hits - 1) {
        const i = ctz<u32>(hits);
        const sum = sumAt(room, i) + offset;
        if (sum <= limit) continue;
        const slot = slots + 4 * <usize>i;
        if (isFew || rows === 0 || allowedOf(slot, rows, rowList, 1) !== 0)
          limit = keepKey(scan, sum, load<u32>(slot), limit);
      }
    }
  }
  scan.cells = cells;
  scan.limit = limit;
  scan.seen = seen;
  return cells > 0 && seen < enough ? 1 : 0;
}
