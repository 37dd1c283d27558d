import assert from "node:assert/strict";
import { test } from "node:test";
import type { BatchRecord } from "../../../src/base/contract/task.ts";
import { batchCodec, heldDetails } from "../../../src/storage/store/batch-record.ts";

const record: BatchRecord = {
  uid: 7,
  taskUids: [1, 2],
  details: { stopWords: ["é\n"] },
  stats: { totalNbTasks: 2, status: {}, types: {}, indexUids: { a: 2 } },
  startedAt: 1,
  finishedAt: 2,
  strategy: "none",
};

test("records of this release and of earlier ones are read", () => {
  assert.deepEqual(batchCodec.decode(batchCodec.encode(record), 7), record);
  const { details, ...rest } = record;
  const earlier = `${JSON.stringify({ ...rest, details: {} })}\n${JSON.stringify(details)}`;
  assert.deepEqual(batchCodec.decode(Buffer.from(earlier), 7), record);
});

test("long members are the texts of the last task that has them", () => {
  const text = (name: string) => ({ name, bytes: 9 });
  const task = (details: Record<string, string[] | null>, refs: Record<string, { name: string; bytes: number }>) => ({
    details,
    texts: { content: text("content"), details: refs },
  });
  const merged = { stopWords: ["last"], synonyms: ["s"], dictionary: ["short"] };
  const tasks = [
    task({ stopWords: ["first"], dictionary: ["long"] }, { stopWords: text("first"), dictionary: text("long") }),
    task({ stopWords: ["last"], synonyms: ["s"] }, { stopWords: text("last"), synonyms: text("s") }),
    { details: { dictionary: ["short"], synonyms: null } },
  ];
  assert.deepEqual(heldDetails(merged, tasks), {
    details: { stopWords: null, synonyms: null, dictionary: ["short"] },
    texts: { stopWords: text("last"), synonyms: text("s") },
  });
  assert.deepEqual(heldDetails(merged, []), { details: merged });
});
