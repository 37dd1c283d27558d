/** When a thread keeps what the engine made of its code: called by whoever knows that the code of the thread has run. */

const KEEPERS = Symbol.for("sabre-search/keepers");

/** Of this thread. A bundle has its own copy of this module, so what they share lies here. */
const shared = globalThis as { [KEEPERS]?: (() => void)[] };

/** `keep` is called once at most, when `keepCode` is. */
export function registerKeeper(keep: () => void): void {
  shared[KEEPERS] ??= [];
  shared[KEEPERS].push(keep);
}

/** Does nothing where there is nothing to be kept: run from source, or kept by an earlier start. */
export function keepCode(): void {
  const keepers = shared[KEEPERS] ?? [];
  delete shared[KEEPERS];
  for (const keep of keepers) keep();
}
