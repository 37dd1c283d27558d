/**
 * What this server dumps is read by other servers of the interface: "and ours imported there". Their readers are strict:
 * kinds and details are objects with one known name as their key, and settings with an unknown name are refused.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { BatchRecord, TaskContent, TaskRecord } from "../../../src/base/contract/task.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import { batchLine, keyLine } from "../../../src/storage/dump/layout.ts";
import { readBatch, readKey, readTask } from "../../../src/storage/dump/records.ts";
import { decodeUids, encodeUids } from "../../../src/storage/dump/roaring.ts";
import { writtenSettings } from "../../../src/storage/dump/written-settings.ts";
import { taskLine } from "../../../src/storage/dump/written-task.ts";
import { applySettingsUpdate, defaultSettings } from "../../../src/storage/settings/update.ts";
import { SETTING_NAMES } from "../../../src/storage/settings/view.ts";
import { successfulDetails } from "../../../src/storage/tasks/details.ts";

const NO_PAYLOAD = { kind: "inline", name: "", bytes: 0 } as const;

/** Each with what its work found out, and the name of its kind and of its details in the common form. */
const CASES: [TaskContent, JsonObject, string, string | null][] = [
  [
    {
      type: "documentAdditionOrUpdate",
      method: "update",
      primaryKey: "id",
      payload: NO_PAYLOAD,
      documentsCount: 3,
      allowIndexCreation: false,
      skipCreation: false,
    },
    { indexedDocuments: 3 },
    "documentImport",
    "DocumentAdditionOrUpdate",
  ],
  [
    { type: "documentDeletion", by: "ids", ids: ["1", "2"] },
    { deletedDocuments: 1 },
    "documentDeletion",
    "DocumentDeletion",
  ],
  [
    { type: "documentDeletion", by: "filter", filter: "a = 1" },
    { deletedDocuments: 4 },
    "documentDeletionByFilter",
    "DocumentDeletionByFilter",
  ],
  [{ type: "documentDeletion", by: "all" }, { deletedDocuments: 9 }, "documentClear", "ClearAll"],
  [
    { type: "documentEdition", filter: null, context: { a: 1 }, function: "doc.x = 1" },
    { editedDocuments: 1, deletedDocuments: 0 },
    "documentEdition",
    "DocumentEdition",
  ],
  [
    { type: "settingsUpdate", settings: { stopWords: ["a"] }, isDeletion: false, allowIndexCreation: true },
    {},
    "settings",
    "SettingsUpdate",
  ],
  [{ type: "indexCreation", primaryKey: null }, {}, "indexCreation", "IndexInfo"],
  [{ type: "indexUpdate", primaryKey: "id", newIndexUid: "other" }, {}, "indexUpdate", "IndexInfo"],
  [{ type: "indexDeletion" }, { deletedDocuments: 2 }, "indexDeletion", "ClearAll"],
  [{ type: "indexSwap", swaps: [{ indexes: ["a", "b"], rename: true }] }, {}, "indexSwap", "IndexSwap"],
  [
    { type: "taskCancelation", matchedUids: [1, 70_000], originalFilter: "?uids=1,70000" },
    { canceledTasks: 1 },
    "taskCancelation",
    "TaskCancelation",
  ],
  [
    { type: "taskDeletion", matchedUids: [5], originalFilter: "?uids=5" },
    { deletedTasks: 1 },
    "tasksDeletion",
    "TaskDeletion",
  ],
  [{ type: "dumpCreation" }, { dumpUid: "20240506-070809123" }, "dumpCreation", "Dump"],
  [{ type: "snapshotCreation" }, {}, "snapshotCreation", null],
  [
    {
      type: "export",
      url: "http://a.example",
      apiKey: "a-secret-key",
      payloadSize: 1 << 20,
      indexes: { "b*": { filter: "x = 1", overrideSettings: true } },
    },
    { indexes: { "b*": { filter: "x = 1", overrideSettings: true, matchedDocuments: 3 } } },
    "export",
    "Export",
  ],
  [{ type: "upgradeDatabase", from: "v0.1.0", to: "v0.2.0" }, {}, "upgradeDatabase", "UpgradeDatabase"],
  [{ type: "indexCompaction" }, {}, "indexCompaction", "IndexCompaction"],
  [{ type: "networkTopologyChange" }, {}, "networkTopologyChange", "NetworkTopologyChange"],
  [{ type: "dsrUpdate", uid: "r", update: { active: false } }, { updatedRules: 1 }, "dsrUpdate", "DsrUpdate"],
  [{ type: "dsrUpdate", uid: "r", update: null }, { updatedRules: 1 }, "dsrUpdate", "DsrUpdate"],
  [{ type: "dsrClear" }, { deletedDocuments: 3 }, "dsrClear", "ClearAll"],
];

