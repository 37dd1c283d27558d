/** Tasks as they come and go: what they do, how far they are, why they failed; those that still wait can be canceled. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask } from "../api/client.ts";
import { problemOf, type RequestProblem } from "../api/problem.ts";
import type { Batch, Page, Task } from "../api/types.ts";
import { Empty, Loading, Problem } from "../parts/feedback.tsx";
import { Choice } from "../parts/field.tsx";
import { whileTasksChange } from "../state/changes.ts";
import { indexes } from "../state/indexes.ts";
import { key } from "../state/key.ts";
import { BatchProgress } from "./batch-progress.tsx";
import { TaskTable } from "./task-table.tsx";

const STATUSES = ["enqueued", "processing", "succeeded", "failed", "canceled"];
const SHOWN = 25;

/** `from` is the number of the newest task shown; null for the newest there is. */
function tasksPath(status: string, index: string, from: number | null): string {
  const query = new URLSearchParams({ limit: String(SHOWN) });
  if (status !== "") query.set("statuses", status);
  if (index !== "") query.set("indexUids", index);
  if (from !== null) query.set("from", String(from));
  return `/tasks?${query}`;
}

export function TasksPage() {
  const status = useSignal("");
  const index = useSignal("");
  const from = useSignal<number | null>(null);
  const tasks = useSignal<(Page<Task> & { next: number | null }) | null>(null);
  const running = useSignal<Batch[]>([]);
  const problem = useSignal<RequestProblem | null>(null);
  const path = tasksPath(status.value, index.value, from.value);
  useEffect(() => {
    const stop = new AbortController();
    const look = async (): Promise<boolean> => {
      try {
        const [page, batches] = await Promise.all([
          ask<Page<Task> & { next: number | null }>("GET", path),
          ask<Page<Batch>>("GET", "/batches?statuses=processing"),
        ]);
        if (stop.signal.aborted) return false;
        tasks.value = page;
        running.value = batches.results;
        problem.value = null;
        return batches.results.length > 0;
      } catch (error) {
        problem.value = problemOf(error);
        return false;
      }
    };
    void whileTasksChange(stop.signal, look);
    return () => stop.abort();
  }, [path, key.value]);
  const filterBy = (filter: typeof status, value: string): void => {
    filter.value = value;
    from.value = null;
  };
  return (
    <>
      <h1>Tasks</h1>
      <div class="row">
        <Choice
          label="Status"
          value={status.value}
          options={[["", "all"], ...STATUSES.map((name) => [name, name] as const)]}
          onChoice={(value) => filterBy(status, value)}
        />
        <Choice
          label="Index"
          value={index.value}
          options={[["", "all"], ...(indexes.value ?? []).map(({ uid }) => [uid, uid] as const)]}
          onChoice={(value) => filterBy(index, value)}
        />
      </div>
      <Problem problem={problem.value} />
      {running.value.map((batch) => (
        <BatchProgress key={batch.uid} batch={batch} />
      ))}
      {tasks.value === null ? (
        problem.value === null && <Loading what="tasks" />
      ) : tasks.value.results.length === 0 ? (
        <Empty title="No tasks">
          <p>Every change is a task. Add documents or change settings, and they will show here.</p>
        </Empty>
      ) : (
        <TaskTable tasks={tasks.value.results} />
      )}
      <nav class="row center" aria-label="Pages of tasks">
        <button
          type="button"
          disabled={from.value === null}
          onClick={() => {
            from.value = null;
          }}
        >
          Newest
        </button>
        <button
          type="button"
          disabled={tasks.value?.next == null}
          onClick={() => {
            from.value = tasks.value?.next ?? null;
          }}
        >
          Older →
        </button>
      </nav>
    </>
  );
}
