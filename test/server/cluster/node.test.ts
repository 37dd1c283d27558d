/** One server of several, without threads or requests: what shows of tasks, and when. */

import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { Log } from "../../../src/base/log/log.ts";
import { Checkpoints } from "../../../src/server/cluster/checkpoints.ts";
import { ClusterFiles } from "../../../src/server/cluster/files.ts";
import { ClusterNode } from "../../../src/server/cluster/node.ts";
import { DirectoryBlobs } from "../../../src/storage/blobs/directory.ts";
import { MeasuredBlobs } from "../../../src/storage/blobs/measured.ts";
import { DirectoryJournal } from "../../../src/storage/journal/directory.ts";
import { DirectoryBoard } from "../../../src/storage/journal/directory-board.ts";
import type { Change } from "../../../src/storage/store/environment.ts";
import type { SharedHost } from "../../../src/storage/store/shared-host.ts";
import { type OwnStore, openStore } from "../../../src/storage/store/store.ts";
import { tablePosition } from "../../../src/storage/store/tables.ts";
import { TaskLog } from "../../../src/storage/tasks/log.ts";
import { until } from "../../lib/patience.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { documentTask } from "../../storage/tasks/samples.ts";

type Hooks = Parameters<ClusterNode["attach"]>[0];

interface Opened {
  node: ClusterNode;
  store: OwnStore;
  tasks: TaskLog;
  /** Tasks of which whoever runs them was told. */
  enqueued: number[];
  /** Tasks that webhooks were told of. */
  told: number[];
  /** How many times another writer was asked for. */
  replaced(): number;
  close(): Promise<void>;
}

/**
 * One that leads. `host`: sees what the store tells the node, and may look around before it passes that on. `early`: what happens after
 * the writer is started, and before the node knows whom to tell.
 */
async function openNode(
  host: (node: ClusterNode, tasks: () => TaskLog) => Partial<SharedHost> = () => ({}),
  early: (node: ClusterNode, store: OwnStore) => Promise<void> = async () => {},
): Promise<Opened> {
  const folder = temporaryDirectory();
  const databasePath = path.join(folder, "db");
  const shared = new MeasuredBlobs(new DirectoryBlobs(path.join(folder, "blobs")));
  const journal = new DirectoryJournal(path.join(folder, "journal"));
  const place = {
    journal,
    board: new DirectoryBoard(path.join(folder, "members")),
    blobs: { kind: "directory" as const, path: path.join(folder, "blobs") },
    shared,
    files: new ClusterFiles(databasePath, shared, async () => null),
    checkpoints: new Checkpoints(shared, databasePath),
    databasePath,
    isJoined: false,
    checkpointMs: 1_000_000,
    close: async () => {},
  };
  const node = new ClusterNode(
    { name: "one", version: "1.0.0", waitsForAll: false, copies: null, shards: 1, mayLead: true },
    place,
    new Log("error", "human"),
  );
  let tasks: TaskLog | null = null;
  const own = host(node, () => tasks!);
  const passed: SharedHost = {
    prepare: (changes) => node.prepare(changes),
    placed: (changes) => node.placed(changes),
    storing: (changes) => node.storing(changes),
    applied: (run) => node.applied(run),
    regather: () => node.regather(),
    onLost: (problem) => assert.fail(problem),
    onTrouble: (problem) => assert.fail(problem),
    ...own,
  };
  const store = openStore(path.join(databasePath, "store"), { shared: { journal, host: passed } });
  await node.open(store);
  const enqueued: number[] = [];
  tasks = new TaskLog(store, { onEnqueued: (uid) => enqueued.push(uid) });
  node.attachTasks(tasks);
  let replaced = 0;
  const writer = {
    follow: () => {},
    replace: () => {
      replaced++;
      node.writerStart();
    },
  };
  node.writerStart();
  await early(node, store);
  // The rest of a server, of which nothing is asked here.
  const told: number[] = [];
  const onFinished: Hooks["onFinished"] = ({ tasks: { heads } }) => {
    for (const { uid } of heads()) told.push(uid);
  };
  node.attach({ tasks, keys: null, writer, onFinished } as unknown as Hooks);
  node.onWriterReady(store.mark()!.number);
  await until(
    () => node.leads && node.mayAnswer,
    () => "it leads",
  );
  const close = async (): Promise<void> => {
    await node.stop();
    await store.close();
    await node.close();
  };
  return { node, store, tasks, enqueued, told, replaced: () => replaced, close };
}

test("a batch of the leader is told of, also when others in its record were told that it is uncertain", async () => {
  const { node, close } = await openNode();
  const number = node.shown + 1;
  const changes: Change[] = [{ table: tablePosition("batches"), key: 7, value: Buffer.from("a batch") }];
  node.storing(changes);
  node.applied([{ number, changes, isOwn: false }]);
  assert.equal(node.shown, number - 1);
  let isTold = false;
  node.onFinished(7, () => {
    isTold = true;
  });
  assert.equal(node.shown, number);
  await until(
    () => isTold,
    () => "the batch is told of",
  );
  await close();
});

