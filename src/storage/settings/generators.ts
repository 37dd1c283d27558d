/**
 * Embedders that make vectors, as far as documents and queries are concerned: what of a document each of them embeds, and
 * which documents a change of settings has them embed again. Calls nobody.
 */

import { sourceOf } from "../../base/contract/embedders.ts";
import type { Json, JsonObject } from "../../base/json/value.ts";

import { dimensionsOf, withEmbedderDefaults } from "./embedders.ts";
import type { Settings } from "./settings.ts";
import { DEFAULT_DOCUMENT_TEMPLATE, DEFAULT_TEMPLATE_MAX_BYTES, usesFields } from "./templates.ts";

export interface NamedFragment {
  name: string;
  value: Json;
}

/** What an embedder takes from documents; plain data, which can cross threads. */
export interface Generator {
  name: string;
  dimensions: number;
  template: string;
  templateBytesMax: number;
  /** By name; when there are any they go instead of the template, and each gives a vector of its own. */
  fragments: NamedFragment[];
}

type Embedders = Pick<Settings, "embedders" | "embedderDimensions">;

/** In the order of their names. */
export function generatorsOf(settings: Embedders): Generator[] {
  return Object.keys(settings.embedders).flatMap((name) => generatorOf(settings, name) ?? []);
}

/** Null for an embedder that makes no vectors. */
function generatorOf(settings: Embedders, name: string): Generator | null {
  const embedder = settings.embedders[name]!;
  const dimensions = dimensionsOf(settings, name);
  if (!makesVectors(embedder) || dimensions === null) return null;
  const side = indexingSide(embedder);
  return {
    name,
    dimensions,
    template: (side["documentTemplate"] as string | undefined) ?? DEFAULT_DOCUMENT_TEMPLATE,
    templateBytesMax: (side["documentTemplateMaxBytes"] as number | undefined) ?? DEFAULT_TEMPLATE_MAX_BYTES,
    fragments: fragmentsOf(side["indexingFragments"]),
  };
}

export function makesVectors(embedder: JsonObject): boolean {
  return sourceOf(embedder) !== "userProvided";
}

/** The embedder that documents, or queries, go through, with its defaults written out. */
export function indexingSide(embedder: JsonObject): JsonObject {
  return half(embedder, "indexingEmbedder");
}

export function searchSide(embedder: JsonObject): JsonObject {
  return half(embedder, "searchEmbedder");
}

function half(embedder: JsonObject, name: "indexingEmbedder" | "searchEmbedder"): JsonObject {
  if (sourceOf(embedder) !== "composite") return withEmbedderDefaults(embedder);
  return withEmbedderDefaults((embedder[name] ?? {}) as JsonObject);
}

/** Fragments as they stand in settings, ordered by name. */
export function fragmentsOf(fragments: Json | undefined): NamedFragment[] {
  return Object.entries((fragments ?? {}) as JsonObject)
    .filter(([, fragment]) => fragment !== null)
    .map(([name, fragment]) => ({ name, value: (fragment as JsonObject)["value"] ?? null }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * What an embedder does with documents it has seen before: nothing, embed those again that give it something else than
 * before, or embed all again. Vectors of clients are never replaced.
 */
export type Renewal = "nothing" | "changed" | "all";

export function renewalOf(before: Settings, after: Settings, name: string): Renewal {
  if (!Object.hasOwn(before.embedders, name) || modelBasis(before, name) !== modelBasis(after, name)) return "all";
  return textBasis(before, name) === textBasis(after, name) ? "nothing" : "changed";
}

/** What vectors depend on besides what is embedded. Keys, headers, and all that only queries meet are not part of it. */
function modelBasis(settings: Settings, name: string): string {
  const embedder = settings.embedders[name]!;
  const side = indexingSide(embedder);
  const source = sourceOf(side);
  const { model, revision, pooling, request, response, url } = side;
  const address = source === "openAi" ? null : url;
  return JSON.stringify([
    sourceOf(embedder),
    source,
    dimensionsOf(settings, name),
    [model, revision, pooling, request, response, address],
  ]);
}

function textBasis(settings: Settings, name: string): string {
  const generator = generatorOf(settings, name);
  if (generator === null) return "";
  const { template, fragments } = generator;
  if (fragments.length > 0) return JSON.stringify(fragments);
  return JSON.stringify([template, usesFields(template) ? settings.searchableAttributes.toSorted() : []]);
}
