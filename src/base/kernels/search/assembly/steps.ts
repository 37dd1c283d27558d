/** What it costs a word to stand elsewhere than the query has it: a little more the further away it is. */

export const STEP_BUCKETS: u32 = 30;
/** Beyond the first few, positions are told apart by powers of two only. */
const SINGLE_POSITIONS: u32 = 16;

/** What each bucket of positions costs a term of `size` words at a place of the query. */
export function fillSteps(steps: usize, queryPosition: u32, size: u32): void {
  for (let bucket: u32 = 0; bucket < STEP_BUCKETS; bucket++) {
    // One position stands for all of its bucket.
    let position = bucket;
    if (bucket === SINGLE_POSITIONS) position = 24;
    else if (bucket > SINGLE_POSITIONS) position = min<u32>(65_535, 1 << (bucket - SINGLE_POSITIONS + 4));
    const distance = <u32>abs(<i32>position - <i32>queryPosition);
    let cost: u32 = 0;
    for (let i: u32 = 0; i < size; i++) cost += stepOf(distance + i);
    store<u8>(steps + bucket, <u8>cost);
  }
}

function stepOf(distance: u32): u32 {
  if (distance <= 1) return distance;
  if (distance <= 4) return 2;
  if (distance <= 7) return 3;
  if (distance <= 11) return 4;
  if (distance <= 16) return 5;
  if (distance <= 24) return 6;
  if (distance <= 64) return 7;
  if (distance <= 256) return 8;
  return distance <= 1024 ? 9 : 10;
}
