/** A task as clients may see it: what the store has of it, and nothing of what it has become there before that shows. */
import type { OwnStore } from "../store/store.ts";
import type { TaskColumns, TaskHead } from "../store/task-record.ts";
import { uncounted } from "./details.ts";
import { initialDetails } from "./types.ts";

/** `shown`: what the table has of it. Null when it is stored no longer. */
export function shownHead(store: Pick<OwnStore, "taskHeads" | "tasks">, shown: TaskColumns): TaskHead | null {
  const stored = store.taskHeads.get(shown.uid);
  if (stored === undefined) return null;
  const ahead = shown.finishedAt === null && stored.finishedAt !== null;
  if (!ahead) return { ...stored, ...shown };
  // Work on settings finds out nothing that their details would tell. Contents that are texts are not read here.
  if (stored.type === "settingsUpdate") return { ...stored, ...shown, error: null };
  if (stored.texts !== undefined) return { ...stored, ...shown, details: uncounted(stored.details), error: null };
  const record = store.tasks.get(shown.uid)!;
  return { ...stored, ...shown, details: initialDetails(record.content, shown.indexUid), error: null };
}
