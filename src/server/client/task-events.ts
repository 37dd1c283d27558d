/**
 * What happens to tasks, as it happens: the server's stream, taken up again wherever it breaks. A server that has none is asked
 * from time to time instead.
 */
import type { IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Task, TaskSummary } from "./api.ts";
import { type Call, type Connection, NoAnswer, ServerError } from "./connection.ts";

/** `sync`: something may have been missed, and what there is should be asked for. */
type TaskEvent = { kind: "task"; task: Task } | { kind: "sync" };

/** Between two tries, and between two questions where there is no stream. */
const AGAIN_MS = 500;
/** The server gives a sign of life every four seconds. */
const SILENCE_MS_MAX = 15_000;
const UIDS_A_REQUEST = 500;

export async function* taskEvents(
  connection: Connection,
  query: string,
  signal: AbortSignal,
): AsyncGenerator<TaskEvent> {
  let lastId = "";
  while (!signal.aborted) {
    let response: IncomingMessage | null = null;
    const stop = () => response?.destroy();
    try {
      const headers: Record<string, string> = lastId === "" ? {} : { "last-event-id": lastId };
      response = await connection.open("GET", `/tasks/stream${query}`, { headers, timeoutMs: SILENCE_MS_MAX });
      signal.addEventListener("abort", stop);
      if (response.headers["content-type"] === "text/event-stream") {
        if (lastId === "") yield { kind: "sync" };
        for await (const { id, event, data } of eventsIn(response)) {
          lastId = id || lastId;
          if (event === "task") yield { kind: "task", task: JSON.parse(data) as Task };
          else if (event === "reset") yield { kind: "sync" };
        }
      } else {
        response.resume();
        if (response.statusCode === 401 || response.statusCode === 403) {
          throw new ServerError(response.statusCode, "", "the key may not see tasks", connection);
        }
        yield { kind: "sync" };
      }
    } catch (error) {
      if (error instanceof ServerError) throw error;
    } finally {
      signal.removeEventListener("abort", stop);
      stop();
    }
    await pause(AGAIN_MS, undefined, { signal }).catch(() => {});
  }
}

interface ServerEvent {
  id: string;
  event: string;
  data: string;
}

async function* eventsIn(response: AsyncIterable<Buffer>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const event: ServerEvent = { id: "", event: "", data: "" };
      for (const line of text.slice(0, end).split("\n")) {
        const [name = "", value = ""] = [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)];
        if (name === "id" || name === "event" || name === "data") event[name] = value;
      }
      text = text.slice(end + 2);
      yield event;
    }
  }
}

/** Follows tasks that are added while it runs; tells of each once, when it is over. */
export class TaskTracker {
  readonly #connection: Connection;
  readonly #waiting = new Set<number>();
  readonly #onOver: (task: Task) => void;
  readonly #stop = new AbortController();
  readonly #events: AsyncGenerator<TaskEvent>;
  #emptied: (() => void) | null = null;
  #problem: Error | null = null;

  constructor(connection: Connection, onOver: (task: Task) => void) {
    this.#connection = connection;
    this.#onOver = onOver;
    this.#events = taskEvents(connection, "", this.#stop.signal);
    void this.#follow();
  }

  stop(): void {
    this.#stop.abort();
  }

  add(uid: number): void {
    this.#waiting.add(uid);
  }

  /** Resolves when none is left. */
  async done(): Promise<void> {
    await this.#sync();
    if (this.#waiting.size > 0) {
      await new Promise<void>((resolve) => {
        this.#emptied = resolve;
        if (this.#problem !== null) resolve();
      });
    }
    if (this.#problem !== null) throw this.#problem;
  }

  async #follow(): Promise<void> {
    try {
      for await (const event of this.#events) {
        if (event.kind === "task") this.#hear(event.task);
        else await this.#sync();
      }
    } catch (error) {
      this.#problem = error as Error;
      this.#emptied?.();
    }
  }

  #hear(task: Task): void {
    if (task.finishedAt === null || !this.#waiting.delete(task.uid)) return;
    this.#onOver(task);
    if (this.#waiting.size === 0) this.#emptied?.();
  }

  async #sync(): Promise<void> {
    const uids = [...this.#waiting];
    for (let i = 0; i < uids.length; i += UIDS_A_REQUEST) {
      const some = uids.slice(i, i + UIDS_A_REQUEST).join(",");
      try {
        const path = `/tasks?limit=${UIDS_A_REQUEST}&uids=${some}`;
        for (const task of (await this.#connection.json<{ results: Task[] }>("GET", path)).results) this.#hear(task);
      } catch (error) {
        // The stream comes back by itself, and asks again.
        if (!(error instanceof NoAnswer) && !(error instanceof ServerError && error.status >= 500)) throw error;
      }
    }
  }
}

const WAIT_S = 60;

export class TaskFailed extends Error {
  readonly task: Task;

  constructor(task: Task) {
    super(failureOf(task));
    this.task = task;
  }
}

/** Makes a task and waits until it is over; throws what it failed with. */
export async function finished(connection: Connection, method: string, path: string, call: Call = {}): Promise<Task> {
  const headers = { ...call.headers, prefer: `wait=${WAIT_S}` };
  const made = await connection.json<Task | TaskSummary>(method, path, { ...call, headers });
  let task = "uid" in made ? made : await connection.json<Task>("GET", `/tasks/${made.taskUid}`);
  while (task.finishedAt === null) {
    await pause(AGAIN_MS);
    task = await connection.json<Task>("GET", `/tasks/${task.uid}`);
  }
  if (task.status !== "succeeded") throw new TaskFailed(task);
  return task;
}

export function failureOf({ uid, type, status, error }: Task): string {
  return `task ${uid} (${type}) ${status === "failed" ? "failed" : "was canceled"}${error === null ? "" : `: ${error.message}`}`;
}
