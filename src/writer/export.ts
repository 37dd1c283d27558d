import type { TaskRecord } from "../tasks/task.ts";
import type { Change, Work } from "./work.ts";

export async function exportIndexes(_work: Work, _tasks: readonly TaskRecord[]): Promise<Change> {
  throw new Error("not available");
}
