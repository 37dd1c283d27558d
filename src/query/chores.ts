/**
 * What a reader thread had better do when it has nothing else to do: searches leave here what would make later ones
 * quicker but takes longer than one of them should. Bounded, and forgotten when its segment is gone.
 */
import type { IndexView } from "../index/view.ts";
import type { SegmentReader } from "../segment/reader.ts";

export interface Chore {
  /** What it reads; nothing is done once no index has it. */
  reader: SegmentReader;
  run(): void;
}

const CHORES_MAX = 100;

/** By name, so that nothing is done twice. */
const chores = new Map<string, Chore>();

export function addChore(name: string, chore: Chore): void {
  if (chores.size < CHORES_MAX) chores.set(name, chore);
}

export function hasChores(): boolean {
  return chores.size > 0;
}

/** Does the oldest one. The indexes must stay as they are meanwhile. */
export function doChore(indexes: Iterable<IndexView>): void {
  const oldest = chores.entries().next();
  if (oldest.done) return;
  const [name, { reader, run }] = oldest.value;
  chores.delete(name);
  for (const { segments } of indexes) {
    if (segments.some((segment) => segment.reader === reader)) {
      run();
      return;
    }
  }
}
