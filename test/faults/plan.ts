/** Which call of the system goes wrong in which round. */
import type { CallKind, Fault, FaultError } from "./faults.ts";

const CALLS: Record<FaultError, readonly CallKind[]> = {
  ENOSPC: ["open", "write", "store", "entry"],
  EIO: ["write", "store", "sync", "entry", "meta"],
  // Not what is opened to be read: a search that needs such a file cannot be answered.
  EMFILE: ["open"],
  short: ["write", "store", "meta"],
  slow: ["write", "store", "sync", "meta"],
  landed: ["store", "sync", "entry", "meta"],
};
const ERRORS = Object.keys(CALLS) as FaultError[];
/** Beyond so many calls a round of writes has hardly any. */
const SKIP_MAX = 60;

/** `hits`: how many calls went wrong in the round before. Null when there is nothing more to try. */
export type FaultPlan = (hits: number) => Fault | null;

/** So many rounds: each error in turn at each call in turn, of all kinds that it meets, now and then until it is over. */
export function mixedFaults(rounds: number, random: () => number): FaultPlan {
  let round = 0;
  return () => {
    if (round === rounds) return null;
    const error = ERRORS[round % ERRORS.length]!;
    const skip = Math.floor(round / ERRORS.length) % SKIP_MAX;
    round++;
    const lasts = random() < 0.4;
    return { error, calls: CALLS[error], skip, ...(lasts ? {} : { times: 1 + Math.floor(random() * 3) }) };
  };
}

/** Each error at each kind of call, at the first one of a round, the second and so on, until a round has no more of them. */
export function everyFault(): FaultPlan {
  const pairs = ERRORS.flatMap((error) => CALLS[error].map((call) => ({ error, call })));
  let pair = 0;
  let skip = -1;
  return (hits) => {
    skip++;
    if (skip > 0 && hits === 0) {
      pair++;
      skip = 0;
    }
    const now = pairs[pair];
    return now === undefined ? null : { error: now.error, calls: [now.call], skip, times: 1 };
  };
}
