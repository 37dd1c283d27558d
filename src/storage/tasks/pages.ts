/**
 * One page of the uids that a filter keeps, with the totals and cursors of the interface. Pure over the task table.
 */
import { firstAtLeast } from "../../base/sorted/binary-search.ts";
import type { TaskFilter, TaskPage, TaskScope } from "./filter.ts";
import type { TaskTable } from "./table.ts";

export interface Page<T> {
  results: T[];
  /** All that match, whatever the page. */
  total: number;
  limit: number;
  /** Uid of the first result. */
  from: number | null;
  /** Uid to pass as `from` for the next page. */
  next: number | null;
}

const NO_BATCH = 0xffffffff;

export function emptyPage<T>(page: TaskPage): Page<T> {
  return { results: [], total: 0, limit: page.limit, from: null, next: null };
}

/** A page of every task. */
export function pageOfAll(table: TaskTable, page: TaskPage): Page<number> {
  return cut(table.walk(page.from, page.reverse), table.size, page);
}

export function pageOf(table: TaskTable, filter: TaskFilter, page: TaskPage, scope: TaskScope): Page<number> {
  let total = 0;
  let count = 0;
  let listedUids = new Uint32Array(1024);
  table.select(filter, scope, (uid, listed) => {
    total++;
    if (!listed) return;
    if (count === listedUids.length) {
      const larger = new Uint32Array(count * 2);
      larger.set(listedUids);
      listedUids = larger;
    }
    listedUids[count++] = uid;
  });
  return cut(walk(listedUids.subarray(0, count), page), total, page);
}

/** A page of the batches in which at least one task matches; null when there are none. */
export function batchesOf(table: TaskTable, filter: TaskFilter, page: TaskPage, scope: TaskScope): Page<number> | null {
  let lowest = NO_BATCH;
  let highest = -1;
  const extent = (_uid: number, listed: boolean, batch: number) => {
    if (!listed || batch === NO_BATCH) return;
    if (batch < lowest) lowest = batch;
    if (batch > highest) highest = batch;
  };
  table.select(filter, scope, extent);
  if (highest < 0) return null;
  const present = new Uint8Array(highest - lowest + 1);
  let total = 0;
  table.select(filter, scope, (_uid, listed, batch) => {
    if (!listed || batch === NO_BATCH || present[batch - lowest] === 1) return;
    present[batch - lowest] = 1;
    total++;
  });
  const uids = new Uint32Array(total);
  let count = 0;
  for (let i = 0; i < present.length; i++) if (present[i] === 1) uids[count++] = lowest + i;
  return cut(walk(uids, page), total, page);
}

/** `uids` ascend. */
function* walk(uids: Uint32Array, { from, reverse }: TaskPage): Generator<number> {
  if (reverse) {
    for (let i = from === null ? 0 : firstAtLeast(uids, from); i < uids.length; i++) yield uids[i]!;
    return;
  }
  for (let i = from === null ? uids.length - 1 : firstAtLeast(uids, from + 1) - 1; i >= 0; i--) yield uids[i]!;
}

function cut(uids: Iterable<number>, total: number, page: TaskPage): Page<number> {
  const results: number[] = [];
  for (const uid of uids) {
    if (results.length === page.limit)
      return { results, total, limit: page.limit, from: results[0] ?? null, next: uid };
    results.push(uid);
  }
  return { results, total, limit: page.limit, from: results[0] ?? null, next: null };
}
