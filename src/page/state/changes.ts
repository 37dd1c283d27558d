/**
 * When to look again: whenever the server says that a task has changed, or every second where it cannot say so. How far a batch is
 * changes without such a word, so while one runs a look a second is taken, too. Changes that come close together are seen by one
 * look, and while the page is out of sight none is taken.
 */
import { open } from "../api/client.ts";
import { eventsOf } from "../api/events.ts";
import { problemOf, wantsKey } from "../api/problem.ts";
import { whenVisible } from "./visible.ts";

const LOOK_MS = 1000;
/** A task changes three times in a few milliseconds, and many of them may come a second. */
const PAUSE_MS = 500;

/** Resolves with whether something is under way. */
type Look = () => Promise<boolean>;

/** Looks until the signal ends it, and never twice at once. */
export async function whileTasksChange(signal: AbortSignal, look: Look): Promise<void> {
  const looks = new Looks(signal, look);
  const isStreamed = await stream(signal, looks);
  if (!isStreamed) await poll(signal, looks);
}

class Looks {
  readonly #signal: AbortSignal;
  readonly #look: Look;
  #isUnderWay = false;
  #isWanted = false;

  constructor(signal: AbortSignal, look: Look) {
    this.#signal = signal;
    this.#look = look;
  }

  /** What changes during a look is seen by the next. */
  async take(): Promise<void> {
    this.#isWanted = true;
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    let isBusy = false;
    while (this.#isWanted && !this.#signal.aborted) {
      await whenVisible(this.#signal);
      if (this.#signal.aborted) return;
      this.#isWanted = false;
      isBusy = await this.#look();
      await pause(PAUSE_MS);
    }
    this.#isUnderWay = false;
    if (isBusy && !this.#signal.aborted) setTimeout(() => void this.take(), LOOK_MS - PAUSE_MS);
  }
}

/** False where there is no stream, or no more; true when it was ended from here, or the key may not have it. */
async function stream(signal: AbortSignal, looks: Looks): Promise<boolean> {
  try {
    const response = await open("GET", "/tasks/stream", { signal });
    // From here on no change goes unheard.
    void looks.take();
    for await (const _ of eventsOf(response)) void looks.take();
  } catch (error) {
    const wantsAnother = wantsKey(problemOf(error));
    if (wantsAnother) void looks.take();
    return signal.aborted || wantsAnother;
  }
  return signal.aborted;
}

async function poll(signal: AbortSignal, looks: Looks): Promise<void> {
  while (!signal.aborted) {
    await looks.take();
    await pause(LOOK_MS);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, ms));
}
