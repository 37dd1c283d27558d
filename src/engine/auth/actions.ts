/**
 * What the actions of a key grant: what a wildcard stands for, and where keys of some indexes may go.
 * The names themselves are in `base/contract/actions.ts`.
 */
import { ACTIONS, type Action, commonAction } from "../../base/contract/actions.ts";

const KNOWN: ReadonlySet<string> = new Set(ACTIONS);

/** `*.get` reads everything but keys, and converses with nobody. */
const READS: readonly Action[] = [
  "search",
  "documents.get",
  "export",
  "indexes.get",
  "tasks.get",
  "settings.get",
  "stats.get",
  "metrics.get",
  "version",
  "experimental.get",
  "network.get",
  "chats.get",
  "chatsSettings.get",
  "webhooks.get",
  "fields.post",
  "dynamicSearchRules.get",
];

/** Actions whose routes name no index in their path and yet serve keys of some indexes; the handler narrows the answer. */
const SCOPED_WITHOUT_INDEX: ReadonlySet<Action> = new Set<Action>([
  "documents.get",
  "search",
  "indexes.create",
  "indexes.get",
  "indexes.swap",
  "tasks.cancel",
  "tasks.delete",
  "tasks.get",
  "settings.get",
  "stats.*",
  "stats.get",
  "chatCompletions",
  "analytics.add",
]);

function isAction(text: string): text is Action {
  return KNOWN.has(text);
}

/**
 * Every action that the listed ones grant, themselves included: a route may ask for a wildcard by name (editing
 * documents asks for `documents.*`).
 */
export function expandActions(actions: Iterable<string>): Set<Action> {
  const granted = new Set<Action>();
  for (const given of actions) {
    const action = commonAction(given);
    if (!isAction(action)) continue;
    granted.add(action);
    if (action === "*") for (const one of ACTIONS) granted.add(one);
    else if (action === "*.get") for (const one of READS) granted.add(one);
    else if (action.endsWith(".*")) {
      const family = action.slice(0, -1);
      for (const one of ACTIONS) if (one.startsWith(family)) granted.add(one);
    }
  }
  return granted;
}

/**
 * The values of keys are shown to whoever may list them, and whoever may make keys can make any: both are worth the mightiest
 * key there is. So it takes the master key, or a key that may do everything anyway; keys may name these actions, as clients
 * expect, but gain nothing by it.
 */
export function rulesOverKeys(action: Action): boolean {
  return action.startsWith("keys.");
}

/** Whether a route without index in its path serves keys that are limited to some indexes. */
export function servesScopedKeys(action: Action): boolean {
  return SCOPED_WITHOUT_INDEX.has(action);
}
