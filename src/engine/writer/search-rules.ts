/** Tasks on dynamic search rules: the rules are records of the store, changed in the order of the tasks. */

import type { TaskRecord } from "../../base/contract/task.ts";
import type { JsonObject } from "../../base/json/value.ts";
import { formatTime, nowMicros } from "../../base/time/time.ts";
import type { TaskOutcome } from "../../storage/tasks/results.ts";
import { type Change, succeeded, type Work } from "./work.ts";

export function applySearchRules(work: Work, tasks: readonly TaskRecord[]): Change {
  const rules = new Map<string, JsonObject | null>();
  const current = (uid: string): JsonObject | null =>
    rules.has(uid) ? rules.get(uid)! : (work.store.rules.get(uid) ?? null);
  const outcomes: TaskOutcome[] = [];
  for (const { content } of tasks) {
    if (content.type === "dsrClear") {
      const uids = new Set([...work.store.rules.keys(), ...rules.keys()]);
      let deletedDocuments = 0;
      for (const uid of uids) {
        if (current(uid) !== null) deletedDocuments++;
        rules.set(uid, null);
      }
      outcomes.push(succeeded({ deletedDocuments }));
    } else if (content.type === "dsrUpdate") {
      const before = current(content.uid);
      const after = content.update === null ? null : updated(content.uid, before, content.update);
      rules.set(content.uid, after);
      outcomes.push(succeeded({ updatedRules: before === null && after === null ? 0 : 1 }));
    } else throw new Error(`not about search rules: ${content.type}`);
  }
  const alsoStore: Change["alsoStore"] = (store) => {
    for (const [uid, rule] of rules) {
      if (rule === null) store.rules.remove(uid);
      else store.rules.put(uid, rule);
    }
  };
  return { put: [], remove: [], gone: [], outcomes, alsoStore };
}

const DEFAULT_RULE: JsonObject = { active: true, conditions: {}, actions: [] };

/** Given keys replace, null removes, absent ones stay. */
function updated(uid: string, before: JsonObject | null, update: JsonObject): JsonObject {
  const rule: JsonObject = { uid, ...before, lastUpdatedAt: formatTime(nowMicros()) };
  for (const [name, value] of Object.entries(update)) {
    if (value === null) delete rule[name];
    else rule[name] = value;
  }
  return { ...DEFAULT_RULE, ...rule };
}
