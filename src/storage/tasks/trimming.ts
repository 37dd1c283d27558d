/**
 * Keeps the number of stored tasks bounded: beyond it, a task that is enqueued has the oldest finished ones deleted, by a task
 * as well, one at a time. Deletes nothing itself.
 */
import type { TaskContent, TaskRecord } from "../../base/contract/task.ts";
import { formatTime } from "../../base/time/time.ts";
import type { TaskTable } from "./table.ts";

interface TrimmingOptions {
  tasksStored: number;
  tasksDeletedAtOnce: number;
}

/** Of a deletion that has no uid yet. */
const UNDER_WAY = -1;

export class Trimming {
  readonly #options: TrimmingOptions;
  readonly #enqueue: (deletion: TaskContent) => Promise<TaskRecord>;
  /** The deletion under way. */
  #uid: number | null = null;

  constructor(options: TrimmingOptions, enqueue: (deletion: TaskContent) => Promise<TaskRecord>) {
    this.#options = options;
    this.#enqueue = enqueue;
  }

  async afterOne(enqueued: TaskContent, table: TaskTable): Promise<void> {
    if (this.#uid !== null || enqueued.type === "taskDeletion") return;
    if (table.size <= this.#options.tasksStored) return;
    const matchedUids = table.oldestFinished(this.#options.tasksDeletedAtOnce);
    if (matchedUids.length < 2) return;
    const newest = table.columns(matchedUids.at(-1)!)!.enqueuedAt;
    const originalFilter = `?beforeEnqueuedAt=${formatTime(newest + 1)}&statuses=succeeded,failed,canceled`;
    this.#uid = UNDER_WAY;
    try {
      this.#uid = (await this.#enqueue({ type: "taskDeletion", matchedUids, originalFilter })).uid;
    } catch {
      // The task that was asked for is safe; trimming is tried again with the next one.
      this.#uid = null;
    }
  }

  onFinished(uid: number): void {
    if (uid === this.#uid) this.#uid = null;
  }
}
