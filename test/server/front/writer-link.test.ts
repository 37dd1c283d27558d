import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import test from "node:test";
import type { BatchRecord } from "../../../src/base/contract/task.ts";
import { Log } from "../../../src/base/log/log.ts";
import type { FromWriter, ToWriter, WriterStart } from "../../../src/engine/writer/messages.ts";
import { WriterLink } from "../../../src/server/front/writer-link.ts";
import type { WriterThread } from "../../../src/server/front/writer-thread.ts";
import type { TaskHead } from "../../../src/storage/store/task-record.ts";
import { packTasks } from "../../../src/storage/tasks/finished-tasks.ts";
import type { FinishedEvent } from "../../../src/storage/tasks/results.ts";
import { until } from "../../lib/patience.ts";

class FakeThread extends EventEmitter {
  readonly heard: ToWriter[] = [];
  postMessage(message: ToWriter): void {
    this.heard.push(message);
    if (message.kind === "stop") queueMicrotask(() => this.say({ kind: "stopped" }));
  }
  say(message: FromWriter): void {
    this.emit("message", message);
  }
  async terminate(): Promise<void> {
    this.emit("exit", 0);
  }
}

interface Bench {
  link: WriterLink;
  threads: FakeThread[];
  calls: string[];
  arenas: number[];
  lines: string[];
}

function bench(isReady = true, beforeNext = async (): Promise<void> => {}): Bench {
  const lines: string[] = [];
  const threads: FakeThread[] = [];
  const calls: string[] = [];
  const arenas: number[] = [];
  const tasks = {
    onStarted(batch: BatchRecord) {
      calls.push(`started ${batch.uid}`);
    },
    onProgress: () => calls.push("progress"),
    onRequests: () => calls.push("requests"),
    onAborted() {
      calls.push("aborted");
    },
    onWriterReplaced() {},
    finishedIn(begun: Iterable<{ uid: number }>): TaskHead[] {
      const batches = [...begun].map(({ uid }) => uid);
      calls.push(`looked for ${batches}`);
      return batches.map((uid) => ({ uid }) as TaskHead);
    },
    onFinished() {
      calls.push("finished");
    },
  };
  const link = new WriterLink({
    start: () => ({ data: {} as WriterStart, transfer: [] }),
    async addArena(arena) {
      arenas.push(arena);
    },
    removeArena: (arena) => arenas.push(-arena),
    onShown: () => calls.push("shown"),
    tasks,
    onFinished: () => calls.push("told"),
    beforeNext,
    log: new Log("info", "human", (line) => lines.push(line)),
    prepare: () => () => {
      const thread = new FakeThread();
      threads.push(thread);
      if (isReady) setImmediate(() => thread.say({ kind: "ready", number: 0 }));
      return thread as unknown as WriterThread;
    },
  });
  return { link, threads, calls, arenas, lines };
}

/** Longer than any pause before another writer is started. */
const LONG_MS = 60_000;

/** All that was put off to the end of this turn is done. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("tasks of one turn are told together", async () => {
  const { link, threads } = bench();
  await link.start();
  link.enqueued(1);
  link.enqueued(2);
  await nextTurn();
  link.enqueued(3);
  await nextTurn();
  assert.deepEqual(threads[0]?.heard, [
    { kind: "tasks", uids: [1, 2] },
    { kind: "tasks", uids: [3] },
  ]);
  await link.stop();
});

test("the news of the writer reach the task log and whoever waits for finished tasks", async () => {
  const { link, threads, calls, lines } = bench();
  await link.start();
  threads[0]?.say({ kind: "started", batch: { uid: 4 } as BatchRecord });
  threads[0]?.say({ kind: "progress", batchUid: 4, steps: [] });
  const batch = { uid: 4, stats: { status: { succeeded: 2, failed: 1 }, totalNbTasks: 3 } };
  threads[0]?.say({ kind: "finished", event: { batch, tasks: packTasks([]) } as unknown as FinishedEvent });
  threads[0]?.say({ kind: "aborted", batchUid: 5 });
  assert.deepEqual(calls, ["started 4", "progress", "finished", "told", "aborted"]);
  assert.match(lines.join(""), /INFO writer: a batch is finished batch=4 succeeded=2 failed=1/);
  await link.stop();
});

test("a new arena is confirmed once every thread has it", async () => {
  const { link, threads, arenas } = bench();
  await link.start();
  threads[0]?.say({ kind: "arena", arena: 7, memory: null as never });
  await nextTurn();
  threads[0]?.say({ kind: "arenaGone", arena: 7 });
  assert.deepEqual(arenas, [7, -7]);
  assert.deepEqual(threads[0]?.heard, [{ kind: "arenaReady", arena: 7 }]);
  await link.stop();
});

test("a writer that dies gives its batch back and is replaced, unless the server stops", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { link, threads, calls } = bench();
  await link.start();
  threads[0]?.say({ kind: "started", batch: { uid: 1 } as BatchRecord });
  threads[0]?.emit("exit", 1);
  assert.deepEqual(calls, ["started 1", "aborted"]);
  t.mock.timers.tick(LONG_MS);
  await nextTurn();
  assert.equal(threads.length, 2);
  link.enqueued(9);
  await nextTurn();
  assert.deepEqual(threads[1]?.heard, [{ kind: "tasks", uids: [9] }]);
  threads[1]?.emit("exit", 1);
  await link.stop();
  t.mock.timers.tick(LONG_MS);
  await nextTurn();
  assert.equal(threads.length, 2);
});

test("what a writer that ended has committed is told when the next one shows it, and nothing twice", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { link, threads, calls } = bench();
  await link.start();
  const end = async (): Promise<void> => {
    calls.length = 0;
    threads.at(-1)!.emit("exit", 1);
    t.mock.timers.tick(LONG_MS);
    await nextTurn();
    await nextTurn();
  };
  for (const uid of [1, 2, 3]) threads[0]?.say({ kind: "started", batch: { uid } as BatchRecord });
  const batch = { uid: 1, stats: { status: {} } };
  threads[0]?.say({ kind: "finished", event: { batch, tasks: packTasks([]) } as unknown as FinishedEvent });
  threads[0]?.say({ kind: "aborted", batchUid: 2 });
  await end();
  assert.deepEqual(calls, ["aborted", "looked for 3", "told"]);
  await end();
  assert.deepEqual(calls, ["aborted", "looked for "]);
  await link.stop();
});

test("a server whose writers all die before they are ready says so, until one is", async () => {
  const { link, threads } = bench(false);
  const started = link.start();
  for (let death = 0; death < 3; death++) {
    assert.equal(link.canWrite, true);
    threads.at(-1)!.emit("exit", 1);
    const before = threads.length;
    await until(
      () => threads.length > before,
      () => "the writer is replaced",
    );
  }
  assert.equal(link.canWrite, false);
  threads.at(-1)!.say({ kind: "ready", number: 0 });
  await started;
  assert.equal(link.canWrite, true);
  await link.stop();
});

test("a writer that cannot be started, again and again, is told by health", async () => {
  const { link, threads, lines } = bench(true, async () => {
    throw new Error("no disk");
  });
  await link.start();
  threads[0]!.emit("exit", 1);
  assert.equal(link.canWrite, true);
  await until(
    () => lines.filter((line) => line.includes("no disk")).length > 1,
    () => "it is tried again",
  );
  assert.equal(link.canWrite, false);
  await link.stop();
});
