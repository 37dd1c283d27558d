/**
 * What may stand in an embedder: which source takes which field, and the bounds of their values.
 * Checks one object as data; calling a provider, and merging with what is stored, happen elsewhere.
 */

import { type ApiError, apiError } from "../errors/errors.ts";
import { isObject, type Json, type JsonObject } from "../json/value.ts";
import { type Features, requireFeature } from "./features.ts";
import { checkRestTemplates } from "./rest-template.ts";

export const EMBEDDER_SOURCES = ["openAi", "huggingFace", "ollama", "userProvided", "rest", "composite"] as const;
export type EmbedderSource = (typeof EMBEDDER_SOURCES)[number];

/** Which part an embedder plays: on its own, or inside a composite one. */
type EmbedderRole = "main" | "search" | "indexing";

type Use = "required" | "optional";

const every: Record<EmbedderSource, Use> = {
  openAi: "optional",
  huggingFace: "optional",
  ollama: "optional",
  userProvided: "optional",
  rest: "optional",
  composite: "optional",
};
const templated: Partial<Record<EmbedderSource, Use>> = {
  openAi: "optional",
  huggingFace: "optional",
  ollama: "optional",
  rest: "optional",
};

/** Field by source; a source that is not listed refuses the field. In the order in which embedders are shown. */
export const EMBEDDER_FIELDS: Record<string, Partial<Record<EmbedderSource, Use>>> = {
  source: every,
  model: { openAi: "optional", huggingFace: "optional", ollama: "required" },
  revision: { huggingFace: "optional" },
  pooling: { huggingFace: "optional" },
  apiKey: { openAi: "optional", ollama: "optional", rest: "optional" },
  dimensions: {
    openAi: "optional",
    huggingFace: "optional",
    ollama: "optional",
    userProvided: "required",
    rest: "optional",
  },
  binaryQuantized: every,
  documentTemplate: templated,
  documentTemplateMaxBytes: templated,
  url: { openAi: "optional", ollama: "optional", rest: "required" },
  indexingFragments: { rest: "optional" },
  searchFragments: { rest: "optional" },
  request: { rest: "required" },
  response: { rest: "required" },
  headers: { rest: "optional" },
  searchEmbedder: { composite: "required" },
  indexingEmbedder: { composite: "required" },
  distribution: every,
};

const REFUSED_BY_ROLE: Record<EmbedderRole, string[]> = {
  main: [],
  search: [
    "distribution",
    "binaryQuantized",
    "documentTemplate",
    "documentTemplateMaxBytes",
    "indexingFragments",
    "searchEmbedder",
    "indexingEmbedder",
  ],
  indexing: ["distribution", "binaryQuantized", "searchFragments", "searchEmbedder", "indexingEmbedder"],
};

/** Known sizes of hosted models; only the first cannot be shortened. */
const OPENAI_MODELS: Record<string, HostedModel> = {
  "text-embedding-ada-002": { dimensions: 1536, fixed: true, distribution: { mean: 0.9, sigma: 0.08 } },
  "text-embedding-3-small": { dimensions: 1536, fixed: false, distribution: { mean: 0.75, sigma: 0.1 } },
  "text-embedding-3-large": { dimensions: 3072, fixed: false, distribution: { mean: 0.7, sigma: 0.1 } },
};

interface HostedModel {
  dimensions: number;
  /** Vectors cannot be made shorter. */
  fixed: boolean;
  /** How its similarities are spread. */
  distribution: { mean: number; sigma: number };
}

export const OPENAI_DEFAULT_MODEL = "text-embedding-3-small";

/** What is known of the model of a hosted embedder; null for other models and sources. */
export function openAiModel(embedder: JsonObject): HostedModel | null {
  if (sourceOf(embedder) !== "openAi") return null;
  const name = typeof embedder["model"] === "string" ? embedder["model"] : OPENAI_DEFAULT_MODEL;
  return Object.hasOwn(OPENAI_MODELS, name) ? OPENAI_MODELS[name]! : null;
}

