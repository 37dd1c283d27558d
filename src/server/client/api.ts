/** The few shapes of the interface that the commands look into. */
export interface Task {
  uid: number;
  indexUid: string | null;
  status: "enqueued" | "processing" | "succeeded" | "failed" | "canceled";
  type: string;
  details: Record<string, unknown> | null;
  error: { message: string; code: string } | null;
  duration: string | null;
  enqueuedAt: string;
  finishedAt: string | null;
}

export interface TaskSummary {
  taskUid: number;
  enqueuedAt: string;
}

export interface Index {
  uid: string;
  primaryKey: string | null;
  updatedAt: string;
}

export type Settings = Record<string, unknown>;
export type Document = Record<string, unknown>;

export function indexPath(uid: string, rest = ""): string {
  return `/indexes/${encodeURIComponent(uid)}${rest}`;
}
