/**
 * What the writer is given to do at once: tasks that run together, by kind. Shapes only.
 */
import type { TaskRecord } from "../../base/contract/task.ts";

interface Together {
  /** In uid order. */
  tasks: TaskRecord[];
  /** Why the batch stopped growing, for people to read. */
  strategy: string;
}

interface OnIndex extends Together {
  indexUid: string;
}

/** Work on one index that nothing else joins. */
export type AloneKind = "indexCreation" | "indexUpdate" | "documentEdition";

export type Batch =
  /** Imports, deletions by ids and by filter, applied in order. */
  | (OnIndex & {
      kind: "documents";
      /** The key that the imports of this batch ask for, if any does. */
      primaryKey: string | null;
      /** Whether a missing index may be created for it. */
      allowIndexCreation: boolean;
      onlyDeletions: boolean;
    })
  /** At least one "delete all"; document tasks before and after it have nothing left to do. */
  | (OnIndex & { kind: "clear"; allowIndexCreation: boolean })
  | (OnIndex & { kind: "settings"; allowIndexCreation: boolean })
  | (OnIndex & { kind: "clearAndSettings"; allowIndexCreation: boolean })
  /** The last task is the deletion; those before it have nothing left to do. */
  | (OnIndex & { kind: "indexDeletion"; allowIndexCreation: boolean })
  | (OnIndex & { kind: AloneKind | "indexCompaction" })
  | (Together & {
      kind:
        | "indexSwap"
        | "taskCancelation"
        | "taskDeletions"
        | "export"
        | "snapshots"
        | "dump"
        | "upgradeDatabase"
        | "networkTopologyChange"
        | "searchRules";
    });

/** What the scheduler must know of the indexes to decide. */
export interface IndexInfo {
  exists(indexUid: string): boolean;
  primaryKey(indexUid: string): string | null;
}
