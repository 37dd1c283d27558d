/** The index of the search under way. */
import { Terms } from "../../dictionary/assembly/layout";
import { Index, Segment } from "./layout";

const SEGMENT_BYTES: usize = offsetof<Segment>();

export let index: Index = changetype<Index>(<usize>0);
export let segmentCount: u32 = 0;
/** Bytes of a set of all rows, and of the map behind it: see `lines`. */
export let setBytes: usize = 0;
export let mapBytes: usize = 0;
let segmentsAt: usize = 0;

export function useIndex(at: usize): void {
  index = changetype<Index>(at);
  segmentCount = index.segmentCount;
  setBytes = index.setBytes;
  mapBytes = ((setBytes + 4095) >> 12) << 3;
  segmentsAt = index.segments;
}

export function segmentAt(i: u32): Segment {
  return changetype<Segment>(segmentsAt + <usize>i * SEGMENT_BYTES);
}

/** The vocabulary of a segment, which has the fields of this struct in the same order. */
export function termsOf(segment: Segment): Terms {
  return changetype<Terms>(changetype<usize>(segment) + offsetof<Segment>("text"));
}