export const EMBEDDERS_MAX = 256;
const FRAGMENTS_MAX = 256;

/** Refuses what an update asks of one embedder. Without a source only values are checked: the stored one decides later. */
export function checkEmbedderUpdate(at: string, embedder: JsonObject, features: Features): void {
  checkValues(at, embedder);
  requireEmbedderFeatures(embedder, features);
  checkFragmentCounts(at, embedder);
  if (hasFragments(embedder) && isSet(embedder["documentTemplate"])) throw fragmentsWithTemplate(at);
  if (isSet(embedder["source"])) checkForSource(at, embedder, "main", "update");
}

/** Refuses an embedder that is not complete and consistent for its source. */
export function checkEmbedder(at: string, embedder: JsonObject): void {
  checkForSource(at, embedder, "main", "whole");
}

const MISSING_TEMPLATE =
  "Missing field `documentTemplate` (note: this field is mandatory for the indexing embedder of a composite embedder)";

/** An update leaves out fragments that are stored already: only the whole can tell whether some are missing. */
function checkForSource(at: string, embedder: JsonObject, role: EmbedderRole, extent: "update" | "whole"): void {
  const source = sourceOf(embedder);
  if (role !== "main") checkNestedSource(at, embedder, source);
  for (const field of REFUSED_BY_ROLE[role]) {
    if (isSet(embedder[field])) {
      throw refusal(`\`${at}\`: Field \`${field}\` cannot be set in the ${role} embedder of a composite embedder.`);
    }
  }
  const { request, response } = embedder;
  if (source === "rest" && isSet(request) && isSet(response)) {
    const mayHaveFragments = extent === "update" && JSON.stringify(request).includes("{{fragment}}");
    checkRestTemplates(request!, response!, mayHaveFragments || hasFragments(embedder));
  }
  for (const [field, uses] of Object.entries(EMBEDDER_FIELDS)) {
    const use = uses[source];
    if (use === undefined && isSet(embedder[field])) throw fieldUnavailable(at, field, source);
    if (use === "required" && !isSet(embedder[field])) {
      throw refusal(`\`${at}\`: Missing field \`${field}\` (note: this field is mandatory for source \`${source}\`)`);
    }
  }
  if (role === "indexing" && templated[source] !== undefined && !hasFragments(embedder)) {
    if (!isSet(embedder["documentTemplate"])) throw refusal(`\`${at}\`: ${MISSING_TEMPLATE}`);
  }
  if (source === "openAi") checkOpenAiDimensions(at, embedder);
  if (source === "rest" && role === "main" && extent === "whole") checkFragmentSides(at, embedder);
  for (const part of ["searchEmbedder", "indexingEmbedder"] as const) {
    const nested = embedder[part];
    const nestedRole = part === "searchEmbedder" ? "search" : "indexing";
    if (isObject(nested)) checkForSource(`${at}.${part}`, nested, nestedRole, extent);
  }
}

export function sourceOf(embedder: JsonObject): EmbedderSource {
  const source = embedder["source"];
  return EMBEDDER_SOURCES.find((known) => known === source) ?? "openAi";
}

export function hasFragments(embedder: JsonObject): boolean {
  return liveFragments(embedder["indexingFragments"]) > 0 || liveFragments(embedder["searchFragments"]) > 0;
}

function checkValues(at: string, embedder: JsonObject): void {
  for (const field of ["dimensions", "documentTemplateMaxBytes"]) {
    if (embedder[field] === 0) {
      throw refusal(`\`${at}.${field}\`: the value \`0\` is too small, it must be at least 1.`);
    }
  }
  const url = embedder["url"];
  if (typeof url === "string" && !URL.canParse(url)) {
    throw refusal(`\`${at}.url\`: could not parse \`${url}\` as a URL.`);
  }
  for (const part of ["searchEmbedder", "indexingEmbedder"]) {
    const nested = embedder[part];
    if (isObject(nested)) checkValues(`${at}.${part}`, nested);
  }
}

