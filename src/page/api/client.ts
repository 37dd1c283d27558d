/** Requests to the server that served the page, with the key of this tab. */
import { clusterNode } from "../state/cluster-node.ts";
import { key, refusedKey } from "../state/key.ts";
import { NO_KEYS, problemIn, UNREACHABLE, wantsKey } from "./problem.ts";

interface Asked {
  body?: unknown;
  signal?: AbortSignal;
}

export function authorization(): Record<string, string> {
  return key.value === "" ? {} : { Authorization: `Bearer ${key.value}` };
}

/** The answer before its body is read; throws what the server refused. */
export async function open(method: string, path: string, { body, signal }: Asked = {}): Promise<Response> {
  const headers: Record<string, string> = authorization();
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const response = await fetch(path, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  }).catch((error: Error) => {
    throw error.name === "AbortError" ? error : UNREACHABLE;
  });
  clusterNode.value = response.headers.get("X-Sabre-Node");
  if (response.ok) return response;
  const problem = problemIn(response.status, await response.text());
  // A server without a master key has no keys at all: no other key would do.
  if (wantsKey(problem) && problem.code !== NO_KEYS) refusedKey.value = problem.message;
  throw problem;
}

export async function ask<T>(method: string, path: string, asked: Asked = {}): Promise<T> {
  const response = await open(method, path, asked);
  return (response.status === 204 ? null : await response.json()) as T;
}

export function indexPath(uid: string, rest = ""): string {
  return `/indexes/${encodeURIComponent(uid)}${rest}`;
}