test("what the writer before this one has committed last shows when the next one has read it", async () => {
  const { node, close } = await openNode();
  const number = node.shown + 1;
  const changes: Change[] = [{ table: tablePosition("batches"), key: 7, value: Buffer.from("a batch") }];
  node.applied([{ number, changes, isOwn: true }]);
  assert.equal(node.shown, number - 1);
  // Nobody says any more that the batch is finished.
  node.onWriterReady(number);
  assert.equal(node.shown, number);
  await close();
});

test("a task that is finished in the tables shows as enqueued until searches see what it did, whoever reads them anew", async () => {
  const seen: string[] = [];
  const { node, store, tasks, close } = await openNode((own, log) => ({
    applied(run) {
      // As it happens when a writer takes over between a commit and the news of it.
      if (run.some(({ changes }) => changes.some(({ table }) => table === tablePosition("batches")))) {
        log().onWriterReplaced();
        seen.push(log().get(0)!.status);
      }
      own.applied(run);
    },
  }));
  const { uid } = await tasks.enqueue({ type: "indexDeletion" }, "films");
  assert.equal(uid, 0);
  const batch = { uid: 0, taskUids: [0], details: {}, stats: null, startedAt: 1, finishedAt: 2, strategy: "" };
  await store.write(() => {
    store.tasks.put(0, { ...documentTask(0), status: "succeeded", batchUid: 0, startedAt: 1, finishedAt: 2 });
    store.batches.put(0, batch as unknown as Parameters<typeof store.batches.put>[1]);
  });
  assert.deepEqual(seen, ["enqueued"]);
  assert.equal(tasks.get(0)!.status, "enqueued");
  node.onFinished(0, () => tasks.onWriterReplaced());
  await until(
    () => tasks.get(0)!.status === "succeeded",
    () => "the task has succeeded",
  );
  await close();
});

test("webhooks are told of what the writer before this one has committed last, and of what others ran they are not", async () => {
  const { node, store, tasks, told, close } = await openNode();
  for (const name of ["films", "books", "songs"]) await tasks.enqueue({ type: "indexDeletion" }, name);
  const finish = (into: OwnStore, uid: number): void => {
    into.tasks.put(uid, { ...documentTask(uid), status: "succeeded", batchUid: uid, startedAt: 1, finishedAt: 2 });
    const batch = { uid, taskUids: [uid], details: {}, stats: null, startedAt: 1, finishedAt: 2, strategy: "" };
    into.batches.put(uid, batch as unknown as Parameters<typeof into.batches.put>[1]);
  };
  const isShown = (uid: number): Promise<void> =>
    until(
      () => tasks.get(uid)!.status === "succeeded",
      () => `task ${uid} has succeeded`,
    );
  await store.write(() => finish(store, 0));
  assert.deepEqual(told, []);
  // Nobody says any more that the batch is finished.
  node.onWriterReady(store.mark()!.number);
  await isShown(0);
  assert.deepEqual(told, [0]);
  await store.write(() => finish(store, 1));
  // Whoever is told by the writer that ran it tells by itself.
  node.onFinished(1, () => tasks.onWriterReplaced());
  await isShown(1);
  assert.deepEqual(told, [0]);
  // What another server that leads by now has run.
  const { term } = node.leader!;
  const followed = await recordsOf((other) => {
    other.meta.put("leader", { term: term + 1, node: "other", boot: "other" });
    finish(other, 2);
  });
  node.storing(followed);
  await store.write(() => {
    store.tasks.put(2, { ...documentTask(2), status: "succeeded", batchUid: 2, startedAt: 1, finishedAt: 2 });
  });
  const number = node.progress.applied + 1;
  node.applied([{ number, changes: followed, isOwn: false }]);
  node.onFollowed(number);
  await isShown(2);
  assert.deepEqual(told, [0]);
  await close();
});

test("a task that is enqueued and finished in one run of records shows as enqueued until searches see what it did", async () => {
  const { node, store, tasks, close } = await openNode();
  await until(
    () => node.leads && node.mayAnswer,
    () => "the server leads",
  );
  // What another server that leads by now has written, as it comes here at once.
  const sealed = await recordsOf((other) => {
    other.meta.put("leader", { term: 9, node: "other", boot: "other" });
    other.tasks.put(0, documentTask(0));
  });
  const finished = await recordsOf((other) => {
    other.tasks.put(0, { ...documentTask(0), status: "succeeded", batchUid: 0, startedAt: 1, finishedAt: 2 });
    const batch = { uid: 0, taskUids: [0], details: {}, stats: null, startedAt: 1, finishedAt: 2, strategy: "" };
    other.batches.put(0, batch as unknown as Parameters<typeof other.batches.put>[1]);
    other.catalog.put("films", { id: 0, createdAt: 1, updatedAt: 2 });
  });
  const number = node.shown + 1;
  node.storing([...sealed, ...finished]);
  await store.write(() => {
    store.tasks.put(0, { ...documentTask(0), status: "succeeded", batchUid: 0, startedAt: 1, finishedAt: 2 });
  });
  node.applied([
    { number: number + 1, changes: sealed, isOwn: false },
    { number: number + 2, changes: finished, isOwn: false },
  ]);
  assert.equal(node.leads, false);
  assert.equal(tasks.get(0)!.status, "enqueued");
  tasks.onWriterReplaced();
  assert.equal(tasks.get(0)!.status, "enqueued");
  node.onFollowed(number + 2);
  await until(
    () => tasks.get(0)!.status === "succeeded",
    () => "the task has succeeded",
  );
  await close();
});

