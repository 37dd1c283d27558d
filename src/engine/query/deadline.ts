/** Time left for a search. Loops that grow with the corpus ask it now and then; when time is up they are abandoned. */

/** Thrown out of a loop; whoever drives the rules answers with what it has. */
export class TimeIsUp extends Error {
  override readonly name = "TimeIsUp";
}

const WORK_PER_LOOK = 4096;

export class Deadline {
  readonly #deadline: number;
  readonly #now: () => number;
  #work = 0;

  constructor(deadline: number, now: () => number = () => performance.now()) {
    this.#deadline = deadline;
    this.#now = now;
  }

  isOver(): boolean {
    return this.#now() >= this.#deadline;
  }

  /** Counts work done (documents, words); throws TimeIsUp when the deadline has passed. */
  spend(amount: number): void {
    this.#work += amount;
    if (this.#work < WORK_PER_LOOK) return;
    this.#work = 0;
    if (this.isOver()) throw new TimeIsUp();
  }
}
