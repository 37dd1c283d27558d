import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { TaskStatus, TaskType } from "../../../src/base/contract/task.ts";
import type { TaskColumns } from "../../../src/storage/store/task-record.ts";
import {
  EVERY_TASK,
  NO_FILTER,
  type TaskFilter,
  type TaskPage,
  type TaskScope,
} from "../../../src/storage/tasks/filter.ts";
import { batchesOf, pageOf, pageOfAll } from "../../../src/storage/tasks/pages.ts";
import { TaskTable } from "../../../src/storage/tasks/table.ts";

interface Row extends TaskColumns {
  swaps: string[] | null;
}

const names = fc.constantFrom("a", "ab", "b", "c");
const moment = fc.integer({ min: 0, max: 20 });
const smallUid = fc.integer({ min: 0, max: 6 });

const rowParts = fc.record({
  type: fc.constantFrom<TaskType>("documentAdditionOrUpdate", "settingsUpdate", "indexSwap", "dumpCreation"),
  status: fc.constantFrom<TaskStatus>("enqueued", "processing", "succeeded", "failed", "canceled"),
  index: names,
  swaps: fc.array(names, { minLength: 1, maxLength: 3 }),
  batchUid: fc.option(smallUid, { nil: null }),
  canceledBy: fc.option(smallUid, { nil: null }),
  enqueuedAt: moment,
  startedAt: fc.option(moment, { nil: null }),
  finishedAt: fc.option(moment, { nil: null }),
  step: fc.integer({ min: 1, max: 3 }),
  removed: fc.boolean(),
});

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 1 });
const filters: fc.Arbitrary<TaskFilter> = fc.record({
  uids: maybe(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 20 })),
  batchUids: maybe(fc.array(fc.oneof(smallUid, fc.constant(0xffffffff)))),
  statuses: maybe(fc.array(fc.constantFrom<TaskStatus>("enqueued", "succeeded", "failed", "canceled"))),
  types: maybe(fc.array(fc.constantFrom<TaskType>("documentAdditionOrUpdate", "indexSwap", "dumpCreation"))),
  indexUids: maybe(fc.array(fc.oneof(names, fc.constant("unknown")))),
  canceledBy: maybe(fc.array(fc.oneof(smallUid, fc.constant(0xffffffff)))),
  beforeEnqueuedAt: maybe(moment),
  afterEnqueuedAt: maybe(moment),
  beforeStartedAt: maybe(moment),
  afterStartedAt: maybe(moment),
  beforeFinishedAt: maybe(moment),
  afterFinishedAt: maybe(moment),
});
const scopes: fc.Arbitrary<TaskScope> = fc.constantFrom(
  EVERY_TASK,
  { all: false, allowsIndex: (uid: string) => uid.startsWith("a") },
  { all: false, allowsIndex: (uid: string) => uid === "b" || uid === "c" },
);
const pages: fc.Arbitrary<TaskPage> = fc.record({
  limit: fc.integer({ min: 0, max: 8 }),
  from: maybe(fc.integer({ min: 0, max: 60 })),
  reverse: fc.boolean(),
});

function within(value: number | null, after: number | null, before: number | null): boolean {
  if (after === null && before === null) return true;
  return value !== null && (after === null || value > after) && (before === null || value < before);
}

/** The same question answered row by row, from the words of the interface. */
function matches(row: Row, filter: TaskFilter, scope: TaskScope): boolean {
  const indexes = row.indexUid === null ? (row.swaps ?? []) : [row.indexUid];
  if (!scope.all && (indexes.length === 0 || !indexes.every((uid) => scope.allowsIndex(uid)))) return false;
  return (
    (filter.uids === null || filter.uids.includes(row.uid)) &&
    (filter.batchUids === null || (row.batchUid !== null && filter.batchUids.includes(row.batchUid))) &&
    (filter.statuses === null || filter.statuses.includes(row.status)) &&
    (filter.types === null || filter.types.includes(row.type)) &&
    (filter.indexUids === null || indexes.some((uid) => filter.indexUids!.includes(uid))) &&
    (filter.canceledBy === null || (row.canceledBy !== null && filter.canceledBy.includes(row.canceledBy))) &&
    within(row.enqueuedAt, filter.afterEnqueuedAt, filter.beforeEnqueuedAt) &&
    within(row.startedAt, filter.afterStartedAt, filter.beforeStartedAt) &&
    within(row.finishedAt, filter.afterFinishedAt, filter.beforeFinishedAt)
  );
}

function cut(uids: number[], page: TaskPage, total: number) {
  const ordered = page.reverse ? uids : uids.toReversed();
  const rest = ordered.filter((uid) => page.from === null || (page.reverse ? uid >= page.from : uid <= page.from));
  const results = rest.slice(0, page.limit);
  return { results, total, limit: page.limit, from: results[0] ?? null, next: rest[page.limit] ?? null };
}

