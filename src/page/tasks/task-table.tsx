/** Tasks in rows; a task that failed says why, and each shows all there is to know about it. */
import { useSignal } from "@preact/signals";
import type { Task } from "../api/types.ts";
import { Dialog } from "../parts/dialog.tsx";
import { durationText, timeText } from "../parts/format.ts";
import { type Column, Table } from "../parts/table.tsx";
import { write } from "../state/notices.ts";

const COLUMNS: readonly Column[] = [
  { title: "Task", kind: "number" },
  { title: "What" },
  { title: "Index" },
  { title: "Status" },
  { title: "Took", kind: "number" },
  { title: "Since" },
  { title: "Actions", kind: "buttons" },
];

/** `documentAdditionOrUpdate` in words. */
export function wordsOf(type: string): string {
  return type.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

export function TaskTable({ tasks }: { tasks: readonly Task[] }) {
  const shown = useSignal<number | null>(null);
  const task = tasks.find(({ uid }) => uid === shown.value);
  return (
    <>
      <Table columns={COLUMNS} stacks>
        {tasks.map((each) => (
          <TaskRow
            key={each.uid}
            task={each}
            onShow={() => {
              shown.value = each.uid;
            }}
          />
        ))}
      </Table>
      {task !== undefined && (
        <Dialog
          title={`Task ${task.uid}`}
          wide
          onClose={() => {
            shown.value = null;
          }}
        >
          <pre>{JSON.stringify(task, null, 2)}</pre>
        </Dialog>
      )}
    </>
  );
}

function TaskRow({ task, onShow }: { task: Task; onShow(): void }) {
  const { uid, type, indexUid, status, duration, enqueuedAt, error } = task;
  const isOpen = status === "enqueued" || status === "processing";
  return (
    <tr>
      <td class="number" data-title="Task">
        {uid}
      </td>
      <td data-title="What">
        <div>
          {wordsOf(type)}
          {error !== null && <p class="failure">{error.message}</p>}
        </div>
      </td>
      <td data-title="Index">{indexUid}</td>
      <td data-title="Status">
        <div>
          <span class={`badge ${status}`}>{status}</span>
        </div>
      </td>
      <td class="number" data-title="Took">
        {durationText(duration)}
      </td>
      <td data-title="Since">{timeText(enqueuedAt)}</td>
      <td data-title="">
        <div class="row">
          <button type="button" class="small" aria-label={`Details of task ${uid}`} onClick={onShow}>
            Details
          </button>
          {isOpen && (
            <button
              type="button"
              class="small danger"
              aria-label={`Cancel task ${uid}`}
              onClick={() => write(`Cancel task ${uid}`, "POST", `/tasks/cancel?uids=${uid}`)}
            >
              Cancel
            </button>
          )}
        </div>
      </td>
    </tr>
  );
}
