/**
 * Asks the engine for a full collection now. Needed in one case: the memory of a dropped arena is unmapped only when
 * every thread has collected its reference, and an idle thread would otherwise never get to it.
 *
 * A collection by force (`gc()`) would also forget the compiled code of every function that works on objects of which
 * none is alive at that moment, and a search leaves none alive: the thread would be slow for thousands of requests. So
 * the engine is brought to collect by its own rules, which keep such code: by memory outside of its heap, more than it
 * lets pass before it looks for what is dead. Nobody touches that memory, so it costs address space only.
 */
import { setImmediate as turn } from "node:timers/promises";
import { MIB } from "../../base/limits.ts";

const PRESSURE_BYTES = 80 * MIB;
/** The first one begins a collection, the others push it on; a large heap takes several. */
const PUSHES = 12;

/** One collection may be under way already, and does not see what died after it began: the second one does. */
export async function collectGarbage(): Promise<void> {
  await finishCollection();
  await finishCollection();
}

async function finishCollection(): Promise<void> {
  const witness = new WeakRef({});
  for (let push = 0; push < PUSHES; push++) {
    // What was looked at lives until the end of the turn.
    await turn();
    if (!pressed()) return;
    await turn();
    if (witness.deref() === undefined) return;
  }
}

/** After what runs now: references on the stack are gone by then. */
export function collectGarbageSoon(): void {
  void collectGarbage();
}

/** False where there is not so much address space: the collection comes by itself then, some time. */
function pressed(): boolean {
  try {
    return new ArrayBuffer(PRESSURE_BYTES).byteLength > 0;
  } catch {
    return false;
  }
}
