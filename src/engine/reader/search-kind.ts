/** Which search a query asks for: by words, by meaning, or both. Refuses what cannot be run; runs nothing. */

import { checkSearchKind, type SearchQuery } from "../../base/contract/search.ts";
import { apiError } from "../../base/errors/errors.ts";
import { dimensionsOf } from "../../storage/settings/embedders.ts";
import type { Settings } from "../../storage/settings/settings.ts";

export type SearchKind = "keyword" | "semantic" | "hybrid";

/** The order of the questions matters: the first that fits decides. */
export function searchKind(
  query: Pick<SearchQuery, "q" | "vector" | "media" | "hybrid">,
  settings: Pick<Settings, "embedders" | "embedderDimensions">,
): SearchKind {
  checkSearchKind(query);
  const { q, vector, media, hybrid } = query;
  if (hybrid === null || hybrid.semanticRatio === 0) return "keyword";
  const blank = q === null || q.trim() === "";
  if (blank && vector === null && media === null) return "keyword";
  checkEmbedder(hybrid.embedder, vector, settings);
  return blank || hybrid.semanticRatio === 1 ? "semantic" : "hybrid";
}

function checkEmbedder(
  name: string,
  vector: number[] | null,
  settings: Pick<Settings, "embedders" | "embedderDimensions">,
): void {
  if (!Object.hasOwn(settings.embedders, name)) {
    throw apiError("invalid_search_embedder", `Cannot find embedder with name \`${name}\`.`);
  }
  const dimensions = dimensionsOf(settings, name);
  if (vector !== null && dimensions !== null && vector.length !== dimensions) {
    throw apiError(
      "invalid_vector_dimensions",
      `Invalid vector dimensions: embedder \`${name}\` expects ${dimensions}, found ${vector.length}.`,
    );
  }
}
