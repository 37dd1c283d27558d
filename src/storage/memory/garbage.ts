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
const SOON_MS = 300;

/** One collection may be under way already, and does not see what died after it began: the second one does. */
export async function collectGarbage(): Promise<void> {
  await finishCollection();
  await finishCollection();
}

/** Told of by the engine: to ask whether something is still there would keep it there, for one collection after the other. */
const ends = new FinalizationRegistry<() => void>((tell) => tell());

async function finishCollection(): Promise<void> {
  let isOver = false;
  ends.register({}, () => {
    isOver = true;
  });
  for (let push = 0; push < PUSHES && !isOver; push++) {
    await turn();
    if (!pressed()) return;
    await turn();
  }
}

let isComing = false;

/** Once for all that ask within a moment: a merge drops several arenas, each of which every thread hears of. */
export function collectGarbageSoon(): void {
  if (isComing) return;
  isComing = true;
  setTimeout(() => {
    isComing = false;
    void collectGarbage();
  }, SOON_MS).unref();
}

/** False where there is not so much address space: the collection comes by itself then, some time. */
function pressed(): boolean {
  try {
    return new ArrayBuffer(PRESSURE_BYTES).byteLength > 0;
  } catch {
    return false;
  }
}
