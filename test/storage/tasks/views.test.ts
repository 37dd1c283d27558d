import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { TaskContent } from "../../../src/base/contract/task.ts";
import { redactSettings } from "../../../src/base/json/secrets.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import { formatDuration, formatTime, nowMicros } from "../../../src/base/time/time.ts";
import { headOf } from "../../../src/storage/store/task-record.ts";
import type { Batch } from "../../../src/storage/tasks/batch.ts";
import { mergeDetails, unsuccessfulDetails } from "../../../src/storage/tasks/details.ts";
import { startBatch } from "../../../src/storage/tasks/results.ts";
import { initialDetails } from "../../../src/storage/tasks/types.ts";
import { batchView, progressView, summarizedTask, taskView } from "../../../src/storage/tasks/views.ts";
import { documentTask, importContent, task } from "./samples.ts";

test("a settings task shows what resets the list of displayed or searched attributes as all of them", () => {
  const content: TaskContent = {
    type: "settingsUpdate",
    settings: { displayedAttributes: null, searchableAttributes: null, stopWords: null },
    isDeletion: true,
    allowIndexCreation: false,
  };
  assert.deepEqual(initialDetails(content, "movies"), {
    displayedAttributes: ["*"],
    searchableAttributes: ["*"],
    stopWords: null,
  });
});

test("moments are RFC 3339 with a trimmed fraction", () => {
  assert.equal(formatTime(0), "1970-01-01T00:00:00Z");
  assert.equal(formatTime(1_715_000_000_123_400), "2024-05-06T12:53:20.1234Z");
  assert.equal(formatTime(1_715_000_000_000_001), "2024-05-06T12:53:20.000001Z");
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000_000_000 }), (micros) => {
      const text = formatTime(micros);
      assert.equal(Date.parse(text), Math.floor(micros / 1000));
      assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,5}[1-9])?Z$/);
    }),
  );
});

test("durations have three or six digits as needed and a day part when long", () => {
  assert.equal(formatDuration(9_330), "PT0.009330S");
  assert.equal(formatDuration(0), "PT0S");
  assert.equal(formatDuration(2_500_000), "PT2.500S");
  assert.equal(formatDuration(86_400_000_000 + 3_000_001), "P1DT3.000001S");
  assert.equal(formatDuration(-1), null);
});

test("the clock has microseconds and follows the wall clock", () => {
  const before = Date.now();
  const now = nowMicros();
  const after = Date.now();
  // Counted from the beginning of the process, it may be a little beside the wall clock.
  assert.ok(now > (before - 20) * 1000 && now < (after + 20) * 1000, `${now} between ${before} and ${after}`);
  assert.ok(Number.isInteger(now));
});

test("a task shows its keys in order, and custom metadata only when there is some", () => {
  const keys =
    "uid batchUid indexUid status type canceledBy details error duration enqueuedAt startedAt finishedAt".split(" ");
  assert.deepEqual(Object.keys(taskView(headOf(documentTask(1)))), keys);
  const marked = { ...documentTask(1), customMetadata: "x", startedAt: 10, finishedAt: 1_010 };
  assert.deepEqual(Object.keys(taskView(headOf(marked))), [...keys, "customMetadata"]);
  assert.equal(taskView(headOf(marked)).duration, "PT0.001S");
  assert.deepEqual(summarizedTask(marked), {
    taskUid: 1,
    indexUid: "movies",
    status: "enqueued",
    type: "documentAdditionOrUpdate",
    enqueuedAt: "2023-11-14T22:13:20.000001Z",
    customMetadata: "x",
  });
});

// The interface, task object, type: "`databaseUpgrade`"
test("an upgrade of the database bears the name that the interface gives it", () => {
  const upgrade = task(3, { type: "upgradeDatabase", from: "v1", to: "v2" }, null);
  assert.equal(taskView(headOf(upgrade)).type, "databaseUpgrade");
  assert.equal(summarizedTask(upgrade).type, "databaseUpgrade");
  const batch: Batch = { kind: "upgradeDatabase", tasks: [upgrade], strategy: "s" };
  assert.deepEqual(batchView(startBatch(batch, 0, 1), null).stats.types, { databaseUpgrade: 1 });
});

test("progress refines from the outer step to the inner", () => {
  const steps = [
    { currentStep: "processing tasks", finished: 1, total: 2 },
    { currentStep: "indexing", finished: 1, total: 4 },
    { currentStep: "document", finished: 0, total: 0 },
  ];
  assert.equal(progressView(steps).percentage, 62.5);
  assert.deepEqual(progressView([]), { steps: [], percentage: 0 });
});

const DETAILS: [TaskContent, JsonObject | null, JsonObject | null][] = [
  [
    importContent({ documentsCount: 3 }),
    { receivedDocuments: 3, indexedDocuments: null },
    { receivedDocuments: 3, indexedDocuments: 0 },
  ],
  [
    { type: "documentDeletion", by: "filter", filter: "a = 1" },
    { providedIds: 0, deletedDocuments: null, originalFilter: '"a = 1"' },
    { providedIds: 0, deletedDocuments: 0, originalFilter: '"a = 1"' },
  ],
  [
    { type: "documentDeletion", by: "all" },
    { providedIds: 0, deletedDocuments: null, originalFilter: null },
    { providedIds: 0, deletedDocuments: 0, originalFilter: null },
  ],
  [{ type: "indexCreation", primaryKey: null }, { primaryKey: null }, { primaryKey: null }],
  [
    { type: "indexUpdate", primaryKey: null, newIndexUid: "films" },
    { primaryKey: null, oldIndexUid: "movies", newIndexUid: "films" },
    { primaryKey: null, oldIndexUid: "movies", newIndexUid: "films" },
  ],
  [{ type: "dumpCreation" }, { dumpUid: null }, { dumpUid: null }],
  [{ type: "snapshotCreation" }, null, null],
  [
    { type: "export", url: "u", apiKey: "secret-key-1", payloadSize: 1024, indexes: {} },
    { url: "u", apiKey: "seXXXX...", payloadSize: "1 KiB", indexes: {} },
    { url: "u", apiKey: "seXXXX...", payloadSize: "1 KiB", indexes: {} },
  ],
];

for (const [content, initial, failed] of DETAILS) {
  test(`details of ${content.type} before it runs and after it failed`, () => {
    assert.deepEqual(initialDetails(content, "movies"), initial);
    assert.deepEqual(unsuccessfulDetails(task(0, content)), failed);
  });
}

test("settings details hide keys of embedders at every depth", () => {
  const settings: JsonObject = {
    stopWords: ["a"],
    embedders: { one: { apiKey: "0123456789abc", searchEmbedder: { apiKey: "short" } }, two: null },
  };
  assert.deepEqual(redactSettings(settings), {
    stopWords: ["a"],
    embedders: { one: { apiKey: "01XXXX...", searchEmbedder: { apiKey: "XXX..." } }, two: null },
  });
});

test("merged details sum counters, let later settings win and drop nulls", () => {
  assert.deepEqual(
    mergeDetails([
      { receivedDocuments: 1, indexedDocuments: null },
      null,
      { receivedDocuments: 2, indexedDocuments: 2, originalFilter: null },
      { stopWords: ["a"] },
      { stopWords: ["b"], synonyms: {} },
    ]),
    { receivedDocuments: 3, indexedDocuments: 2, stopWords: ["b"], synonyms: {} },
  );
});
