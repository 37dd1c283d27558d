/** Which queries are to be found by meaning and come without the vector that says it. */
import type { SearchQuery } from "../contract/search.ts";
import { makesVectors } from "../index/generators.ts";
import type { Settings } from "../index/settings.ts";
import type { JsonObject } from "../tasks/task.ts";

export type QueryParts = Pick<SearchQuery, "q" | "vector" | "media" | "hybrid">;

/** Whether the query has a meaning to search for, and no vector that says it. */
export function needsVector({ q, vector, media, hybrid }: QueryParts): boolean {
  return hybrid !== null && hybrid.semanticRatio > 0 && vector === null && !(isBlank(q) && media === null);
}

/** Of a query that needs a vector: whether nothing but the vector counts. */
export function isSemantic({ q, hybrid }: QueryParts): boolean {
  return isBlank(q) || hybrid?.semanticRatio === 1;
}

/** Who can make the vector that the query needs; null when nobody can, which the search itself complains about. */
export function embedderFor({ embedders }: Pick<Settings, "embedders">, query: QueryParts): JsonObject | null {
  if (!needsVector(query)) return null;
  const name = query.hybrid!.embedder;
  const embedder = Object.hasOwn(embedders, name) ? embedders[name]! : null;
  return embedder === null || !makesVectors(embedder) ? null : embedder;
}

function isBlank(q: string | null): boolean {
  return q === null || q.trim() === "";
}
