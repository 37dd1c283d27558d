/** Where the model of a workspace is, and how it wants to be addressed. Sends nothing. */

import type { ChatSource } from "../../../base/contract/chats.ts";
import type { JsonObject } from "../../../base/json/value.ts";

import { environmentKey } from "./keys.ts";

export interface ModelAddress {
  url: string;
  headers: Record<string, string>;
}

const DEFAULT_BASES: Partial<Record<ChatSource, string>> = {
  openAi: "https://api.openai.com/v1",
  mistral: "https://api.mistral.ai/v1",
};

/** Those that know the role `system` and not yet `developer`. */
const OLDER_MODEL = /^(?:chat)?gpt-(?:3\.5|4|4\.\d|4o)(?:-|$)/;

/** `env`: where the key comes from when the workspace has none. */
export function addressOf(settings: JsonObject, env: NodeJS.ProcessEnv): ModelAddress {
  const source = sourceOf(settings);
  const provider = DEFAULT_BASES[source] ?? null;
  const base = (textOf(settings, "baseUrl") ?? provider ?? "").replace(/\/+$/, "");
  const ownOrigin = provider === null ? null : new URL(provider).origin;
  const key = textOf(settings, "apiKey") ?? environmentKey(source, base, ownOrigin, env);
  const headers: Record<string, string> = { "content-type": "application/json", accept: "text/event-stream" };
  if (source === "azureOpenAi") {
    if (key !== null) headers["api-key"] = key;
    const deployment = encodeURIComponent(textOf(settings, "deploymentId") ?? "");
    const version = encodeURIComponent(textOf(settings, "apiVersion") ?? "");
    return { url: `${base}/openai/deployments/${deployment}/chat/completions?api-version=${version}`, headers };
  }
  if (key !== null) headers["authorization"] = `Bearer ${key}`;
  if (source === "openAi") {
    const organization = textOf(settings, "orgId");
    const project = textOf(settings, "projectId");
    if (organization !== null) headers["openai-organization"] = organization;
    if (project !== null) headers["openai-project"] = project;
  }
  return { url: `${base}/chat/completions`, headers };
}

/** In which role the model takes instructions. */
export function instructingRole(settings: JsonObject, model: string): "system" | "developer" {
  const source = sourceOf(settings);
  const isNewer = (source === "openAi" || source === "azureOpenAi") && !OLDER_MODEL.test(model);
  return isNewer ? "developer" : "system";
}

function sourceOf(settings: JsonObject): ChatSource {
  return (settings["source"] ?? "openAi") as ChatSource;
}

function textOf(settings: JsonObject, name: string): string | null {
  const value = settings[name];
  return typeof value === "string" ? value : null;
}
