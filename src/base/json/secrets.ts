/**
 * How a secret is shown: enough to recognise it, never enough to use it.
 * For answers and task details only; what is stored stays in clear.
 */
import { isObject, type Json, type JsonObject, mapped } from "./value.ts";

export function redactSecret(secret: string): string {
  if (secret.length < 10) return "XXX...";
  if (secret.length < 20) return `${secret.slice(0, 2)}XXXX...`;
  if (secret.length < 30) return `${secret.slice(0, 3)}XXXXX...`;
  return `${secret.slice(0, 5)}XXXXXX...`;
}

/** The scheme in front of a bearer token is no secret and stays readable. */
export function redactHeader(value: string): string {
  const scheme = "Bearer ";
  return value.startsWith(scheme) ? scheme + redactSecret(value.slice(scheme.length)) : redactSecret(value);
}

/** Headers that tell what is sent or wanted, never who sends it. */
const PLAIN_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-charset",
  "accept-encoding",
  "accept-language",
  "content-encoding",
  "content-language",
  "content-type",
  "user-agent",
]);

/** Providers take their keys in headers of any name, so all but those known to be harmless are hidden. */
export function redactHeaders(headers: JsonObject): JsonObject {
  const shown = Object.entries(headers).map(([name, value]): [string, Json] =>
    PLAIN_HEADERS.has(name.toLowerCase()) || typeof value !== "string" ? [name, value] : [name, redactHeader(value)],
  );
  return Object.fromEntries(shown);
}

/** Settings of an embedder, and of those it is composed of, in which neither API keys nor headers can be read. */
export function redactEmbedder(embedder: JsonObject): JsonObject {
  const shown: JsonObject = { ...embedder };
  if (typeof shown["apiKey"] === "string") shown["apiKey"] = redactSecret(shown["apiKey"]);
  if (isObject(shown["headers"])) shown["headers"] = redactHeaders(shown["headers"]);
  for (const name of ["searchEmbedder", "indexingEmbedder"]) {
    const part = shown[name];
    if (isObject(part)) shown[name] = redactEmbedder(part);
  }
  return shown;
}

/** A change of an embedder in which what was given back as it had been shown, unread, stands for what is stored. */
export function withStoredSecrets(change: JsonObject, stored: JsonObject): JsonObject {
  const shown = redactEmbedder({ apiKey: stored["apiKey"] ?? null, headers: stored["headers"] ?? null });
  const restored: JsonObject = { ...change };
  if (change["apiKey"] !== undefined && change["apiKey"] === shown["apiKey"]) restored["apiKey"] = stored["apiKey"]!;
  const { headers } = change;
  if (isObject(headers) && isObject(stored["headers"]) && isObject(shown["headers"])) {
    const [secret, visible] = [stored["headers"], shown["headers"]];
    const values = Object.entries(headers).map(([name, value]): [string, Json] =>
      Object.hasOwn(visible, name) && visible[name] === value ? [name, secret[name]!] : [name, value],
    );
    restored["headers"] = Object.fromEntries(values);
  }
  return restored;
}

/** A copy of submitted settings in which the API keys of embedders cannot be read. */
export function redactSettings(settings: JsonObject): JsonObject {
  const { embedders } = settings;
  if (!isObject(embedders)) return { ...settings };
  const shown = mapped(embedders, (embedder) => (isObject(embedder) ? redactEmbedder(embedder) : embedder));
  return { ...settings, embedders: shown };
}
