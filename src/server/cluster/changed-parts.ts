/** Tells the parts of this server that hold something in memory what other servers have changed of it. */
import type { KeyRing } from "../../engine/auth/keys.ts";
import type { Change } from "../../storage/store/environment.ts";
import { type TableName, tablePosition } from "../../storage/store/tables.ts";
import type { TaskLog } from "../../storage/tasks/log.ts";
import type { FeatureFlags } from "../front/state/features.ts";
import type { Network } from "../front/state/network.ts";
import type { SearchRules } from "../front/state/rules.ts";
import type { Ended } from "../front/writer-link.ts";
import { lentBytes } from "./files.ts";

export interface ChangedParts {
  tasks: TaskLog;
  keys: KeyRing | null;
  features: FeatureFlags;
  network: Network;
  rules: SearchRules;
  /** Tells whoever wants to know of finished tasks, webhooks above all. */
  onFinished(ended: Ended): void;
}

const [TASKS, BATCHES, KEYS, FEATURES, NETWORK, RULES] = (
  ["tasks", "batches", "keys", "features", "network", "rules"] satisfies TableName[]
).map(tablePosition) as [number, number, number, number, number, number];

/** As soon as it is stored. */
export function tellOfStored(changes: readonly Change[], parts: ChangedParts): void {
  const { tasks, keys, features, network, rules } = parts;
  const isBatch = batchIn(changes) !== null;
  for (const change of changes) {
    const { table, key, value } = change;
    // The table may have been read anew since it was stored: whoever runs tasks is still to be told.
    if (table === TASKS && value !== null && !(isBatch && tasks.table.has(key as number))) {
      tasks.onEnqueuedElsewhere(key as number, lentBytes(value));
    } else if (table === KEYS) keys?.onChangedElsewhere(key as string);
    else if (table === FEATURES) features.onChangedElsewhere();
    else if (table === NETWORK) network.onChangedElsewhere();
    else if (table === RULES) rules.forget();
  }
}

/**
 * Once it is shown: what came of tasks. `wasRunHere`: by a writer that did not live to say so; only the server that ran a batch tells
 * others than its own clients of it.
 */
export function tellOfResults(
  changes: readonly Change[],
  { tasks, onFinished }: Pick<ChangedParts, "tasks" | "onFinished">,
  wasRunHere: boolean,
): void {
  const bytes = changes.flatMap((change) =>
    change.table === TASKS
      ? [{ uid: change.key as number, bytes: change.value === null ? null : lentBytes(change.value) }]
      : [],
  );
  const uid = batchIn(changes);
  tasks.onChangedElsewhere(bytes, uid);
  const batch = uid === null || !wasRunHere ? null : tasks.getBatch(uid);
  if (batch === null) return;
  const finished = tasks.finishedIn([batch.batch]);
  onFinished({ tasks: { count: finished.length, heads: () => finished }, renames: null });
}

/** The uid of the batch that a record finishes, or null. */
export function batchIn(changes: readonly Change[]): number | null {
  const batch = changes.find(({ table, value }) => table === BATCHES && value !== null);
  return batch === undefined ? null : (batch.key as number);
}

/** What has to be kept of a record until its results are told. */
export function resultsIn(changes: readonly Change[]): Change[] {
  return changes.filter(({ table }) => table === TASKS || table === BATCHES);
}

/** Uids of the tasks that a record changes. */
export function tasksIn(changes: readonly Change[]): number[] {
  const uids: number[] = [];
  for (const { table, key } of changes) if (table === TASKS) uids.push(key as number);
  return uids;
}

/** Without the rest of the record that it came in: messages to threads take along all of the memory that they refer to. */
export function ownCopy({ table, key, value }: Change): Change {
  return { table, key, value: value === null ? null : new Uint8Array(value) };
}
