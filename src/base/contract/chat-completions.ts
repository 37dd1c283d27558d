/**
 * What a client may ask of a model through a chat workspace. Only what concerns this server is looked at; the rest is
 * between the client and the model and passed on as it came.
 */

import { apiError, badRequest } from "../errors/errors.ts";
import { isObject, type Json, type JsonObject } from "../json/value.ts";

/** The tool by which the model searches; it is ours alone. */
export const SEARCH_TOOL = "_meiliSearchInIndex";

/** Tools by which a client asks to be told what goes on. The model does not see them. */
export const PROGRESS_TOOL = "_meiliSearchProgress";
export const SOURCES_TOOL = "_meiliSearchSources";
export const APPEND_TOOL = "_meiliAppendConversationMessage";

export interface Completion {
  model: string;
  messages: JsonObject[];
  tools: JsonObject[];
  /** The body without what stands above. */
  others: JsonObject;
}

export interface Reports {
  progress: boolean;
  sources: boolean;
  messages: boolean;
}

export function parseCompletion(body: unknown): Completion {
  if (!isObject(body)) throw badRequest("Invalid value type: expected an object.");
  const { model, messages, tools, ...others } = body;
  if (typeof model !== "string") throw badRequest("The field `model` must be a string.");
  return { model, messages: objects("messages", messages), tools: objects("tools", tools ?? []), others };
}

/** Refuses answers that could not be given in one stream. */
export function refuseUnstreamed({ others: { n, stream } }: Completion): void {
  if (n !== undefined && n !== null && n !== 1) {
    throw apiError("unimplemented_multi_choice_chat_completions", "Only one choice can be asked for: `n` must be 1.");
  }
  if (stream !== true) {
    throw apiError(
      "unimplemented_non_streaming_chat_completions",
      "Only streamed chat completions are available: set `stream` to true.",
    );
  }
}

export function reportsOf({ tools }: Completion): Reports {
  const names = tools.map((tool) => (isObject(tool["function"]) ? tool["function"]["name"] : undefined));
  for (const name of names) {
    if (name === SEARCH_TOOL) throw badRequest(`The tool \`${SEARCH_TOOL}\` is defined already.`);
    if (name === PROGRESS_TOOL || name === SOURCES_TOOL || name === APPEND_TOOL) continue;
    throw apiError(
      "unimplemented_external_function_calling",
      `The tool \`${String(name)}\` cannot be offered: only own ones can.`,
    );
  }
  return {
    progress: names.includes(PROGRESS_TOOL),
    sources: names.includes(SOURCES_TOOL),
    messages: names.includes(APPEND_TOOL),
  };
}

function objects(name: string, value: Json | undefined): JsonObject[] {
  if (!Array.isArray(value) || !value.every(isObject))
    throw badRequest(`The field \`${name}\` must be a list of objects.`);
  return value;
}
