import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { TaskContent, TaskRecord } from "../../../src/base/contract/task.ts";
import type { Batch, IndexInfo } from "../../../src/storage/tasks/batch.ts";
import { TaskQueue } from "../../../src/storage/tasks/queue.ts";
import { importContent, task } from "./samples.ts";

const INDEXES: IndexInfo = { exists: () => true, primaryKey: () => null };
const UNLIMITED = { tasksMax: Number.POSITIVE_INFINITY, payloadBytesMax: Number.POSITIVE_INFINITY };

function queueOf(tasks: TaskRecord[], limits = UNLIMITED): TaskQueue {
  const byUid = new Map(tasks.map((one) => [one.uid, one]));
  const queue = new TaskQueue((uid) => byUid.get(uid)!, limits);
  queue.add(tasks);
  return queue;
}

function drain(queue: TaskQueue): Batch[] {
  const batches: Batch[] = [];
  for (let batch = queue.next(INDEXES); batch !== null; batch = queue.next(INDEXES)) {
    batches.push(batch);
    queue.remove(batch.tasks.map((one) => one.uid));
  }
  return batches;
}

const settings: TaskContent = { type: "settingsUpdate", settings: {}, isDeletion: false, allowIndexCreation: true };
const swap: TaskContent = { type: "indexSwap", swaps: [{ indexes: ["a", "b"], rename: false }] };
const cancel = (matchedUids: number[]): TaskContent => ({ type: "taskCancelation", matchedUids, originalFilter: "?" });
const remove = (matchedUids: number[]): TaskContent => ({ type: "taskDeletion", matchedUids, originalFilter: "?" });
const byFilter: TaskContent = { type: "documentDeletion", by: "filter", filter: "x = 1" };

test("global work goes first, in its order, and cancelations newest first", () => {
  const batches = drain(
    queueOf([
      task(0, importContent(), "a"),
      task(1, { type: "dumpCreation" }, null),
      task(2, { type: "snapshotCreation" }, null),
      task(3, { type: "indexCompaction" }, "a"),
      task(4, remove([]), null),
      task(5, cancel([]), null),
      task(6, { type: "snapshotCreation" }, null),
      task(7, cancel([]), null),
      task(8, remove([]), null),
      task(9, { type: "dumpCreation" }, null),
      task(10, { type: "export", url: "", apiKey: null, payloadSize: null, indexes: {} }, null),
      task(11, { type: "upgradeDatabase", from: "1", to: "2" }, null),
      task(12, importContent(), "a"),
    ]),
  );
  assert.deepEqual(
    batches.map((batch) => [batch.kind, ...batch.tasks.map((one) => one.uid)]),
    [
      ["taskCancelation", 7],
      ["taskCancelation", 5],
      ["upgradeDatabase", 11],
      ["taskDeletions", 4, 8],
      ["indexCompaction", 3],
      ["export", 10],
      ["snapshots", 2, 6],
      ["dump", 1],
      ["dump", 9],
      ["documents", 0, 12],
    ],
  );
});

test("the oldest task chooses the index, and its later tasks join across those of others", () => {
  const batches = drain(
    queueOf([
      task(0, importContent(), "a"),
      task(1, importContent(), "b"),
      task(2, importContent(), "a"),
      task(3, settings, "a"),
      task(4, importContent(), "b"),
      task(5, importContent(), "a"),
    ]),
  );
  assert.deepEqual(
    batches.map((batch) => batch.tasks.map((one) => one.uid)),
    [[0, 2], [1, 4], [3], [5]],
  );
});

test("documents, settings, documents are three batches; deletion by filter then import is one", () => {
  const count = (...contents: TaskContent[]) =>
    drain(queueOf(contents.map((content, uid) => task(uid, content)))).length;
  assert.equal(count(settings, importContent()), 2);
  assert.equal(count(importContent(), settings, importContent()), 3);
  assert.equal(count(byFilter, importContent()), 1);
  assert.equal(count(importContent(), byFilter), 2);
});

test("no batch reaches across a swap or a rename of its index", () => {
  const around = (between: TaskRecord) =>
    drain(queueOf([task(0, importContent(), "a"), between, task(2, importContent(), "a")])).map((batch) => batch.kind);
  assert.deepEqual(around(task(1, swap, null)), ["documents", "indexSwap", "documents"]);
  const rename: TaskContent = { type: "indexUpdate", primaryKey: null, newIndexUid: "a" };
  assert.deepEqual(around(task(1, rename, "other")), ["documents", "indexUpdate", "documents"]);
});

test("rule updates run together, apart from everything else", () => {
  const batches = drain(
    queueOf([
      task(0, { type: "dsrUpdate", uid: "r", update: null }, null),
      task(1, importContent(), "a"),
      task(2, { type: "dsrClear" }, null),
    ]),
  );
  assert.deepEqual(
    batches.map((batch) => [batch.kind, ...batch.tasks.map((one) => one.uid)]),
    [
      ["searchRules", 0, 2],
      ["documents", 1],
    ],
  );
});

test("a cancelation aims at the batch that holds one of its tasks", () => {
  const queue = queueOf([task(0, importContent()), task(1, importContent())]);
  assert.equal(queue.isAimedAt([{ uid: 0 }, { uid: 1 }]), false);
  queue.add([task(2, cancel([1]), null)]);
  assert.equal(queue.isAimedAt([{ uid: 0 }, { uid: 1 }]), true);
  assert.equal(queue.isAimedAt([{ uid: 0 }]), false);
  queue.remove([2]);
  assert.equal(queue.isAimedAt([{ uid: 0 }, { uid: 1 }]), false);
});

