import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskType } from "../../../src/base/contract/task.ts";
import { type BatchStep, groupSteps, type IndexState } from "../../../src/storage/tasks/autobatch.ts";

const UNLIMITED = { tasksMax: Number.POSITIVE_INFINITY, payloadBytesMax: Number.POSITIVE_INFINITY };
const EXISTING: IndexState = { exists: true, primaryKey: null };
const MISSING: IndexState = { exists: false, primaryKey: null };

const OPERATIONS: Record<string, [BatchStep["operation"], TaskType]> = {
  import: ["import", "documentAdditionOrUpdate"],
  del: ["deleteByIds", "documentDeletion"],
  delF: ["deleteByFilter", "documentDeletion"],
  clear: ["clear", "documentDeletion"],
  S: ["settings", "settingsUpdate"],
  drop: ["deleteIndex", "indexDeletion"],
  create: ["alone", "indexCreation"],
  edit: ["alone", "documentEdition"],
};

/** `import`, `import:key`, and a trailing `!` for a task that may not create the index. */
function steps(text: string): BatchStep[] {
  return text.split(" ").map((word, uid) => {
    const [name, primaryKey] = word.replace("!", "").split(":");
    const [operation, type] = OPERATIONS[name!]!;
    return {
      uid,
      operation,
      type,
      primaryKey: primaryKey ?? null,
      allowIndexCreation: !word.endsWith("!"),
      payloadBytes: 10,
    };
  });
}

/** Tasks, index, tasks taken, kind of the batch. */
const TABLE: [string, IndexState, number, string][] = [
  ["import import", EXISTING, 2, "documents"],
  ["import del import", EXISTING, 3, "documents"],
  ["import delF", EXISTING, 1, "documents"],
  ["import del clear", EXISTING, 3, "clear"],
  ["import S", EXISTING, 1, "documents"],
  ["import drop import", EXISTING, 2, "indexDeletion"],
  ["del import", EXISTING, 2, "documents"],
  ["del import", MISSING, 1, "deletions"],
  ["del import!", MISSING, 2, "documents"],
  ["delF import", MISSING, 2, "documents"],
  ["delF import", EXISTING, 2, "documents"],
  ["delF import delF", EXISTING, 2, "documents"],
  ["del delF del", EXISTING, 3, "deletions"],
  ["delF clear", EXISTING, 2, "clear"],
  ["del S", EXISTING, 1, "deletions"],
  ["del drop", EXISTING, 2, "indexDeletion"],
  ["clear import", EXISTING, 1, "clear"],
  ["clear del delF clear", EXISTING, 4, "clear"],
  ["clear S", EXISTING, 1, "clear"],
  ["clear drop", EXISTING, 2, "indexDeletion"],
  ["S import", EXISTING, 1, "settings"],
  ["S del", EXISTING, 1, "settings"],
  ["S delF", EXISTING, 1, "settings"],
  ["S S S", EXISTING, 3, "settings"],
  ["S clear", EXISTING, 2, "clearAndSettings"],
  ["S clear S del delF clear", EXISTING, 6, "clearAndSettings"],
  ["S clear import", EXISTING, 2, "clearAndSettings"],
  ["S clear drop", EXISTING, 3, "indexDeletion"],
  ["S drop", EXISTING, 2, "indexDeletion"],
  ["drop import", EXISTING, 1, "indexDeletion"],
  ["create import", EXISTING, 1, "alone"],
  ["edit edit", EXISTING, 1, "alone"],
  ["import create", EXISTING, 1, "documents"],
  ["S edit", EXISTING, 1, "settings"],
  // Index creation.
  ["import! import", MISSING, 1, "documents"],
  ["import! import", EXISTING, 2, "documents"],
  ["import import!", MISSING, 2, "documents"],
  ["S! S", MISSING, 1, "settings"],
  ["S! S", EXISTING, 2, "settings"],
  // Primary keys.
  ["import:id import:id import", EXISTING, 3, "documents"],
  ["import:id import:other", EXISTING, 1, "documents"],
  ["import import:id", EXISTING, 1, "documents"],
  ["import:id import:id", { exists: true, primaryKey: "id" }, 2, "documents"],
  ["import import:id", { exists: true, primaryKey: "id" }, 2, "documents"],
  ["import import:other", { exists: true, primaryKey: "id" }, 1, "documents"],
  ["import:other import", { exists: true, primaryKey: "id" }, 1, "documents"],
  ["del import:id import", EXISTING, 3, "documents"],
];

for (const [text, index, length, kind] of TABLE) {
  test(`${text} on ${index.exists ? `an index with key ${index.primaryKey}` : "a missing index"}`, () => {
    const grouping = groupSteps(steps(text), index, UNLIMITED);
    assert.deepEqual([grouping.length, grouping.kind], [length, kind]);
    const swallowedAll = length === steps(text).length && kind !== "indexDeletion" && kind !== "alone";
    const mismatchAlone = text.startsWith("import:other");
    assert.equal(grouping.strategy === null, swallowedAll && !mismatchAlone);
  });
}

test("the key and the right to create of a batch come from its imports", () => {
  assert.equal(groupSteps(steps("del import:id import"), EXISTING, UNLIMITED).primaryKey, "id");
  assert.equal(groupSteps(steps("import! import!"), MISSING, UNLIMITED).allowIndexCreation, false);
  assert.equal(groupSteps(steps("import import!"), MISSING, UNLIMITED).allowIndexCreation, true);
});

test("limits stop a batch, but its first task is always taken", () => {
  const many = steps("import import import import");
  assert.equal(groupSteps(many, EXISTING, { tasksMax: 3, payloadBytesMax: 1000 }).length, 3);
  assert.equal(groupSteps(many, EXISTING, { tasksMax: 100, payloadBytesMax: 25 }).length, 2);
  assert.equal(groupSteps(many, EXISTING, { tasksMax: 100, payloadBytesMax: 5 }).length, 1);
});