function requireEmbedderFeatures(embedder: JsonObject, features: Features): void {
  if (embedder["source"] === "composite" || isSet(embedder["searchEmbedder"]) || isSet(embedder["indexingEmbedder"])) {
    requireFeature(features, "compositeEmbedders", "Using the `composite` source for embedders");
  }
  for (const part of [embedder, embedder["searchEmbedder"], embedder["indexingEmbedder"]]) {
    if (isObject(part) && (isSet(part["indexingFragments"]) || isSet(part["searchFragments"]))) {
      requireFeature(features, "multimodal", "Setting fragments in embedders");
    }
  }
}

function checkNestedSource(at: string, embedder: JsonObject, source: EmbedderSource): void {
  if (!isSet(embedder["source"])) throw refusal(`\`${at}\`: Missing field \`source\` (note: mandatory here)`);
  if (source === "composite" || source === "userProvided") {
    throw refusal(`\`${at}.source\`: Source \`${source}\` is not available inside a composite embedder.`);
  }
}

function checkOpenAiDimensions(at: string, embedder: JsonObject): void {
  const dimensions = embedder["dimensions"];
  const model = openAiModel(embedder);
  if (model === null || typeof dimensions !== "number") return;
  const name = embedder["model"] ?? OPENAI_DEFAULT_MODEL;
  if (model.fixed && dimensions !== model.dimensions) {
    throw refusal(
      `\`${at}.dimensions\`: Model \`${name}\` has exactly ${model.dimensions} dimensions, found ${dimensions}.`,
    );
  }
  if (dimensions > model.dimensions) {
    throw refusal(
      `\`${at}.dimensions\`: Model \`${name}\` has at most ${model.dimensions} dimensions, found ${dimensions}.`,
    );
  }
}

function checkFragmentCounts(at: string, embedder: JsonObject): void {
  for (const field of ["indexingFragments", "searchFragments"]) {
    if (liveFragments(embedder[field]) > FRAGMENTS_MAX) {
      throw refusal(`\`${at}.${field}\`: too many fragments, at most ${FRAGMENTS_MAX} are accepted.`);
    }
  }
}

function checkFragmentSides(at: string, embedder: JsonObject): void {
  if (!hasFragments(embedder)) return;
  for (const field of ["indexingFragments", "searchFragments"]) {
    if (liveFragments(embedder[field]) === 0) {
      throw apiError(
        "vector_embedding_error",
        `\`${at}\`: an embedder with fragments needs at least one fragment in \`${field}\`.`,
      );
    }
  }
  if (!isSet(embedder["dimensions"])) {
    throw apiError("vector_embedding_error", `\`${at}\`: an embedder with fragments must give its \`dimensions\`.`);
  }
}

function fragmentsWithTemplate(at: string): ApiError {
  return apiError(
    "vector_embedding_error",
    `\`${at}\`: cannot pass both fragments and a document template.\n  - Note: set \`documentTemplate\` to \`null\` to use fragments.`,
  );
}

function fieldUnavailable(at: string, field: string, source: EmbedderSource): ApiError {
  const sources = EMBEDDER_SOURCES.filter((known) => EMBEDDER_FIELDS[field]?.[known] !== undefined);
  const fields = Object.keys(EMBEDDER_FIELDS).filter((known) => EMBEDDER_FIELDS[known]?.[source] !== undefined);
  return refusal(
    `\`${at}\`: Field \`${field}\` unavailable for source \`${source}\`.\n` +
      `  - note: \`${field}\` is available for sources: ${quotedList(sources)}\n` +
      `  - note: available fields for source \`${source}\`: ${quotedList(fields)}`,
  );
}

function quotedList(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

function refusal(message: string): ApiError {
  return apiError("invalid_settings_embedders", message);
}

function isSet(value: Json | undefined): value is Exclude<Json, null> {
  return value !== undefined && value !== null;
}

/** A fragment set to null is one to remove. */
function liveFragments(fragments: Json | undefined): number {
  return isObject(fragments) ? Object.values(fragments).filter((fragment) => fragment !== null).length : 0;
}
