/** The tool by which a model searches: how it is described to the model, and how what was found is told. */

import { SEARCH_TOOL } from "../../../base/contract/chat-completions.ts";
import type { Json, JsonObject } from "../../../base/json/value.ts";

/** More values say little about what a field holds. */
const VALUES_A_FACET = 10;

/** What a model may know of an index before it searches. */
export interface SearchableIndex {
  uid: string;
  description: string;
  facets: Record<string, Record<string, number>>;
}

export interface FoundText {
  /** As a search shows them. */
  documents: JsonObject[];
  /** The same, as the model gets to read them. */
  text: string;
}

export function searchTool(prompts: JsonObject, indexes: readonly SearchableIndex[]): JsonObject {
  const described = indexes.map(({ uid, description }) => `\n\n- ${uid}: ${description}`).join("");
  const facets = indexes.map(({ uid, facets }) => `\n\nValues in the index ${uid}:\n${facetLines(facets)}`).join("");
  const properties: JsonObject = {
    index_uid: {
      type: "string",
      enum: indexes.map(({ uid }) => uid),
      description: prompt(prompts, "searchIndexUidParam"),
    },
    q: { type: "string", description: prompt(prompts, "searchQParam") },
    filter: { type: "string", description: `${prompt(prompts, "searchFilterParam")}${facets}` },
  };
  return {
    type: "function",
    function: {
      name: SEARCH_TOOL,
      description: `${prompt(prompts, "searchDescription")}${described}`,
      parameters: { type: "object", properties, required: Object.keys(properties), additionalProperties: false },
      strict: true,
    },
  };
}

function facetLines(facets: SearchableIndex["facets"]): string {
  const lines = Object.entries(facets).map(([field, counts]) => {
    const frequent = Object.entries(counts).sort(([, a], [, b]) => b - a);
    return `${field}: ${frequent
      .slice(0, VALUES_A_FACET)
      .map(([value]) => value)
      .join(", ")}.`;
  });
  return lines.join("\n");
}

function prompt(prompts: JsonObject, name: string): string {
  const text: Json | undefined = prompts[name];
  return typeof text === "string" ? text : "";
}
