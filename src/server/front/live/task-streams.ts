/** Who follows the tasks and the batches: two feeds, one bound on the number of streams. */
import { apiError } from "../../../base/errors/errors.ts";
import { limits } from "../../../base/limits.ts";
import type { Texts } from "../../../storage/store/texts.ts";
import { filterTest, isUnrestricted, type TaskFilter, type TaskScope } from "../../../storage/tasks/filter.ts";
import type { TaskLog } from "../../../storage/tasks/log.ts";
import { batchPieces, type Piece, taskPieces } from "../../../storage/tasks/views.ts";
import { Feed, type FollowerSetup } from "./feed.ts";

export type Followed = "tasks" | "batches";
type Wants = FollowerSetup["wants"];
type FollowedTasks = Pick<TaskLog, "observe" | "get" | "getBatch" | "table">;

export class TaskStreams {
  readonly #tasks: FollowedTasks;
  readonly #feeds: Record<Followed, Feed>;

  constructor(tasks: FollowedTasks, texts: Texts) {
    this.#tasks = tasks;
    const feeds = {
      tasks: new Feed({ name: "task", render: (uid) => renderTask(tasks, texts, uid) }, limits.taskChangesKept),
      batches: new Feed({ name: "batch", render: (uid) => renderBatch(tasks, texts, uid) }, limits.batchChangesKept),
    };
    this.#feeds = feeds;
    tasks.observe({
      taskChanged: (uid) => feeds.tasks.changed(uid),
      batchChanged: (uid) => feeds.batches.changed(uid),
      reloaded() {
        feeds.tasks.reload();
        feeds.batches.reload();
      },
    });
  }

  /** Throws the refusal when there are too many. */
  admit(): void {
    if (this.#feeds.tasks.followers + this.#feeds.batches.followers < limits.taskStreams) return;
    throw apiError(
      "too_many_search_requests",
      `Too many streams of tasks and batches are open already: the limit is ${limits.taskStreams}. Retry after 10s.`,
    );
  }

  follow(what: Followed, filter: TaskFilter, scope: TaskScope, setup: Omit<FollowerSetup, "wants">): void {
    const wants = what === "tasks" ? this.#wantsTask(filter, scope) : this.#wantsBatch(filter, scope);
    this.#feeds[what].follow({ ...setup, wants });
  }

  #wantsTask(filter: TaskFilter, scope: TaskScope): Wants {
    const isListed = filterTest(filter);
    return (uid) => {
      const { table } = this.#tasks;
      const columns = table.columns(uid);
      return columns !== null && isListed(columns) && table.isVisible(uid, scope);
    };
  }

  /** A batch counts when one of its tasks does. */
  #wantsBatch(filter: TaskFilter, scope: TaskScope): Wants {
    if (scope.all && isUnrestricted(filter)) return () => true;
    const wantsTask = this.#wantsTask(filter, scope);
    return (uid) => this.#tasks.getBatch(uid)?.batch.taskUids.some(wantsTask) ?? false;
  }
}

function renderTask(tasks: FollowedTasks, texts: Texts, uid: number): Iterable<Piece> | null {
  const task = tasks.get(uid);
  return task === null ? null : taskPieces(task, texts);
}

function renderBatch(tasks: FollowedTasks, texts: Texts, uid: number): Iterable<Piece> | null {
  const found = tasks.getBatch(uid);
  return found === null ? null : batchPieces(found.batch, found.progress, texts);
}
