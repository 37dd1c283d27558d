/** What clients may ask of the instance as a whole: experimental features, logs, export. Parsing only. */

import { apiError } from "../errors/errors.ts";
import type { Json } from "../json/value.ts";
import { limits } from "../limits.ts";
import { parseTarget } from "../log/target.ts";
import { filterSchema } from "./documents.ts";
import { FEATURE_NAMES, type FeatureName } from "./features.ts";
import { isIndexPattern } from "./names.ts";
import { choice, count, dictionary, either, flag, object, orNull, resettable, text } from "./schema.ts";
import { type Place, validate } from "./validate.ts";

export const featuresSchema = object(Object.fromEntries(FEATURE_NAMES.map((name) => [name, resettable(flag())])));

/** The flags to change; null leaves one as it is. */
export function parseFeatures(body: unknown): Partial<Record<FeatureName, boolean>> {
  const flags = validate(featuresSchema, body) as Partial<Record<FeatureName, boolean | null>>;
  const changed = Object.entries(flags).filter(([, value]) => value !== null);
  return Object.fromEntries(changed) as Partial<Record<FeatureName, boolean>>;
}

const target = text({ default: "info", check: checkTarget });

export const logStreamSchema = object({
  target,
  mode: choice(["human", "json", "profile"], { default: "human" }),
  profileMemory: flag({ default: false }),
});

interface LogStream {
  target: string;
  mode: "human" | "json" | "profile";
  profileMemory: boolean;
}

export function parseLogStream(body: unknown): LogStream {
  const stream = validate(logStreamSchema, body);
  if (stream.profileMemory && stream.mode !== "profile") {
    // The interface answers with this code, odd as it is.
    throw apiError("invalid_settings_typo_tolerance", "`profileMemory` can be used only with the mode `profile`.");
  }
  return stream;
}

export const logLevelSchema = object({ target });

export function parseLogLevel(body: unknown): { target: string } {
  return validate(logLevelSchema, body);
}

const exportedIndex = object({
  filter: orNull(filterSchema("invalid_export_index_filter")),
  overrideSettings: flag({ code: "invalid_export_index_override_settings", default: false }),
});

export const exportSchema = object({
  url: text({ code: "invalid_export_url", default: "" }),
  apiKey: orNull(text({ code: "invalid_export_api_key" })),
  payloadSize: orNull(either([text({ check: checkSize }), count()], { code: "invalid_export_payload_size" })),
  indexes: orNull(dictionary(exportedIndex, { check: (indexes, at) => checkPatterns(Object.keys(indexes), at) })),
});

interface ExportRequest {
  url: string;
  apiKey: string | null;
  payloadSize: number | null;
  indexes: Record<string, { filter: Json; overrideSettings: boolean }>;
}

export function parseExport(body: unknown): ExportRequest {
  const { url, apiKey, payloadSize, indexes } = validate(exportSchema, body);
  return {
    url,
    apiKey,
    payloadSize: typeof payloadSize === "string" ? readSize(payloadSize) : payloadSize,
    indexes: (indexes ?? { "*": { filter: null, overrideSettings: false } }) as ExportRequest["indexes"],
  };
}

const UNITS: Record<string, number> = {
  "": 1,
  b: 1,
  k: 1e3,
  kb: 1e3,
  kib: 2 ** 10,
  m: 1e6,
  mb: 1e6,
  mib: 2 ** 20,
  g: 1e9,
  gb: 1e9,
  gib: 2 ** 30,
  t: 1e12,
  tb: 1e12,
  tib: 2 ** 40,
};

/** Bytes of a size such as `24MiB`, or null. */
export function readSize(size: string): number | null {
  const parts = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(size);
  if (parts === null) return null;
  const name = parts[2]!.toLowerCase();
  return Object.hasOwn(UNITS, name) ? Math.floor(Number(parts[1]) * UNITS[name]!) : null;
}

function checkSize(size: string, at: Place): void {
  if (readSize(size) === null) at.refuse(`could not parse \`${size}\` as a size.`);
}

function checkTarget(value: string, at: Place): void {
  if (value.split(",").length > limits.logTargetModules)
    at.refuse(`a log target has at most ${limits.logTargetModules} parts.`);
  if (parseTarget(value) === null)
    at.refuse(`\`${value}\` is no log target. It is a list such as \`info\` or \`info,front=debug\`.`);
}

function checkPatterns(patterns: string[], at: Place): void {
  const wrong = patterns.find((pattern) => !isIndexPattern(pattern));
  if (wrong !== undefined) at.refuse(`\`${wrong}\` is not a valid index uid pattern.`);
}
