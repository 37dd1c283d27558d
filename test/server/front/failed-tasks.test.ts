import assert from "node:assert/strict";
import test from "node:test";
import type { BatchRecord } from "../../../src/base/contract/task.ts";
import { apiError, indexNotFound } from "../../../src/base/errors/errors.ts";
import { Log } from "../../../src/base/log/log.ts";
import { logFailures } from "../../../src/server/front/failed-tasks.ts";
import { headOf, type TaskHead } from "../../../src/storage/store/task-record.ts";
import { TestServer } from "../../lib/server.ts";
import { documentTask } from "../../storage/tasks/samples.ts";

const batch = { uid: 7 } as BatchRecord;

function linesOf(tasks: TaskHead[]): string[] {
  const lines: string[] = [];
  logFailures(batch, tasks, new Log("info", "human", (line) => lines.push(line.replace(/^\S+ +/, ""))));
  return lines;
}

const failed = (uid: number, error = indexNotFound("books")): TaskHead => ({
  ...headOf(documentTask(uid)),
  status: "failed",
  error: error.body(),
});

test("each failure has a line with its reason; successes have none", () => {
  const succeeded: TaskHead = { ...headOf(documentTask(1)), status: "succeeded" };
  assert.deepEqual(linesOf([succeeded]), []);
  assert.deepEqual(linesOf([succeeded, failed(2)]), [
    'WARN tasks: a task failed task=2 type="documentAdditionOrUpdate" index="movies" code="index_not_found" message="Index `books` not found."\n',
  ]);
});

test("many failures of one batch are summed up, and long messages cut", () => {
  const long = failed(0, apiError("internal", "x".repeat(10_000)));
  const others = Array.from({ length: 1000 }, (_, i) => failed(i + 1, i < 900 ? undefined : apiError("internal", "y")));
  const lines = linesOf([long, ...others]);
  assert.equal(lines.length, 6);
  assert.ok(lines.every((line) => line.length < 800));
  assert.equal(
    lines[5],
    'WARN tasks: more tasks of the batch failed batch=7 tasks=996 codes="index_not_found: 896, internal: 100"\n',
  );
});

test("a server logs why a task failed", { timeout: 180_000 }, async () => {
  const server = await TestServer.start();
  assert.equal((await server.write("DELETE", "/indexes/nowhere")).status, "failed");
  await server.stop();
  assert.match(
    server.output,
    /WARN tasks: a task failed task=0 type="indexDeletion" index="nowhere" code="index_not_found"/,
  );
});
