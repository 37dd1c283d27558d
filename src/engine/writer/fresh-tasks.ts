/**
 * Tasks that the writer was told of a moment ago, as it has read them then: most run at once, and are not read again for that.
 * A record stays as it is until its task is finished. Bounded; what is not here is read from the store.
 */
import type { TaskRecord } from "../../base/contract/task.ts";
import type { Store } from "../../storage/store/store.ts";

/** Half a kilobyte each. */
const TASKS_MAX = 4096;

export class FreshTasks {
  readonly #tasks: Pick<Store["tasks"], "get">;
  readonly #fresh = new Map<number, TaskRecord>();

  constructor(tasks: Pick<Store["tasks"], "get">) {
    this.#tasks = tasks;
  }

  /** Those of them that wait; a writer that has just started may have found and finished some already. */
  waiting(uids: readonly number[]): TaskRecord[] {
    const waiting: TaskRecord[] = [];
    for (const uid of uids) {
      const task = this.#tasks.get(uid);
      if (task?.status !== "enqueued") continue;
      waiting.push(task);
      if (isSmall(task)) this.#keep(task);
    }
    return waiting;
  }

  take(uid: number): TaskRecord {
    const task = this.#fresh.get(uid) ?? this.#tasks.get(uid);
    if (task === undefined) throw new Error(`task ${uid} has no record`);
    this.#fresh.delete(uid);
    return task;
  }

  #keep(task: TaskRecord): void {
    // Those that are canceled are never taken.
    if (this.#fresh.size >= TASKS_MAX) this.#fresh.delete(this.#fresh.keys().next().value!);
    this.#fresh.set(task.uid, task);
  }
}

/** Other tasks may name a million documents, or come with settings of megabytes. */
function isSmall({ content, customMetadata }: TaskRecord): boolean {
  return content.type === "documentAdditionOrUpdate" && content.payload.kind === "inline" && customMetadata === null;
}
