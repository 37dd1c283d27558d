/** Files that left the current state but that a reader of an older one may still open. Unlinked when no pin is that old. */
import { removeLeftover } from "../../base/files/leftover.ts";
import { type Control, isOlder } from "../../storage/memory/control.ts";

const LOOK_INTERVAL_MS = 50;

export class RetiredFiles {
  readonly #control: Control;
  #waiting: { path: string; epoch: number }[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(control: Control) {
    this.#control = control;
  }

  /** Files or whole folders that nobody who pins from now on can see. */
  retire(paths: readonly string[]): void {
    if (paths.length === 0) return;
    const epoch = this.#control.epoch - 1;
    for (const path of paths) this.#waiting.push({ path, epoch });
    this.#collect();
  }

  #collect(): void {
    const oldest = this.#control.oldestPin();
    this.#waiting = this.#waiting.filter(({ path, epoch }) => {
      if (oldest !== null && !isOlder(epoch, oldest)) return true;
      return !removeLeftover(path);
    });
    if (this.#waiting.length === 0 || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#collect();
    }, LOOK_INTERVAL_MS);
    this.#timer.unref();
  }
}
