/**
 * How a secret is shown: enough to recognise it, never enough to use it.
 * For answers and task details only; what is stored stays in clear.
 */
import { isObject, type JsonObject } from "../tasks/task.ts";

export function redactSecret(secret: string): string {
  if (secret.length < 10) return "XXX...";
  if (secret.length < 20) return `${secret.slice(0, 2)}XXXX...`;
  if (secret.length < 30) return `${secret.slice(0, 3)}XXXXX...`;
  return `${secret.slice(0, 5)}XXXXXX...`;
}

/** The scheme in front of a bearer token is no secret and stays readable. */
export function redactAuthorization(value: string): string {
  const scheme = "Bearer ";
  return value.startsWith(scheme) ? scheme + redactSecret(value.slice(scheme.length)) : redactSecret(value);
}

/** Settings of an embedder, and of those it is composed of, in which API keys cannot be read. */
export function redactEmbedder(embedder: JsonObject): JsonObject {
  const shown: JsonObject = { ...embedder };
  if (typeof shown["apiKey"] === "string") shown["apiKey"] = redactSecret(shown["apiKey"]);
  for (const name of ["searchEmbedder", "indexingEmbedder"]) {
    const part = shown[name];
    if (isObject(part)) shown[name] = redactEmbedder(part);
  }
  return shown;
}
