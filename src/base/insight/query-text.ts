/** Queries as they are counted: what differs in case, blanks or a long tail only is one query. */
import { limits } from "../limits.ts";

const BLANKS = /\s+/g;
/** Most queries are in order: small letters of ASCII, digits and signs, and single blanks between them. */
const IN_ORDER = /^(?:[!-@[-~]+ )*[!-@[-~]+$/;
const FIRST_LOW_SURROGATE = 0xdc00;
const LAST_LOW_SURROGATE = 0xdfff;

export function countedQuery(query: string): string {
  const most = limits.insightQueryUnits;
  if (query.length <= most) return IN_ORDER.test(query) ? query : inOrder(query);
  const next = query.charCodeAt(most);
  const end = next >= FIRST_LOW_SURROGATE && next <= LAST_LOW_SURROGATE ? most - 1 : most;
  // A copy of its own: the engine cuts by pointing into the long text, which would be kept with it.
  return inOrder(Buffer.from(query.slice(0, end), "utf16le").toString("utf16le"));
}

function inOrder(query: string): string {
  return query.trim().replace(BLANKS, " ").toLowerCase();
}
