/** What is long in a task lies beside its record: it is shown as it is, read by whoever does the work, and goes with the task. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { TaskContent, TaskRecord } from "../../../src/base/contract/task.ts";
import { decodeWritten, encodeWritten, type SealedPiece } from "../../../src/base/contract/written-task.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import { seal } from "../../../src/storage/store/seal.ts";
import { type OwnStore, openStore } from "../../../src/storage/store/store.ts";
import { headOf } from "../../../src/storage/store/task-record.ts";
import { putTaskTexts, shortDetails } from "../../../src/storage/store/texts.ts";
import type { Batch } from "../../../src/storage/tasks/batch.ts";
import { TaskLog } from "../../../src/storage/tasks/log.ts";
import { finishBatch, finishTaskDeletions, saveFinished, startBatch } from "../../../src/storage/tasks/results.ts";
import { initialDetails } from "../../../src/storage/tasks/types.ts";
import { batchPieces, batchView, type Piece, taskPieces, taskView } from "../../../src/storage/tasks/views.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { task } from "./samples.ts";

const words = (count: number, mark: string): string[] => Array.from({ length: count }, (_, i) => `${mark} $& "${i}"`);
const settings = (stopWords: string[]): TaskContent => ({
  type: "settingsUpdate",
  settings: { displayedAttributes: null, stopWords, dictionary: ["short"] },
  isDeletion: false,
  allowIndexCreation: true,
});

function textOf(pieces: Iterable<Piece>): string {
  return Buffer.concat([...pieces].map((piece) => Buffer.from(piece as string))).toString("utf8");
}

/** Through the bytes in which another thread tells of it. */
function written(content: TaskContent) {
  const details = initialDetails(content, "books");
  const pieces: SealedPiece[] = [];
  const texts = putTaskTexts(content, details, (key, piece) => pieces.push({ key, sealed: seal("texts", key, piece) }));
  assert.ok(texts !== undefined);
  return decodeWritten(encodeWritten({ details: shortDetails(details, texts.details), content: null, texts, pieces }));
}

const UNREAD = settings([]);
const withoutTexts = ({ texts: _texts, ...record }: TaskRecord): TaskRecord => record;

async function stored(contents: TaskContent[]): Promise<{ store: OwnStore; log: TaskLog }> {
  const store = openStore(join(temporaryDirectory(), "store"));
  const log = new TaskLog(store, { onEnqueued: () => {} });
  for (const content of contents) await log.enqueue(UNREAD, "books", { written: written(content) });
  return { store, log };
}

test("a long task is read as it was given, and shown as one that is not", async () => {
  // Longer than a piece, with letters of several bytes that a piece may end in.
  const content = settings(words(30_000, "wörd 漢"));
  const { store, log } = await stored([content]);
  const record = store.tasks.get(0)!;
  const details = initialDetails(content, "books");
  const whole = { ...task(0, content, "books"), details, enqueuedAt: record.enqueuedAt };
  assert.deepEqual(withoutTexts(record), whole);
  assert.ok(store.texts.count() > 4);
  const shown = log.get(0)!;
  assert.deepEqual(shown.details, { ...whole.details, stopWords: null });
  assert.equal(textOf(taskPieces(shown, store.texts)), JSON.stringify(taskView(headOf(whole))));
  await store.close();
});

test("a text goes with the last of its task and its batch", async () => {
  const contents = [settings(words(5000, "first")), settings(words(5000, "last"))];
  const { store, log } = await stored(contents);
  const tasks = [0, 1].map((uid) => store.tasks.get(uid)!);
  const batch: Batch = { kind: "settings", indexUid: "books", allowIndexCreation: true, tasks, strategy: "all" };
  const started = startBatch(batch, 0, 1);
  const done = finishBatch(batch, started, [{ status: "succeeded" }, { status: "succeeded" }], 2);
  await store.write(() => saveFinished(store, done));
  store.refresh();
  log.onWriterReplaced();
  assert.ok(JSON.stringify(started).length < 2000 && JSON.stringify(store.batches.get(0)).length < 2000);
  const { details } = tasks[1]!;
  for (const shown of [started, store.batches.get(0)!]) {
    const expected: JsonObject = { ...batchView(shown, null), details } as unknown as JsonObject;
    assert.equal(textOf(batchPieces(shown, null, store.texts)), JSON.stringify(expected));
  }
  const remove = async (uid: number, deletion: number): Promise<void> => {
    const content: TaskContent = { type: "taskDeletion", matchedUids: [uid], originalFilter: "?" };
    const alone: Batch = { kind: "taskDeletions", tasks: [task(deletion, content)], strategy: "all" };
    const removed = finishTaskDeletions(alone, startBatch(alone, deletion, 3), store, 4);
    await store.write(() => saveFinished(store, removed));
    store.refresh();
  };
  // The batch still shows the words of the last one.
  await remove(1, 2);
  assert.equal(
    JSON.parse(textOf(batchPieces(store.batches.get(0)!, null, store.texts))).details.stopWords[0],
    'last $& "0"',
  );
  assert.equal(JSON.parse(textOf(taskPieces(log.get(0)!, store.texts))).details.stopWords[0], 'first $& "0"');
  await remove(0, 3);
  assert.equal(store.batches.get(0), undefined);
  assert.equal(store.texts.count(), 0);
  await store.close();
});

test("what has not run yet shows no counts, also of a long filter", async () => {
  const filter = words(2000, "a = 1");
  const { store, log } = await stored([]);
  const content: TaskContent = { type: "documentDeletion", by: "filter", filter };
  await log.enqueue({ type: "documentDeletion", by: "filter", filter: null }, "books", { written: written(content) });
  const record = store.tasks.get(0)!;
  const finished = {
    ...record,
    details: { ...record.details, deletedDocuments: 7 },
    status: "succeeded",
  } as TaskRecord;
  await store.write(() => store.tasks.put(0, { ...finished, finishedAt: 9 }));
  store.refresh();
  assert.deepEqual(JSON.parse(textOf(taskPieces(log.get(0)!, store.texts))).details, initialDetails(content, "books"));
  await store.close();
});
