/** Says in the log why tasks failed, so that nobody has to ask for each of them. A batch of a million must stay readable. */
import type { BatchRecord } from "../../base/contract/task.ts";
import type { Log, LogFields } from "../../base/log/log.ts";
import type { TaskHead } from "../../storage/store/task-record.ts";

/** Failures of one batch that get a line of their own. */
const SHOWN_MAX = 5;
const MESSAGE_CHARS_MAX = 500;

export function logFailures(batch: Pick<BatchRecord, "uid">, tasks: Iterable<TaskHead>, log: Log): void {
  const failed = [...tasks].filter((task) => task.status === "failed");
  for (const task of failed.slice(0, SHOWN_MAX)) log.warn("tasks", "a task failed", reasonOf(task));
  const others = failed.slice(SHOWN_MAX);
  if (others.length === 0) return;
  log.warn("tasks", "more tasks of the batch failed", {
    batch: batch.uid,
    tasks: others.length,
    codes: countsOf(others),
  });
}

function reasonOf({ uid, type, indexUid, error }: TaskHead): LogFields {
  const message = error?.message ?? "";
  return {
    task: uid,
    type,
    index: indexUid,
    code: error?.code ?? null,
    message: message.length > MESSAGE_CHARS_MAX ? `${message.slice(0, MESSAGE_CHARS_MAX)}…` : message,
  };
}

/** `invalid_document_id: 3, internal: 1`. */
function countsOf(tasks: readonly TaskHead[]): string {
  const counts = new Map<string, number>();
  for (const { error } of tasks) {
    const code = error?.code ?? "unknown";
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return [...counts].map(([code, count]) => `${code}: ${count}`).join(", ");
}
