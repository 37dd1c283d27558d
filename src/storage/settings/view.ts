/**
 * How settings are shown: in answers and in the details of a task, secrets never in clear.
 * Reads only; what is in force is decided in `update.ts`.
 */

import type { Features } from "../../base/contract/features.ts";
import { redactEmbedder } from "../../base/json/secrets.ts";
import { type Json, type JsonObject, mapped } from "../../base/json/value.ts";

import { withEmbedderDefaults } from "./embedders.ts";
import { SETTINGS, type SettingName, type Settings } from "./settings.ts";
import { DEFAULT_DOCUMENT_TEMPLATE, DEFAULT_TEMPLATE_MAX_BYTES } from "./templates.ts";

/** In the order of the full object. */
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

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

function embeddersView(embedders: Record<string, JsonObject>): JsonObject {
  return mapped(embedders, (embedder) => redactEmbedder(withEmbedderDefaults(embedder)));
}

function chatView(chat: JsonObject): JsonObject {
  return {
    description: chat["description"] ?? "",
    documentTemplate: chat["documentTemplate"] ?? DEFAULT_DOCUMENT_TEMPLATE,
    documentTemplateMaxBytes: chat["documentTemplateMaxBytes"] ?? DEFAULT_TEMPLATE_MAX_BYTES,
    searchParameters: chat["searchParameters"] ?? {},
  };
}
