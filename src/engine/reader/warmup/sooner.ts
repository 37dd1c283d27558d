/**
 * Lets the engine compile functions well after a fifteenth of the runs that it usually waits for: a warm-up runs every
 * function, but none as often as requests will. For short moments only, since flags are of the whole process.
 */
import { setFlagsFromString } from "node:v8";

interface Pace {
  sooner: string;
  /** What the engine says of itself (`node --v8-options`): exactly that, or it takes none of the code kept for it. */
  usual: string;
}

/** By version of V8. Later ones cannot be brought back to their usual state, so they are left alone. */
const PACES = new Map<number, Pace>([
  [11, { sooner: "--interrupt-budget=4000", usual: "--interrupt-budget=67584" }],
  [12, { sooner: "--invocation-count-for-turbofan=200", usual: "--invocation-count-for-turbofan=3000" }],
]);

const pace = PACES.get(Number.parseInt(process.versions.v8, 10));

export async function compilingSooner<Result>(work: () => Promise<Result>): Promise<Result> {
  if (pace === undefined) return await work();
  setFlagsFromString(pace.sooner);
  try {
    return await work();
  } finally {
    setFlagsFromString(pace.usual);
  }
}
