/**
 * Asks the engine for a full collection now. Needed in one case: the memory of a dropped arena is unmapped only when
 * every thread has collected its reference, and an idle thread would otherwise never get to it.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | null = null;

export function collectGarbage(): void {
  if (collect === null) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
    // Flags are of the whole process, and with others the engine takes no code that was compiled without them.
    setFlagsFromString("--no-expose-gc");
  }
  collect();
}

/** After what runs now: references on the stack are gone by then. */
export function collectGarbageSoon(): void {
  setImmediate(collectGarbage).unref();
}
