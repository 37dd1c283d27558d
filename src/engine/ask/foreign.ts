/**
 * A filter that asks another index (`_foreign`) tells something about the documents there. Whoever may not read that index, or
 * only part of it, could find out the rest by asking often enough, so every route that takes such filters asks here first.
 */

import { invalidApiKey } from "../../base/errors/errors.ts";
import type { Json } from "../../base/json/value.ts";
import type { IndexView } from "../../storage/index/view.ts";
import type { Scope } from "../auth/scope.ts";
import { walkFilter } from "../filter/filter.ts";
import { parseFilter } from "../filter/parse.ts";

/**
 * `asked` is the caller's own filter. The one that a tenant token imposes may look into indexes that the token does not open,
 * but into none that is closed to the key it was signed with. Both are known to be readable.
 */
export function checkForeign(scope: Scope, index: Pick<IndexView, "uid" | "settings">, asked: Json): void {
  const { settings } = index;
  if (settings.foreignKeys.length === 0) return;
  for (const uid of foreignIndexes(asked, settings)) {
    scope.requireIndex(uid);
    if (scope.searchRule(uid) !== null) {
      throw invalidApiKey(`The tenant token sees only part of index \`${uid}\`, which \`_foreign\` cannot respect.`);
    }
  }
  for (const uid of foreignIndexes(scope.searchRule(index.uid), settings)) scope.requireIndexOfKey(uid);
}

function foreignIndexes(filter: Json, { foreignKeys }: IndexView["settings"]): string[] {
  if (filter === null || !JSON.stringify(filter).includes("_foreign")) return [];
  const parsed = parseFilter(filter);
  const fields = new Set<string>();
  if (parsed !== null) {
    walkFilter(parsed, (each) => {
      if (each.kind === "foreign") fields.add(each.field.text);
      return each.kind !== "foreign";
    });
  }
  return foreignKeys.filter(({ fieldName }) => fields.has(fieldName)).map(({ foreignIndexUid }) => foreignIndexUid);
}
