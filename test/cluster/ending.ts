/**
 * What a test of a cluster has begun ends with it, however it ends: servers that run on, and clients that write on, would take
 * the machine from the tests that come after, and keep the process from its end.
 */
import type { TestContext } from "node:test";
import { endChildren } from "../lib/temporary.ts";

const AWAKE_MS = 1000;
const ends: (() => unknown)[] = [];

/** To be done when the test that runs now has ended. */
export function atEnd(end: () => unknown): void {
  ends.push(end);
}

/** The test, and then the end of all processes that it has started and of whatever is to be done at its end. */
export function ending(run: (t: TestContext) => Promise<void>): (t: TestContext) => Promise<void> {
  return async (t) => {
    // Nothing else may hold the process: a server runs in the background, and a request may have lost its connection.
    const awake = setInterval(() => {}, AWAKE_MS);
    try {
      await run(t);
    } finally {
      // At the same time: clients wait for answers of servers, and those may be paused.
      await Promise.all([endChildren(), ...ends.splice(0).map(async (end) => end())]);
      clearInterval(awake);
    }
  };
}
