/** Long requests in slices: between two of them the reader serves what else waits, so that nobody waits for all of it. */
import { Slices } from "../../base/time/slices.ts";

/** Short against what a client notices, long against the cost of a turn. */
const SLICE_MS = 10;

export class TimeSlice extends Slices {
  constructor() {
    super(SLICE_MS);
  }
}
