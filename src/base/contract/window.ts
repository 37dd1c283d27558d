/** Which of the documents that a search finds are asked for. */
import { limits } from "../limits.ts";
import type { SearchQuery } from "./search.ts";

/** Counted from the first document. */
export interface Window {
  offset: number;
  limit: number;
  /** Totals must be exact. */
  exhaustive: boolean;
}

export function windowOf(query: Pick<SearchQuery, "offset" | "limit" | "page" | "hitsPerPage">): Window {
  if (query.page === null && query.hitsPerPage === null) {
    return { offset: query.offset, limit: query.limit, exhaustive: false };
  }
  const size = query.hitsPerPage ?? limits.pageItems;
  const page = query.page ?? 1;
  return { offset: size * Math.max(0, page - 1), limit: page === 0 ? 0 : size, exhaustive: true };
}
