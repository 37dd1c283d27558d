/**
 * What requests wait for after the start: those that are answered from one index until it is open, all others until everything
 * is. So nobody is told that there is no such index while it is only not open yet.
 */

interface Waiting {
  indexUid: string | null;
  resume(): void;
}

export class Opening {
  readonly #canAnswer: (indexUid: string) => boolean;
  readonly #onWanted: (indexUid: string) => void;
  readonly #wanted = new Set<string>();
  #waiting: Waiting[] = [];
  #isOver = false;

  /**
   * `canAnswer`: whether the index is open, with everything that its answers depend on. `onWanted`: is told once of each index
   * that requests wait for.
   */
  constructor(canAnswer: (indexUid: string) => boolean, onWanted: (indexUid: string) => void) {
    this.#canAnswer = canAnswer;
    this.#onWanted = onWanted;
  }

  /** For a server that starts with everything open. */
  static past(): Opening {
    const opening = new Opening(
      () => true,
      () => {},
    );
    opening.end();
    return opening;
  }

  /** Whether somebody waits. */
  get isAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  /** Whether a request can be answered; `resume` is called later when it cannot. Null: it may depend on any index. */
  passes(indexUid: string | null, resume: () => void): boolean {
    if (this.#isOver || (indexUid !== null && this.#canAnswer(indexUid))) return true;
    this.#waiting.push({ indexUid, resume });
    if (indexUid !== null && !this.#wanted.has(indexUid)) {
      this.#wanted.add(indexUid);
      this.#onWanted(indexUid);
    }
    return false;
  }

  /** Something more is open. */
  progress(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { indexUid, resume } of waiting) if (this.passes(indexUid, resume)) resume();
  }

  /** Everything is. */
  end(): void {
    this.#isOver = true;
    this.#wanted.clear();
    this.progress();
  }
}
