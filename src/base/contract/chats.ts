/** What clients may ask of chat workspaces: list them, change their settings. Parsing only. */

import { badRequest } from "../errors/errors.ts";
import { limits } from "../limits.ts";
import { countParam, readQuery } from "./query.ts";
import { choice, object, resettable, text } from "./schema.ts";
import { validate } from "./validate.ts";

const CHAT_SOURCES = ["openAi", "mistral", "azureOpenAi", "vLlm"] as const;
export type ChatSource = (typeof CHAT_SOURCES)[number];

interface ChatPromptsChange {
  system?: string | null;
  searchDescription?: string | null;
  searchQParam?: string | null;
  searchFilterParam?: string | null;
  searchIndexUidParam?: string | null;
}

/** Absent keeps, null resets. */
export interface ChatWorkspaceChange {
  source?: ChatSource | null;
  orgId?: string | null;
  projectId?: string | null;
  apiVersion?: string | null;
  deploymentId?: string | null;
  baseUrl?: string | null;
  apiKey?: string | null;
  prompts?: ChatPromptsChange | null;
}

const prompts = object({
  system: resettable(text({ code: "invalid_chat_completion_system_prompt" })),
  searchDescription: resettable(text({ code: "invalid_chat_completion_search_description_prompt" })),
  searchQParam: resettable(text({ code: "invalid_chat_completion_search_query_param_prompt" })),
  searchFilterParam: resettable(text({ code: "invalid_chat_completion_search_filter_param_prompt" })),
  searchIndexUidParam: resettable(text({ code: "invalid_chat_completion_search_index_uid_param_prompt" })),
});

export const chatWorkspaceSchema = object({
  source: resettable(choice([...CHAT_SOURCES])),
  orgId: resettable(text({ code: "invalid_chat_completion_org_id" })),
  projectId: resettable(text({ code: "invalid_chat_completion_project_id" })),
  apiVersion: resettable(text({ code: "invalid_chat_completion_api_version" })),
  deploymentId: resettable(text({ code: "invalid_chat_completion_deployment_id" })),
  baseUrl: resettable(text({ code: "invalid_chat_completion_base_api" })),
  apiKey: resettable(text({ code: "invalid_chat_completion_api_key" })),
  prompts: resettable(prompts),
});

export function parseChatWorkspace(body: unknown): ChatWorkspaceChange {
  return validate(chatWorkspaceSchema, body);
}

/** Refuses settings that their source cannot work with; for the merged settings, before they are stored. */
export function checkChatWorkspace(settings: ChatWorkspaceChange): void {
  const source = settings.source ?? "openAi";
  const needed = {
    openAi: [],
    mistral: [],
    azureOpenAi: ["baseUrl", "deploymentId", "apiVersion"],
    vLlm: ["baseUrl"],
  } as const;
  const absent = needed[source].find((field) => settings[field] == null);
  if (absent !== undefined) throw badRequest(`The field \`${absent}\` is mandatory for the source \`${source}\`.`);
}

export const chatListParams = { offset: countParam("bad_request"), limit: countParam("bad_request", limits.pageItems) };

export function parseChatList(query: string): { offset: number; limit: number } {
  return readQuery(query, chatListParams);
}
