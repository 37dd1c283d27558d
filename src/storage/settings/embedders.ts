/**
 * How the embedders of an index change: one update merged over what is stored, by name and by field.
 * Stored objects hold only what was set; `withEmbedderDefaults` tells what is in force.
 */

import {
  checkEmbedder,
  EMBEDDER_FIELDS,
  EMBEDDERS_MAX,
  type EmbedderSource,
  hasFragments,
  OPENAI_DEFAULT_MODEL,
  openAiModel,
  sourceOf,
} from "../../base/contract/embedders.ts";
import { apiError } from "../../base/errors/errors.ts";
import { withStoredSecrets } from "../../base/json/secrets.ts";
import type { Json, JsonObject } from "../../base/json/value.ts";

import type { Settings } from "./settings.ts";
import { DEFAULT_DOCUMENT_TEMPLATE, DEFAULT_TEMPLATE_MAX_BYTES, templateProblem } from "./templates.ts";

/** What a segment must know of an embedder; plain data, which can cross threads. */
export interface EmbedderRule {
  name: string;
  dimensions: number;
  quantized: boolean;
  /** Vectors come with the documents and from nowhere else. */
  userProvided: boolean;
}

/** What survives a change of source; everything else belonged to the old provider, its key above all. */
const SOURCE_NEUTRAL = ["binaryQuantized", "documentTemplate", "documentTemplateMaxBytes", "distribution"];

const FIELDS_MERGED_BY_NAME = ["indexingFragments", "searchFragments"];