/** Known to this server alone, so that nobody else can tell them. */
const ONLY_OURS = new Set(["updatedRules", "indexUid"]);

function recordOf(content: TaskContent, found: JsonObject, uid: number): TaskRecord {
  const task: TaskRecord = {
    uid,
    indexUid: "books",
    status: "succeeded",
    content,
    details: null,
    error: null,
    batchUid: 4,
    canceledBy: null,
    enqueuedAt: 1_000_000,
    startedAt: 2_000_000,
    finishedAt: 3_000_001,
    customMetadata: "m",
  };
  return { ...task, details: content.type === "snapshotCreation" ? null : successfulDetails(task, found) };
}

for (const [i, [content, found, kind, details]] of CASES.entries()) {
  test(`a task ${content.type} (${i}) in the common form`, () => {
    const task = recordOf(content, found, i);
    const line = JSON.parse(JSON.stringify(taskLine(task, () => []))) as JsonObject;
    const nameOf = (value: unknown) => (typeof value === "string" ? value : Object.keys(value ?? {})[0]);
    assert.equal(nameOf(line["type"]), kind);
    assert.equal(nameOf(line["details"]) ?? null, details);
    assert.deepEqual(readTask(line), task);

    const { own: _, ...common } = line;
    const read = readTask(common)!;
    const expected = content.type === "upgradeDatabase" ? { ...content, to: "" } : content;
    assert.deepEqual(read.content, expected);
    const shown = Object.entries(task.details ?? {}).filter(([name]) => !ONLY_OURS.has(name));
    for (const [name, value] of shown) assert.deepEqual(read.details?.[name], value, name);
  });
}

test("a dump that waits carries the keys, one that is made does not", () => {
  const task = recordOf({ type: "dumpCreation" }, {}, 1);
  const keys = () => [{ uid: "k" }];
  assert.deepEqual(taskLine(task, keys)["type"], { dumpCreation: { keys: [], instance_uid: null } });
  const waiting = { ...task, status: "enqueued", startedAt: null, finishedAt: null } as const;
  assert.deepEqual(taskLine(waiting, keys)["type"], { dumpCreation: { keys: keys(), instance_uid: null } });
});

test("a key in the common form, with actions that others know", () => {
  const times = { createdAt: 1_000_000, updatedAt: 2_000_000, expiresAt: null };
  const actions = ["search", "task.cancel", "tasks.cancel", "task.delete"];
  const key = { uid: "8dbe2b4d-4b0a-4f4c-9b6c-0d7c6a9f7f0e", name: "k", description: null, indexes: ["*"], ...times };
  const line = keyLine({ ...key, actions });
  assert.deepEqual(line["actions"], ["search", "tasks.cancel", "tasks.delete"]);
  assert.deepEqual(readKey(line), { ...key, actions: line["actions"] });
});

