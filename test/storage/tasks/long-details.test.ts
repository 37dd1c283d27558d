/** Tasks with long details are shown as they are stored, and never read for it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskRecord } from "../../../src/base/contract/task.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import { decodeShownTask, decodeTaskHead, headOf, taskCodec } from "../../../src/storage/store/task-record.ts";
import { taskText, taskView } from "../../../src/storage/tasks/views.ts";

function settingsTask(details: JsonObject): TaskRecord {
  return {
    uid: 7,
    indexUid: "books",
    status: "succeeded",
    content: { type: "settingsUpdate", settings: {}, isDeletion: false, allowIndexCreation: true },
    details,
    error: null,
    batchUid: 3,
    canceledBy: null,
    enqueuedAt: 1_000_000,
    startedAt: 2_000_000,
    finishedAt: 3_000_000,
    customMetadata: '"details":null $& ü',
  };
}

for (const words of [1, 5000]) {
  test(`${words} stop words are shown as they were stored`, () => {
    const task = settingsTask({ stopWords: Array.from({ length: words }, (_, i) => `wörd $& "${i}"`) });
    const bytes = taskCodec.encode(task);
    assert.deepEqual(taskCodec.decode(bytes, 7), task);
    assert.deepEqual(decodeTaskHead(bytes, 7), headOf(task));
    const shown = decodeShownTask(bytes, 7);
    assert.equal(taskText(shown), JSON.stringify(taskView(headOf(task))));
    assert.equal(shown.detailsText === undefined, words === 1);
    assert.equal(shown.details === null, words > 1);
  });
}
