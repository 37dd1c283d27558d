/** What clients may ask of analytics that stay here: rows of some days, and to count a click. Parsing only. */

import { type ApiError, apiError } from "../errors/errors.ts";
import { dayOf } from "../insight/days.ts";
import { limits } from "../limits.ts";
import { checkUid } from "./indexes.ts";
import { countParam, optionalParam, type Param, readQuery, refused } from "./query.ts";
import { choice, count, either, object, optional, text } from "./schema.ts";
import { validate } from "./validate.ts";

const dayParam: Param<number | null> = optionalParam({
  code: "bad_request",
  schema: text({ description: "A day in UTC, YYYY-MM-DD" }),
  read: (raw, name, code) => {
    const day = dayOf(raw);
    if (day === null) throw refused(name, code, `could not parse \`${raw}\` as a day, in the form of YYYY-MM-DD`);
    return day;
  },
});

export const insightParams = { from: dayParam, to: dayParam, limit: countParam("bad_request", limits.pageItems) };

interface InsightQuery {
  /** Days from 1970 on; null for the oldest, and for today. */
  from: number | null;
  to: number | null;
  limit: number;
}

export function parseInsight(query: string): InsightQuery {
  const asked = readQuery(query, insightParams);
  return { ...asked, limit: Math.min(asked.limit, limits.insightRows) };
}

export const eventSchema = object({
  eventType: choice(["click"]),
  indexUid: text({ code: "invalid_index_uid", missing: "missing_index_uid", check: checkUid }),
  query: text({ maxLength: limits.queryUnits }),
  documentId: either([text({ maxLength: limits.documentIdBytes }), count()], {
    code: "invalid_document_id",
    missing: "missing_document_id",
  }),
  position: count({ description: "Among the hits, from 0 on" }),
  queryUid: optional(text({ description: "Of the search, as its metadata tell; nothing is looked up by it" })),
});

interface ClickEvent {
  indexUid: string;
  query: string;
  documentId: string;
  position: number;
}

export function parseEvent(body: unknown): ClickEvent {
  const { indexUid, query, documentId, position } = validate(eventSchema, body);
  return { indexUid, query, documentId: String(documentId), position };
}

export function insightNotEnabled(): ApiError {
  return apiError(
    "feature_not_enabled",
    "Analytics are not collected on this server. Start it with `--analytics-local` to have searches counted; they stay on this machine.",
  );
}