test("a batch in the common form", () => {
  const stats = { totalNbTasks: 1, status: { succeeded: 1 }, types: { settingsUpdate: 1 }, indexUids: { a: 1 } };
  const requests = { total: 3, failed: 1 };
  const batch: BatchRecord = {
    uid: 4,
    taskUids: [7],
    details: { stopWords: ["a"] },
    stats: { ...stats, embedderRequests: requests },
    startedAt: 1_000_000,
    finishedAt: 2_000_000,
    strategy: "all of them",
  };
  const { taskUids, ...line } = JSON.parse(JSON.stringify(batchLine(batch, { get: () => undefined }))) as JsonObject;
  assert.deepEqual(readBatch({ ...line, taskUids: taskUids! }, []), batch);
  // As others write it: the requests beside the counts, and no tasks.
  assert.deepEqual(line["embedderStats"], requests);
  assert.equal(line["stopReason"], batch.strategy);
  assert.deepEqual(readBatch({ ...line, stats }, [7]), batch);
  assert.equal(readBatch({ ...line, stats }, []), null);
});

test("settings are dumped under known names only, and models say how they pool", () => {
  const embedders = {
    model: { source: "huggingFace", model: "a/b" },
    both: {
      source: "composite",
      searchEmbedder: { source: "huggingFace", model: "a/b", pooling: "forceCls" },
      indexingEmbedder: { source: "huggingFace", model: "a/b", documentTemplate: "{{doc.a}}" },
    },
    given: { source: "userProvided", dimensions: 3 },
  };
  const settings = { ...applySettingsUpdate(defaultSettings(), { embedders }), embedderDimensions: { model: 3 } };
  const written = writtenSettings(settings);
  assert.deepEqual(new Set(Object.keys(written)), new Set(SETTING_NAMES));
  const shown = written["embedders"] as Record<string, Record<string, JsonObject>>;
  assert.equal(shown["model"]?.["pooling"], "useModel");
  assert.equal(shown["both"]?.["searchEmbedder"]?.["pooling"], "forceCls");
  assert.equal(shown["both"]?.["indexingEmbedder"]?.["pooling"], "useModel");
  assert.equal(shown["given"]?.["pooling"], undefined);
});

test("sets of uids: the bytes of the portable form", () => {
  const pair = [0x3a, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 16, 0, 0, 0, 1, 0, 2, 0];
  assert.deepEqual(encodeUids([2, 1, 2]), pair);
  assert.deepEqual(decodeUids(pair), [1, 2]);
  // One container with one run, of 5 to 8.
  assert.deepEqual(decodeUids([0x3b, 0x30, 0, 0, 1, 0, 0, 3, 0, 1, 0, 5, 0, 3, 0]), [5, 6, 7, 8]);
  assert.deepEqual(decodeUids(encodeUids([])), []);
  for (const wrong of [undefined, "x", [], [1, 2, 3], pair.slice(0, -1), [0x3a, 0x30, 0, 0, 255, 255, 255, 255]]) {
    assert.equal(decodeUids(wrong), null);
  }
});

test("sets of uids: whatever is written is read again", () => {
  const uid = fc.oneof(fc.nat(0xffff_ffff), fc.nat(200_000));
  const dense = fc.tuple(fc.nat(1 << 20), fc.nat(70_000)).map(([from, count]) => {
    return Array.from({ length: count }, (_, i) => from + i);
  });
  const property = fc.property(fc.oneof(fc.array(uid), dense), (uids) => {
    const sorted = [...new Set(uids)].sort((a, b) => a - b);
    assert.deepEqual(decodeUids(encodeUids(uids)), sorted);
  });
  fc.assert(property, { numRuns: 40 });
});

test("sets of uids: bytes that mean nothing, or far too much, give nothing", () => {
  const property = fc.property(fc.array(fc.nat(255), { maxLength: 200 }), (bytes) => {
    decodeUids([0x3b, 0x30, ...bytes]);
    decodeUids(bytes);
  });
  fc.assert(property);
  const everything = [0x3b, 0x30, 0xff, 0xff, ...new Array<number>(8192).fill(255)];
  for (let high = 0; high < 65_536; high++) everything.push(high & 255, high >> 8, 255, 255);
  for (let i = 0; i < 65_536; i++) everything.push(0, 0, 0, 0);
  for (let i = 0; i < 65_536; i++) everything.push(1, 0, 0, 0, 255, 255);
  assert.equal(decodeUids(everything), null);
});
