/** When a thread keeps what the engine made of its code: called by whoever knows that the code of the thread has run. */

const KEEPERS = Symbol.for("sabre-search/keepers");

/** Of this thread. A bundle has its own copy of this module, so what they share lies here. */
const shared = globalThis as { [KEEPERS]?: (() => boolean)[] };

/** `keep` gives whether it is done; it is called again until it is. */
export function registerKeeper(keep: () => boolean): void {
  shared[KEEPERS] ??= [];
  shared[KEEPERS].push(keep);
}

/**
 * False when it has to be called again. Nothing is to be done where there is nothing to be kept: run from source, or kept by
 * an earlier start.
 */
export function keepCode(): boolean {
  shared[KEEPERS] = (shared[KEEPERS] ?? []).filter((keep) => !keep());
  return shared[KEEPERS].length === 0;
}