test("filters, pages and batches agree with a row by row answer", () => {
  fc.assert(
    fc.property(fc.array(rowParts, { maxLength: 25 }), filters, scopes, pages, (parts, filter, scope, page) => {
      let uid = 0;
      const table = new TaskTable();
      const all = parts.map(({ step, index, swaps, ...rest }) => {
        uid += step;
        const isGlobal = rest.type === "indexSwap" || rest.type === "dumpCreation";
        const row = {
          ...rest,
          uid,
          indexUid: isGlobal ? null : index,
          swaps: rest.type === "indexSwap" ? swaps : null,
        };
        table.add(row, row.swaps);
        return row;
      });
      table.remove(all.filter((row) => row.removed).map((row) => row.uid));
      const kept = all.filter((row) => !row.removed);
      const found = kept.filter((row) => matches(row, filter, scope));
      const listed = found.filter((row) => filter.indexUids === null || row.indexUid !== null);

      assert.deepEqual(
        pageOf(table, filter, page, scope),
        cut(
          listed.map((row) => row.uid),
          page,
          found.length,
        ),
      );
      assert.deepEqual(
        pageOfAll(table, page),
        cut(
          kept.map((row) => row.uid),
          page,
          kept.length,
        ),
      );
      const batches = [...new Set(listed.flatMap((row) => row.batchUid ?? []))].sort((left, right) => left - right);
      const expected = batches.length === 0 ? null : cut(batches, page, batches.length);
      assert.deepEqual(batchesOf(table, filter, page, scope), expected);
      for (const row of all) assert.equal(table.has(row.uid), !row.removed);
      for (const row of kept) assert.equal(table.isVisible(row.uid, scope), matches(row, NO_FILTER, scope));
    }),
    { numRuns: 400 },
  );
});

function row(uid: number, changes: Partial<TaskColumns> = {}): TaskColumns {
  return {
    uid,
    status: "succeeded",
    type: "documentAdditionOrUpdate",
    indexUid: `index-${uid % 7}`,
    batchUid: uid >>> 3,
    canceledBy: null,
    enqueuedAt: uid,
    startedAt: uid,
    finishedAt: uid,
    ...changes,
  };
}

test("states, counts and names follow what is told", () => {
  const table = new TaskTable();
  for (let uid = 0; uid < 5000; uid++) table.add(row(uid, { status: "enqueued", finishedAt: null, indexUid: "a" }));
  table.update(3, { status: "failed", batchUid: 9, canceledBy: null, startedAt: 5, finishedAt: 6 });
  assert.deepEqual(table.statusCounts(), { enqueued: 4999, processing: 0, succeeded: 0, failed: 1, canceled: 0 });
  table.rename({ below: 10, names: new Map([["a", "b"]]) });
  assert.equal(table.columns(9)!.indexUid, "b");
  assert.equal(table.columns(10)!.indexUid, "a");
  assert.deepEqual(table.indexCounts(), [
    ["a", 4990],
    ["b", 10],
  ]);
  assert.deepEqual(table.oldestFinished(5), [3]);
  table.remove(Array.from({ length: 4000 }, (_, uid) => uid));
  assert.equal(table.size, 1000);
  assert.equal(table.columns(3999), null);
  assert.equal(table.columns(4000)!.enqueuedAt, 4000);
  assert.deepEqual(table.typeCounts(), { documentAdditionOrUpdate: 1000 });
});

test("uids that arrive out of order are put in their place", () => {
  const table = new TaskTable();
  for (const uid of [1, 4, 2, 3]) table.add(row(uid));
  assert.deepEqual([...table.walk(null, true)], [1, 2, 3, 4]);
  assert.deepEqual([...table.walk(3, false)], [3, 2, 1]);
});

test("a filter over a million tasks takes milliseconds", () => {
  const table = new TaskTable();
  for (let uid = 0; uid < 1_000_000; uid++) table.add(row(uid));
  const filter: TaskFilter = {
    ...NO_FILTER,
    indexUids: ["index-3"],
    statuses: ["succeeded"],
    afterEnqueuedAt: 500_000,
  };
  const page = { limit: 20, from: null, reverse: false };
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5; run++) {
    const start = process.cpuUsage();
    assert.equal(pageOf(table, filter, page, EVERY_TASK).total, 71_428);
    best = Math.min(best, process.cpuUsage(start).user / 1000);
  }
  // Around 5 ms on one quiet core; the bound only tells a scan from something worse.
  assert.ok(best < 250, `${best} ms of work`);
});
