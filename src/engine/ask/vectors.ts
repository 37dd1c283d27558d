/** Which queries need a vector that the client did not send, and the text or fragments it is embedded from. */

import type { SearchQuery } from "../../base/contract/search.ts";
import { apiError } from "../../base/errors/errors.ts";
import type { Json, JsonObject } from "../../base/json/value.ts";
import { fragmentsOf, makesVectors, searchSide } from "../../storage/settings/generators.ts";
import type { Settings } from "../../storage/settings/settings.ts";

import type { EmbedInput } from "../vector/embed/embedder.ts";
import { Fragment } from "../vector/template/fragment.ts";
import { ONCE, TemplateFailure } from "../vector/template/template.ts";

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

/** What the embedder is asked: the words, or the one search fragment that the query fills. */
export function searchInput({ q, media }: QueryParts, embedder: JsonObject): EmbedInput {
  const fragments = fragmentsOf(searchSide(embedder)["searchFragments"]);
  if (fragments.length === 0) {
    if (media !== null) throw embeddingError("the embedder has no search fragments that `media` could fill");
    return { text: q, fragment: null };
  }
  const scope: JsonObject = { ...(q === null ? {} : { q }), ...(media === null ? {} : { media }) };
  const filled: { name: string; value: Json }[] = [];
  for (const fragment of fragments) {
    const { name } = fragment;
    const value = rendering(name, () => new Fragment(fragment, ONCE).render(scope));
    if (value !== undefined) filled.push({ name, value });
  }
  if (filled.length === 1) return { text: null, fragment: filled[0]!.value };
  const known = fragments.map(({ name }) => `\`${name}\``).join(", ");
  if (filled.length === 0) throw embeddingError(`the query fills none of the search fragments ${known}`);
  const names = filled.map(({ name }) => `\`${name}\``).join(", ");
  throw embeddingError(`the query fills more than one search fragment: ${names}`);
}

function rendering<Result>(fragment: string, render: () => Result): Result {
  try {
    return render();
  } catch (problem) {
    if (!(problem instanceof TemplateFailure)) throw problem;
    throw embeddingError(`the search fragment \`${fragment}\` cannot be rendered: ${problem.message}`);
  }
}

function embeddingError(problem: string) {
  return apiError("vector_embedding_error", `Error while generating embeddings: user error: ${problem}.`);
}
