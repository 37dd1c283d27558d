/** Chat workspaces: a name and the settings of the model behind it. Talks to no model. */

import { type ChatWorkspaceChange, checkChatWorkspace } from "../../../base/contract/chats.ts";
import { chatNotFound } from "../../../base/errors/errors.ts";
import { redactSecret } from "../../../base/json/secrets.ts";
import type { Json, JsonObject } from "../../../base/json/value.ts";
import type { Store } from "../../../storage/store/store.ts";

/** What the model is told unless the workspace says otherwise. */
const DEFAULT_PROMPTS: JsonObject = {
  system:
    "You answer questions with the help of a search engine. Search before you answer whenever the conversation " +
    "does not already contain the facts, base the answer on what the search returned, and say so when it returned nothing useful.",
  searchDescription: "Searches the documents that may hold the answer. Use it for every question about their content.",
  searchQParam: "The words to search for: few, specific, in the language of the documents.",
  searchFilterParam:
    "A filter expression that restricts the search, such as `genre = comedy AND year > 2000`. Leave it empty when unsure.",
  searchIndexUidParam: "The index to search: choose it by its description.",
};

const PLAIN_FIELDS = ["orgId", "projectId", "apiVersion", "deploymentId", "baseUrl", "apiKey"] as const;
const DEFAULT_SOURCE = "openAi";

export class Chats {
  readonly #store: Pick<Store, "chats" | "write">;

  constructor(store: Pick<Store, "chats" | "write">) {
    this.#store = store;
  }

  list(offset: number, limit: number): { results: { uid: string }[]; total: number } {
    const uids = [...this.#store.chats.keys()];
    return { results: uids.slice(offset, offset + limit).map((uid) => ({ uid })), total: uids.length };
  }

  /** Settings with the key in clear: for calling the model. */
  settings(workspace: string): JsonObject {
    const settings = this.#store.chats.get(workspace);
    if (settings === undefined) throw chatNotFound(workspace);
    return settings;
  }

  view(workspace: string): JsonObject {
    return viewOf(this.settings(workspace));
  }

  /** Creates the workspace when it is new. Null resets a field, a prompt to its built-in text. */
  async update(workspace: string, changes: ChatWorkspaceChange): Promise<JsonObject> {
    const before = this.#store.chats.get(workspace) ?? defaultSettings();
    const next: JsonObject = { ...before };
    if (changes.source !== undefined) next["source"] = changes.source ?? DEFAULT_SOURCE;
    for (const name of PLAIN_FIELDS) if (changes[name] !== undefined) next[name] = changes[name];
    if (changes.prompts !== undefined) next["prompts"] = mergePrompts(before["prompts"], changes.prompts);
    checkChatWorkspace(next as ChatWorkspaceChange);
    await this.#put(workspace, next);
    return viewOf(next);
  }

  async reset(workspace: string): Promise<JsonObject> {
    this.settings(workspace);
    await this.#put(workspace, defaultSettings());
    return viewOf(defaultSettings());
  }

  async remove(workspace: string): Promise<void> {
    this.settings(workspace);
    await this.#store.write(() => this.#store.chats.remove(workspace));
  }

  #put(workspace: string, settings: JsonObject): Promise<void> {
    return this.#store.write(() => this.#store.chats.put(workspace, settings));
  }
}

function defaultSettings(): JsonObject {
  const settings: JsonObject = { source: DEFAULT_SOURCE };
  for (const name of PLAIN_FIELDS) settings[name] = null;
  return { ...settings, prompts: { ...DEFAULT_PROMPTS } };
}

function mergePrompts(before: Json | undefined, changes: ChatWorkspaceChange["prompts"]): JsonObject {
  if (changes == null) return { ...DEFAULT_PROMPTS };
  const prompts = { ...DEFAULT_PROMPTS, ...(before as JsonObject | undefined) };
  for (const [name, text] of Object.entries(changes)) prompts[name] = text ?? DEFAULT_PROMPTS[name]!;
  return prompts;
}

function viewOf(settings: JsonObject): JsonObject {
  const apiKey = settings["apiKey"];
  return typeof apiKey === "string" ? { ...settings, apiKey: redactSecret(apiKey) } : settings;
}
