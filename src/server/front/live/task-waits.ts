/**
 * Clients that wait for the end of a task: the answer to the request that made it. Each costs an entry and a timer, no thread;
 * beyond a bound nobody waits, which is no error.
 */

import { limits } from "../../../base/limits.ts";
import { onceOpen } from "../../../storage/store/fault.ts";
import type { TaskHead } from "../../../storage/store/task-record.ts";
import type { TaskLog } from "../../../storage/tasks/log.ts";

interface Waiter {
  uid: number;
  /** Called once: with the finished task, or with null when time is up. */
  resolve(task: TaskHead | null): void;
  timer: NodeJS.Timeout;
}

export class TaskWaits {
  readonly #tasks: Pick<TaskLog, "observe" | "get" | "table">;
  /** A task is waited for by whoever made it. */
  readonly #waiters = new Map<number, Waiter>();
  readonly #clientsMax: number;
  #isStopped = false;

  constructor(tasks: Pick<TaskLog, "observe" | "get" | "table">, clientsMax: number = limits.waitingClients) {
    this.#tasks = tasks;
    this.#clientsMax = clientsMax;
    tasks.observe({
      taskChanged: (uid) => {
        const waiter = this.#waiters.get(uid);
        if (waiter !== undefined) this.#look(waiter);
      },
      reloaded: () => {
        for (const waiter of [...this.#waiters.values()]) this.#look(waiter);
      },
    });
  }

  get clients(): number {
    return this.#waiters.size;
  }

  /** Whether one more client may wait. */
  get hasRoom(): boolean {
    return !this.#isStopped && this.#waiters.size < this.#clientsMax;
  }

  /** The finished task; null when it was not finished in time, or nobody waits any more. */
  wait(uid: number, seconds: number): { finished: Promise<TaskHead | null>; giveUp(): void } {
    let giveUp = (): void => {};
    const finished = new Promise<TaskHead | null>((resolve) => {
      const timer = setTimeout(() => giveUp(), seconds * 1000);
      const waiter = { uid, resolve, timer };
      giveUp = () => this.#end(waiter, null);
      this.#waiters.set(uid, waiter);
      this.#look(waiter);
    });
    return { finished, giveUp };
  }

  /** Nobody waits from now on. */
  stop(): void {
    this.#isStopped = true;
    for (const waiter of [...this.#waiters.values()]) this.#end(waiter, null);
  }

  #look(waiter: Waiter): void {
    if (this.#tasks.table.columns(waiter.uid)?.finishedAt == null) return;
    onceOpen(() => this.#tasks.get(waiter.uid)).then(
      (task) => this.#end(waiter, task),
      () => this.#end(waiter, null),
    );
  }

  #end(waiter: Waiter, task: TaskHead | null): void {
    clearTimeout(waiter.timer);
    if (this.#waiters.get(waiter.uid) === waiter) this.#waiters.delete(waiter.uid);
    waiter.resolve(task);
  }
}
