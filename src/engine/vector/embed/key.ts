/**
 * What of an embedder's settings decides which vectors it gives, as text: the same text, the same embedder. Templates
 * and the treatment of finished vectors are not part of it.
 */
import type { Json, JsonObject } from "../../../base/json/value.ts";

const WITHOUT_EFFECT = new Set(["documentTemplate", "documentTemplateMaxBytes", "distribution", "binaryQuantized"]);
const HALVES = new Set(["indexingEmbedder", "searchEmbedder"]);

/** Settings are never changed in place, so a text once made stays right. */
const known = new WeakMap<JsonObject, string>();

export function embedderKey(settings: JsonObject): string {
  let key = known.get(settings);
  if (key === undefined) {
    key = JSON.stringify(effective(settings));
    known.set(settings, key);
  }
  return key;
}

export function settingsOfKey(key: string): JsonObject {
  return JSON.parse(key) as JsonObject;
}

function effective(settings: JsonObject): JsonObject {
  const kept: [string, Json][] = [];
  for (const [field, value] of Object.entries(settings)) {
    if (WITHOUT_EFFECT.has(field)) continue;
    kept.push([field, HALVES.has(field) ? effective(value as JsonObject) : value]);
  }
  return Object.fromEntries(kept);
}
