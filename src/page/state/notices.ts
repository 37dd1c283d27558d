/** What the reader is told about his changes: that a task was made, and what became of it. */
import { signal } from "@preact/signals";
import { ask, open } from "../api/client.ts";
import { problemOf } from "../api/problem.ts";
import type { Task, TaskSummary } from "../api/types.ts";
import { readIndexes } from "./indexes.ts";

interface Notice {
  id: number;
  kind: "wait" | "good" | "bad";
  text: string;
}

/** How long they stay in sight; what is under way stays until it has ended. */
const SHOWN_MS = { good: 6000, bad: 30_000 };
/** At once; the oldest go first. */
const SHOWN_MAX = 4;
/** The first and the longest pause between two looks at a task. */
const LOOK_MS_MIN = 50;
const LOOK_MS_MAX = 1000;

export const notices = signal<readonly Notice[]>([]);
let last = 0;

export function tell(kind: Notice["kind"], text: string, id = ++last): number {
  notices.value = [...notices.value.filter((notice) => notice.id !== id), { id, kind, text }].slice(-SHOWN_MAX);
  if (kind !== "wait") setTimeout(() => dismiss(id), SHOWN_MS[kind]);
  return id;
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

/** Sends a change and waits for its task, telling the reader; null where it was refused. */
export async function write(what: string, method: string, path: string, body?: unknown): Promise<Task | null> {
  try {
    const { taskUid } = await ask<TaskSummary>(method, path, { body });
    return await follow(what, taskUid);
  } catch (error) {
    tell("bad", `${what}: ${problemOf(error).message}`);
    return null;
  }
}

/** Waits for a task that was made already. */
export async function follow(what: string, uid: number): Promise<Task> {
  const notice = tell("wait", `${what}: task ${uid} waits for its turn`);
  for (let pause = LOOK_MS_MIN; ; pause = Math.min(pause * 2, LOOK_MS_MAX)) {
    const task = await ask<Task>("GET", `/tasks/${uid}`);
    if (task.finishedAt !== null) {
      const isGood = task.status === "succeeded";
      tell(isGood ? "good" : "bad", `${what}: ${isGood ? "done" : (task.error?.message ?? task.status)}`, notice);
      await readIndexes();
      return task;
    }
    await new Promise((resume) => setTimeout(resume, pause));
  }
}

/** Sends a change that is made at once; tells whether it was. */
export async function change(what: string, method: string, path: string, body?: unknown): Promise<boolean> {
  try {
    await open(method, path, { body });
    tell("good", `${what}: done`);
    return true;
  } catch (error) {
    tell("bad", `${what}: ${problemOf(error).message}`);
    return false;
  }
}