export function mergeEmbedders(current: Record<string, JsonObject>, update: JsonObject): Record<string, JsonObject> {
  const merged = new Map(Object.entries(current));
  for (const [name, change] of Object.entries(update)) {
    if (change === null) merged.delete(name);
    else merged.set(name, mergeEmbedder(`.embedders.${name}`, merged.get(name), change as JsonObject));
  }
  if (merged.size > EMBEDDERS_MAX) {
    throw apiError("invalid_settings_embedders", `Too many embedders: at most ${EMBEDDERS_MAX} can be configured.`);
  }
  return Object.fromEntries([...merged].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function mergeEmbedder(at: string, stored: JsonObject | undefined, change: JsonObject): JsonObject {
  const merged = overlay(stored ?? {}, change);
  if (stored?.["binaryQuantized"] === true && merged["binaryQuantized"] !== true) {
    throw apiError(
      "invalid_settings_embedders",
      `\`${at}.binaryQuantized\`: cannot disable the binary quantization: the original vectors are lost.\n  - Note: create another embedder instead.`,
    );
  }
  checkEmbedder(at, merged);
  checkTemplates(at, merged);
  checkOllamaUrl(at, merged);
  return ordered(merged);
}

/** Null resets a field; a changed source drops what the new one does not share with the old. */
function overlay(stored: JsonObject, change: JsonObject): JsonObject {
  const source = change["source"] === undefined ? stored["source"] : change["source"];
  const changed = sourceOf({ source: source ?? null }) !== sourceOf(stored);
  const merged: JsonObject = changed
    ? pick(stored, SOURCE_NEUTRAL, sourceOf({ source: source ?? null }))
    : { ...stored };
  for (const [field, value] of Object.entries(changed ? change : withStoredSecrets(change, stored))) {
    if (value === null) delete merged[field];
    else if (FIELDS_MERGED_BY_NAME.includes(field)) merged[field] = mergeByName(merged[field], value as JsonObject);
    else if (field === "searchEmbedder" || field === "indexingEmbedder") {
      merged[field] = overlay((merged[field] as JsonObject | undefined) ?? {}, value as JsonObject);
    } else merged[field] = value;
  }
  merged["source"] = sourceOf(merged);
  if (hasFragments(merged)) delete merged["documentTemplate"];
  return merged;
}

function pick(stored: JsonObject, fields: string[], source: EmbedderSource): JsonObject {
  const kept = fields.filter((field) => field in stored && EMBEDDER_FIELDS[field]?.[source] !== undefined);
  return Object.fromEntries(kept.map((field) => [field, stored[field]!]));
}

function mergeByName(stored: Json | undefined, change: JsonObject): JsonObject {
  const merged = { ...(stored as JsonObject | undefined), ...change };
  return Object.fromEntries(Object.entries(merged).filter(([, fragment]) => fragment !== null));
}

/** Refuses templates in an update of embedders that cannot be read. */
export function checkUpdatedTemplates(embedders: JsonObject): void {
  for (const [name, change] of Object.entries(embedders)) {
    if (change !== null) checkTemplates(`.embedders.${name}`, change as JsonObject);
  }
}

function checkTemplates(at: string, embedder: JsonObject): void {
  const template = embedder["documentTemplate"];
  const problem = typeof template === "string" ? templateProblem(template) : null;
  if (problem !== null) {
    throw apiError(
      "invalid_settings_embedders",
      `\`${at}.documentTemplate\`: error while parsing template: ${problem}`,
    );
  }
  for (const field of FIELDS_MERGED_BY_NAME) checkFragments(`${at}.${field}`, (embedder[field] ?? {}) as JsonObject);
  for (const part of ["indexingEmbedder", "searchEmbedder"]) {
    const nested = embedder[part];
    if (nested != null) checkTemplates(`${at}.${part}`, nested as JsonObject);
  }
}

function checkFragments(at: string, fragments: JsonObject): void {
  for (const [name, fragment] of Object.entries(fragments)) {
    for (const text of textsOf(fragment)) {
      const problem = templateProblem(text);
      if (problem === null) continue;
      throw apiError("invalid_settings_embedders", `\`${at}.${name}\`: error while parsing template: ${problem}`);
    }
  }
}

function textsOf(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (value === null || typeof value !== "object") return [];
  return Object.values(value).flatMap(textsOf);
}

function checkOllamaUrl(at: string, embedder: JsonObject): void {
  for (const part of ["searchEmbedder", "indexingEmbedder"]) {
    const nested = embedder[part];
    if (nested !== undefined) checkOllamaUrl(`${at}.${part}`, nested as JsonObject);
  }
  const url = embedder["url"];
  if (sourceOf(embedder) !== "ollama" || typeof url !== "string") return;
  const path = new URL(url).pathname;
  if (!path.endsWith("/api/embed") && !path.endsWith("/api/embeddings")) {
    throw apiError(
      "vector_embedding_error",
      `\`${at}.url\`: unsupported Ollama URL \`${url}\`: it must end with \`/api/embed\` or \`/api/embeddings\`.`,
    );
  }
}

function ordered(embedder: JsonObject): JsonObject {
  const fields = Object.keys(EMBEDDER_FIELDS).filter((field) => embedder[field] !== undefined);
  return Object.fromEntries(fields.map((field) => [field, embedder[field]!]));
}

/** The embedder with the defaults of its source written out. */
export function withEmbedderDefaults(stored: JsonObject): JsonObject {
  const source = sourceOf(stored);
  const defaults: JsonObject = { source };
  if (source === "openAi") defaults["model"] = OPENAI_DEFAULT_MODEL;
  if (source === "huggingFace") {
    defaults["model"] = "BAAI/bge-base-en-v1.5";
    if (stored["model"] === undefined) defaults["revision"] = "617ca489d9e86b49b8167676d8220688b99db36e";
    defaults["pooling"] = "useModel";
  }
  if (EMBEDDER_FIELDS["documentTemplate"]?.[source] !== undefined && !hasFragments(stored)) {
    defaults["documentTemplate"] = DEFAULT_DOCUMENT_TEMPLATE;
    defaults["documentTemplateMaxBytes"] = DEFAULT_TEMPLATE_MAX_BYTES;
  }
  if (source === "rest") defaults["headers"] = {};
  return ordered({ ...defaults, ...stored });
}

/** The size of an embedder's vectors: as set, as its model has it, or as it was found by a trial; null when unknown. */
export function dimensionsOf(
  { embedders, embedderDimensions }: Pick<Settings, "embedders" | "embedderDimensions">,
  name: string,
): number | null {
  const embedder = embedders[name]!;
  const { dimensions } = embedder;
  if (typeof dimensions === "number") return dimensions;
  return openAiModel(embedder)?.dimensions ?? embedderDimensions?.[name] ?? null;
}

/** What segments must know of the embedders; one whose dimensions are not known yet has no vectors to keep. */
export function embedderRules(settings: Pick<Settings, "embedders" | "embedderDimensions">): EmbedderRule[] {
  return Object.entries(settings.embedders).flatMap(([name, embedder]) => {
    const dimensions = dimensionsOf(settings, name);
    if (dimensions === null) return [];
    const userProvided = sourceOf(embedder) === "userProvided";
    return [{ name, dimensions, quantized: embedder["binaryQuantized"] === true, userProvided }];
  });
}
