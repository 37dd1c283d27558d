/**
 * What a reader thread had better do when it has nothing else to do: searches leave here what would make later ones
 * quicker but takes longer than one of them should. What a reader without an idle moment keeps doing without becomes
 * urgent: it is done between two searches. Bounded, and forgotten when its segment is gone.
 */
import type { IndexView } from "../index/view.ts";
import type { SegmentReader } from "../segment/reader.ts";

export interface Chore {
  /** What it reads; nothing is done once no index has it. */
  reader: SegmentReader;
  isUrgent: boolean;
  run(): void;
}

const CHORES_MAX = 100;

/** By name, so that nothing is done twice. */
const chores = new Map<string, Chore>();

export function addChore(name: string, chore: Chore): void {
  if (chores.size < CHORES_MAX || chores.has(name)) chores.set(name, chore);
}

export function hasChores(): boolean {
  return chores.size > 0;
}

export function hasUrgentChores(): boolean {
  for (const { isUrgent } of chores.values()) if (isUrgent) return true;
  return false;
}

/** Does the oldest urgent one, else the oldest. The indexes must stay as they are meanwhile. */
export function doChore(indexes: Iterable<IndexView>): void {
  const all = [...chores];
  const next = all.find(([, { isUrgent }]) => isUrgent) ?? all[0];
  if (next === undefined) return;
  const [name, { reader, run }] = next;
  chores.delete(name);
  for (const { segments } of indexes) {
    if (segments.some((segment) => segment.reader === reader)) {
      run();
      return;
    }
  }
}
