/**
 * The files that a store names: those of the segments of its indexes, and the payloads of tasks that are still to be done. What
 * is brought, shared, kept and swept away goes by this.
 */
import { payloadFileOf } from "../../base/contract/task.ts";
import { decodeManifest } from "../../storage/index/manifest.ts";
import type { Store } from "../../storage/store/store.ts";
import { pendingTasks } from "../../storage/tasks/pending.ts";

export interface SegmentFiles {
  /** Of the index. */
  id: string;
  files: { file: string; shard: number }[];
}

/** Also of indexes that have none. */
export function* segmentFilesIn(store: Pick<Store, "catalog" | "manifests">): Generator<SegmentFiles> {
  for (const [, { id }] of store.catalog.entries()) {
    const bytes = store.manifests.get(id);
    if (bytes !== undefined) yield { id: String(id), files: decodeManifest(bytes).segments };
  }
}

/** Those that lie in a file of their own, by name. */
export function* payloadFilesIn(store: Pick<Store, "tasks" | "pending">): Generator<string> {
  for (const { content } of pendingTasks(store)) {
    const name = payloadFileOf(content);
    if (name !== null) yield name;
  }
}
