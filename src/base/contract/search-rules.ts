/** What clients may ask of dynamic search rules: change one, list them. Parsing only. */
import type { Json, JsonObject } from "../json/value.ts";
import { limits } from "../limits.ts";

import { readInstant } from "../time/dates.ts";
import { checkUid } from "./indexes.ts";
import { anyObject, choice, count, flag, list, object, orNull, resettable, text } from "./schema.ts";
import { type Place, validate } from "./validate.ts";

const instant = () => text({ check: checkInstant });

const conditions = object(
  {
    time: resettable(object({ start: resettable(instant()), end: resettable(instant()) }, { check: checkTime })),
    query: resettable(object({ isEmpty: resettable(flag()), words: resettable(text()) }, { check: checkQuery })),
    filter: resettable(object({ values: anyObject() })),
  },
  { code: "invalid_dynamic_search_rule_conditions" },
);

const action = object({
  selector: object({ indexUid: resettable(text({ check: checkUid })), id: text() }),
  action: object({ type: choice(["pin"]), position: count() }),
});

export const searchRuleSchema = object({
  description: resettable(text({ code: "invalid_dynamic_search_rule_description" })),
  precedence: resettable(count({ code: "invalid_dynamic_search_rule_priority" })),
  active: resettable(flag({ code: "invalid_dynamic_search_rule_active" })),
  conditions: resettable(conditions),
  actions: resettable(list(action, { code: "invalid_dynamic_search_rule_actions" })),
});

export interface RuleConditions {
  time?: { start?: string | null; end?: string | null } | null;
  query?: { isEmpty?: boolean | null; words?: string | null } | null;
  filter?: { values: JsonObject } | null;
}

interface PinAction {
  selector: { indexUid?: string | null; id: string };
  action: { type: "pin"; position: number };
}

/** Absent keeps, null resets; conditions and actions replace what was there. */
export interface SearchRuleChange {
  description?: string | null;
  precedence?: number | null;
  active?: boolean | null;
  conditions?: RuleConditions | null;
  actions?: PinAction[] | null;
}

export function parseSearchRule(body: unknown): SearchRuleChange {
  return validate(searchRuleSchema, body);
}

export const searchRuleListSchema = object({
  offset: count({ code: "invalid_dynamic_search_rule_offset", default: 0 }),
  limit: count({ code: "invalid_dynamic_search_rule_limit", default: limits.pageItems }),
  filter: orNull(
    object(
      {
        query: orNull(text({ code: "invalid_dynamic_search_rule_filter_query" })),
        active: orNull(flag({ code: "invalid_dynamic_search_rule_filter_active" })),
      },
      { code: "invalid_dynamic_search_rule_filter" },
    ),
  ),
});

interface SearchRuleList {
  offset: number;
  limit: number;
  filter: { query: string | null; active: boolean | null } | null;
}

export function parseSearchRuleList(body: unknown): SearchRuleList {
  return validate(searchRuleListSchema, body);
}

function checkInstant(value: string, at: Place): void {
  if (readInstant(value) === null) at.refuse(`\`${value}\` is not a date in the RFC 3339 format.`);
}

function checkTime(time: JsonObject, at: Place): void {
  const [start, end] = [time["start"], time["end"]].map(instantOf);
  if (start != null && end != null && start > end) at.refuse("`start` must not be later than `end`.");
}

function checkQuery(query: JsonObject, at: Place): void {
  if (query["isEmpty"] === true && query["words"] != null) at.refuse("`isEmpty: true` and `words` exclude each other.");
}

function instantOf(value: Json | undefined): number | null {
  return typeof value === "string" ? readInstant(value) : null;
}
