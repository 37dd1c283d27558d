/**
 * The request and response templates of a REST embedder: where their placeholders may stand.
 * Checks shape only; filling a request and reading an answer belong to the embedding side.
 */

import { type ApiError, apiError } from "../errors/errors.ts";
import type { Json } from "../json/value.ts";

export const TEXT = "{{text}}";
export const FRAGMENT = "{{fragment}}";
export const EMBEDDING = "{{embedding}}";
/** As second of two elements: the first may be repeated for a batch. */
export const REPEAT = "{{..}}";

interface Found {
  values: string[];
  repeats: string[];
}

/** Refuses templates that do not hold exactly one value each, or that repeat on one side only. */
export function checkRestTemplates(request: Json, response: Json, fragments: boolean): void {
  const asked = checkTemplate("request", request, fragments ? FRAGMENT : TEXT);
  const answered = checkTemplate("response", response, EMBEDDING);
  if (asked !== answered) {
    const [single, repeated] = asked ? ["response", "request"] : ["request", "response"];
    throw refusal(`\`${repeated}\` repeats its value with \`${REPEAT}\` but \`${single}\` does not.`);
  }
}

/** True when the template repeats its value. */
function checkTemplate(name: string, template: Json, placeholder: string): boolean {
  const found: Found = { values: [], repeats: [] };
  collect(template, name, placeholder, found);
  if (found.values.length === 0) throw refusal(`in \`${name}\`: \`${placeholder}\` not found`);
  if (found.values.length > 1) {
    throw refusal(
      `in \`${name}\`: \`${placeholder}\` found more than once, at ${found.values[0]} and ${found.values[1]}`,
    );
  }
  if (found.repeats.length > 1) {
    throw refusal(`in \`${name}\`: \`${REPEAT}\` found more than once, at ${found.repeats[0]} and ${found.repeats[1]}`);
  }
  return found.repeats.length === 1;
}

function collect(template: Json, at: string, placeholder: string, found: Found): void {
  if (template === placeholder) {
    found.values.push(at);
  } else if (template === REPEAT) {
    throw refusal(`\`${REPEAT}\` is misplaced at ${at}: it must be the second of exactly two elements of an array`);
  } else if (Array.isArray(template)) {
    const repeats = template.length === 2 && template[1] === REPEAT;
    const before = found.values.length;
    for (const [position, item] of (repeats ? template.slice(0, 1) : template).entries()) {
      collect(item, `${at}[${position}]`, placeholder, found);
    }
    if (repeats) {
      if (found.values.length === before) {
        throw refusal(`\`${REPEAT}\` at ${at}[1] repeats an element that does not hold \`${placeholder}\``);
      }
      found.repeats.push(`${at}[1]`);
    }
  } else if (typeof template === "object" && template !== null) {
    for (const [key, value] of Object.entries(template)) collect(value, `${at}.${key}`, placeholder, found);
  }
}

function refusal(problem: string): ApiError {
  return apiError("vector_embedding_error", `Error while generating embeddings: user error: ${problem}`);
}
