/**
 * Rendering of Liquid templates with a document or a search as input. Knows no index and no HTTP.
 */

import type { Context, Template } from "liquidjs";
import { apiError } from "../../base/errors/errors.ts";
import type { Json, JsonObject } from "../../base/json/value.ts";
import { liquid } from "../../storage/settings/liquid.ts";

import { withNils } from "../vector/template/document.ts";
import { printableValue } from "../vector/template/template.ts";

/** What a template may name: `doc` and `fields` for documents, `q` and `media` for searches. */
export type RenderScope = JsonObject;

/** `names`: fields of the index, of which those that the document lacks are nil. */
export function documentScope(
  document: JsonObject,
  names: readonly string[],
  isSearchable: (name: string) => boolean,
): RenderScope {
  const doc = printableValue(withNils(document, names));
  const fields = Object.entries(doc).map(([name, value]) => ({ name, value, is_searchable: isSearchable(name) }));
  return { doc, fields };
}

/** Refuses a template, or a value with templates inside, that cannot be read. */
export function requireReadable(template: Json): void {
  if (typeof template === "string") parsed(template);
  else if (template !== null && typeof template === "object")
    for (const part of Object.values(template)) requireReadable(part);
}

function parsed(template: string): Template[] {
  try {
    return liquid().parse(template);
  } catch (error) {
    throw apiError("template_parsing_error", `The template cannot be parsed: ${(error as Error).message}`);
  }
}

export function renderText(template: string, scope: RenderScope): string {
  const parts = parsed(template);
  try {
    return String(liquid().renderSync(parts, scope as unknown as Context, { strictVariables: true }));
  } catch (error) {
    throw apiError("template_rendering_error", `The template cannot be rendered: ${(error as Error).message}`);
  }
}

/** Every text inside the value is a template of its own. */
export function renderJson(template: Json, scope: RenderScope): Json {
  if (typeof template === "string") return renderText(template, scope);
  if (template === null || typeof template !== "object") return template;
  if (Array.isArray(template)) return template.map((item) => renderJson(item, scope));
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, renderJson(value, scope)]));
}
