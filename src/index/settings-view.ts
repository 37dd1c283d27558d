/**
 * How settings are shown: in answers and in the details of a task, secrets never in clear.
 * Reads only; what is in force is decided in `settings-update.ts`.
 */
import type { Features } from "../contract/features.ts";
import { redactSecret } from "../contract/secrets.ts";
import type { Json, JsonObject } from "../tasks/task.ts";
import { withEmbedderDefaults } from "./embedders.ts";
import type { SettingName, Settings } from "./settings.ts";
import { defaultSettings } from "./settings-update.ts";
import { DEFAULT_DOCUMENT_TEMPLATE, DEFAULT_TEMPLATE_MAX_BYTES } from "./templates.ts";

/** In the order of the full object. */
export const SETTING_NAMES = Object.keys(defaultSettings()) as readonly SettingName[];

/**
 * The full object. `foreignKeys` appears while its feature is on. `chat` always appears: complete while its feature is
 * on, otherwise with what was set, which by default is nothing.
 */
export function settingsView(settings: Settings, features: Features): JsonObject {
  const view: JsonObject = {};
  for (const name of SETTING_NAMES) {
    if (name === "foreignKeys" && !features.foreignKeys) continue;
    view[name] = name === "chat" && !features.chatCompletions ? settings.chat : settingView(settings, name);
  }
  return view;
}

/** The bare value of one setting. */
export function settingView(settings: Settings, name: SettingName): Json {
  if (name === "embedders") return embeddersView(settings.embedders);
  if (name === "chat") return chatView(settings.chat);
  return settings[name] as unknown as Json;
}

/** What a settings task shows of itself: the submitted keys in the order of the full object. */
export function settingsDetails(update: JsonObject): JsonObject {
  const details: JsonObject = {};
  for (const name of SETTING_NAMES) {
    const value = update[name];
    if (value === undefined) continue;
    details[name] = name === "embedders" && value !== null ? mapValues(value as JsonObject, redacted) : value;
  }
  return details;
}

function embeddersView(embedders: Record<string, JsonObject>): JsonObject {
  return mapValues(embedders, (embedder) => redacted(withEmbedderDefaults(embedder as JsonObject)));
}

function chatView(chat: JsonObject): JsonObject {
  return {
    description: chat["description"] ?? "",
    documentTemplate: chat["documentTemplate"] ?? DEFAULT_DOCUMENT_TEMPLATE,
    documentTemplateMaxBytes: chat["documentTemplateMaxBytes"] ?? DEFAULT_TEMPLATE_MAX_BYTES,
    searchParameters: chat["searchParameters"] ?? {},
  };
}

function redacted(embedder: Json): Json {
  if (embedder === null || typeof embedder !== "object" || Array.isArray(embedder)) return embedder;
  const shown: JsonObject = { ...embedder };
  if (typeof shown["apiKey"] === "string") shown["apiKey"] = redactSecret(shown["apiKey"]);
  for (const part of ["searchEmbedder", "indexingEmbedder"]) {
    if (shown[part] !== undefined) shown[part] = redacted(shown[part]);
  }
  return shown;
}

function mapValues(map: JsonObject, change: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}