test("what another server has written and searches do not see waits for nobody", async () => {
  const { node, close } = await openNode();
  const leader = await recordsOf((other) => other.meta.put("leader", { term: 9, node: "other", boot: "other" }));
  const task = await recordsOf((other) => other.tasks.put(0, documentTask(0)));
  const index = await recordsOf((other) => other.catalog.put("films", { id: 0, createdAt: 1, updatedAt: 2 }));
  const number = node.shown;
  node.applied([
    { number: number + 1, changes: leader, isOwn: false },
    { number: number + 2, changes: task, isOwn: false },
  ]);
  assert.equal(node.shown, number + 2);
  node.applied([{ number: number + 3, changes: index, isOwn: false }]);
  assert.equal(node.shown, number + 2);
  node.onFollowed(number + 3);
  assert.equal(node.shown, number + 3);
  await close();
});

test("a task of another server that was read from the store before it was told of is run all the same", async () => {
  const { node, store, tasks, enqueued, close } = await openNode();
  const changes = await recordsOf((other) => other.tasks.put(0, documentTask(0)));
  await store.write(() => store.tasks.put(0, documentTask(0)));
  // As it happens when a writer takes over between a commit and the news of it: that writer has not seen the task.
  tasks.onWriterReplaced();
  assert.ok(tasks.table.has(0));
  assert.deepEqual(enqueued, []);
  node.applied([{ number: node.shown + 1, changes, isOwn: false }]);
  assert.deepEqual(enqueued, [0]);
  await close();
});

test("a further term of the same server has its own writer: the one before it may not write", async () => {
  const { node, store, replaced, close } = await openNode();
  const mayNot = node.refusal();
  const before = replaced();
  assert.equal(mayNot(), null);
  const { term, boot } = node.leader!;
  await store.write(() => store.meta.put("leader", { term: term + 1, node: "one", boot }));
  assert.equal(node.leader?.term, term + 1);
  assert.equal(mayNot()?.code, "EDEPOSED");
  assert.equal(node.refusal()(), null);
  assert.equal(replaced(), before + 1);
  await close();
});

test("a writer that was started to lead is replaced when another server leads by the time that it can be", async () => {
  const { node, replaced, close } = await openNode(undefined, async (early, store) => {
    const { term } = early.leader!;
    // What another server has written: it gives the lead back as well, so that this one leads again in the end.
    await store.write(() => store.meta.put("leader", { term: term + 1, node: "other", boot: "other" }));
    await store.write(() => store.meta.put("leader", { term: term + 2, node: null, boot: null }));
    assert.equal(early.leads, false);
  });
  assert.equal(node.leads, true);
  // Once for each: to follow, and to lead.
  assert.equal(replaced(), 2);
  await close();
});

test("a batch that is finished before there is anybody to tell shows all the same", async () => {
  const told: number[] = [];
  const { node, close } = await openNode(undefined, async (early, store) => {
    const changes: Change[] = [{ table: tablePosition("batches"), key: 7, value: Buffer.from("a batch") }];
    early.applied([{ number: store.mark()!.number + 1, changes, isOwn: true }]);
    early.onFinished(7, () => told.push(7));
  });
  await until(
    () => told.length === 1,
    () => "the batch is told of",
  );
  assert.equal(node.shown, node.progress.applied + 1);
  await close();
});

/** What is changed by it in an empty store. */
async function recordsOf(write: (store: OwnStore) => void): Promise<readonly Change[]> {
  const folder = temporaryDirectory();
  const journal = new DirectoryJournal(path.join(folder, "journal"));
  let changes: readonly Change[] = [];
  const host: SharedHost = {
    prepare: async () => {},
    placed: () => {},
    storing: () => {},
    applied: (run) => {
      changes = run.flatMap((applied) => applied.changes);
    },
    regather: () => {},
    onLost: (problem) => assert.fail(problem),
    onTrouble: (problem) => assert.fail(problem),
  };
  const store = openStore(path.join(folder, "store"), { shared: { journal, host } });
  store.shared!.start();
  await store.write(() => write(store));
  await store.close();
  await journal.close();
  return changes;
}

test("it is sure of what others have written only where it could read the journal", async (t) => {
  const { node, close } = await openNode();
  const unreadable = t.mock.method(DirectoryJournal.prototype, "last", () => Promise.reject(new Error("not there")));
  assert.equal(await node.caughtUp(), false);
  unreadable.mock.restore();
  assert.equal(await node.caughtUp(), true);
  await close();
});