test("a batch that is not finished is offered again", () => {
  const queue = queueOf([task(0, importContent()), task(1, importContent())]);
  assert.deepEqual(queue.next(INDEXES), queue.next(INDEXES));
  queue.remove([0]);
  assert.deepEqual(
    queue.next(INDEXES)!.tasks.map((one) => one.uid),
    [1],
  );
});

test("of a batch that fails the bad tasks are found in few smaller ones, in order, and the others get through", () => {
  const bad = fc.uniqueArray(fc.nat(199), { maxLength: 12 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), bad, fc.nat(3), (tasks, guilty, later) => {
      const all = Array.from({ length: tasks + later }, (_, uid) => task(uid, importContent(), "a"));
      const queue = new TaskQueue((uid) => all[uid]!, UNLIMITED);
      queue.add(all.slice(0, tasks));
      const isBad = (uid: number) => guilty.includes(uid);
      const done: number[] = [];
      const blamed: number[] = [];
      let failures = 0;
      let tried = 0;
      for (let batch = queue.next(INDEXES); batch !== null; batch = queue.next(INDEXES)) {
        const uids = batch.tasks.map(({ uid }) => uid);
        tried += uids.length;
        if (uids.some(isBad)) failures++;
        if (uids.some(isBad) && uids.length > 1) queue.divide({ ...batch, indexUid: "a" });
        else {
          if (isBad(uids[0]!)) blamed.push(uids[0]!);
          done.push(...uids);
          queue.remove(uids);
        }
      }
      const levels = Math.ceil(Math.log2(tasks)) + 1;
      assert.deepEqual(
        done,
        Array.from({ length: tasks }, (_, uid) => uid),
      );
      assert.deepEqual(
        blamed,
        guilty.filter((uid) => uid < tasks).sort((a, b) => a - b),
      );
      assert.ok(failures <= blamed.length * levels && tried <= tasks * levels, `${failures} ${tried}`);
      // Those that come later are batched as ever.
      queue.add(all.slice(tasks));
      assert.equal(queue.next(INDEXES)?.tasks.length ?? 0, later);
    }),
  );
});

test("batches hold every task once, and the tasks of an index keep their order", () => {
  const contents: TaskContent[] = [
    importContent(),
    importContent({ primaryKey: "id" }),
    importContent({ allowIndexCreation: false }),
    { type: "documentDeletion", by: "ids", ids: ["1"] },
    byFilter,
    { type: "documentDeletion", by: "all" },
    settings,
    { type: "indexCreation", primaryKey: null },
    { type: "indexUpdate", primaryKey: null, newIndexUid: "b" },
    { type: "indexDeletion" },
    { type: "documentEdition", filter: null, context: null, function: "" },
  ];
  const arbitrary = fc.record({
    content: fc.constantFrom(...contents),
    index: fc.constantFrom("a", "b", "c"),
  });
  fc.assert(
    fc.property(fc.array(arbitrary, { maxLength: 40 }), fc.integer({ min: 1, max: 8 }), (specs, tasksMax) => {
      const tasks = specs.map(({ content, index }, uid) => task(uid, content, index));
      const batches = drain(queueOf(tasks, { ...UNLIMITED, tasksMax }));
      const ran = batches.flatMap((batch) => batch.tasks.map((one) => one.uid));
      assert.deepEqual(
        [...ran].sort((left, right) => left - right),
        tasks.map((one) => one.uid),
      );
      for (const index of ["a", "b", "c"]) {
        const own = ran.filter((uid) => tasks[uid]!.indexUid === index);
        assert.deepEqual(
          own,
          own.toSorted((left, right) => left - right),
        );
      }
      for (const batch of batches) {
        assert.ok(batch.tasks.length <= tasksMax);
        assert.equal(new Set(batch.tasks.map((one) => one.indexUid)).size, 1);
        assert.ok(batch.strategy.length > 0);
      }
    }),
  );
});

test("while some indexes are held, the oldest task runs that nothing older keeps waiting", () => {
  const names = ["a", "b", "c", "d"];
  const touching = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 2 });
  const held = fc.uniqueArray(fc.constantFrom(...names));
  fc.assert(
    fc.property(fc.array(touching, { maxLength: 30 }), held, (all, heldNames) => {
      const tasks = all.map(([left, right], uid) =>
        right === undefined
          ? task(uid, importContent(), left!)
          : task(uid, { type: "indexSwap", swaps: [{ indexes: [left!, right], rename: false }] }, null),
      );
      const queue = queueOf(tasks);
      const blocked = new Set(heldNames);
      let expected: number | null = null;
      for (const [uid, touched] of all.entries()) {
        if (touched.some((name) => blocked.has(name))) for (const name of touched) blocked.add(name);
        else {
          expected = uid;
          break;
        }
      }
      const batch = queue.next(INDEXES, new Set(heldNames));
      assert.equal(batch?.tasks[0]?.uid ?? null, expected);
      for (const { uid } of batch?.tasks ?? []) assert.ok(!all[uid]!.some((name) => heldNames.includes(name)));
    }),
  );
});

test("the compaction of an index that is held waits, and what else goes first does not", () => {
  const queue = queueOf([
    task(0, { type: "indexCompaction" }, "a"),
    task(1, { type: "dumpCreation" }, null),
    task(2, importContent(), "a"),
  ]);
  const a = new Set(["a"]);
  assert.equal(queue.next(INDEXES, a)!.kind, "dump");
  queue.remove([1]);
  assert.equal(queue.next(INDEXES, a), null);
  assert.equal(queue.next(INDEXES)!.kind, "indexCompaction");
});
