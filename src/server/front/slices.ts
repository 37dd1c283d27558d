/** Long work of the front on one request, in slices: between two of them it hears who else has come. */
import { Slices } from "../../base/time/slices.ts";

/** One request may take five: what is begun within a slice is done after it, and garbage is collected. */
export const SLICE_MS = 3;

export class FrontSlices extends Slices {
  constructor() {
    super(SLICE_MS);
  }
}
