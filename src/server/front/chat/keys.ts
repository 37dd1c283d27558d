/**
 * Keys of model providers that the operator has put into the environment, for workspaces without one. Whoever may name an address must
 * not get such a key sent there: it goes to the provider's own address, and to the origins that the operator lists.
 */
import type { ChatSource } from "../../../base/contract/chats.ts";
import { originsIn } from "../../../base/net/origins.ts";

interface Variables {
  /** The first that is set counts. */
  keys: readonly string[];
  /** Origins besides the provider's own. */
  origins: string;
}

const VARIABLES: Record<ChatSource, Variables> = {
  openAi: { keys: ["MEILI_OPENAI_API_KEY", "OPENAI_API_KEY"], origins: "MEILI_OPENAI_KEY_ORIGINS" },
  mistral: { keys: ["MEILI_MISTRAL_API_KEY", "MISTRAL_API_KEY"], origins: "MEILI_MISTRAL_KEY_ORIGINS" },
  azureOpenAi: {
    keys: ["MEILI_AZURE_OPENAI_API_KEY", "AZURE_OPENAI_API_KEY"],
    origins: "MEILI_AZURE_OPENAI_KEY_ORIGINS",
  },
  vLlm: { keys: ["MEILI_VLLM_API_KEY", "VLLM_API_KEY"], origins: "MEILI_VLLM_KEY_ORIGINS" },
};

/** Null when there is none, or it may not go to that address. `ownOrigin`: that of the provider, if it has one. */
export function environmentKey(
  source: ChatSource,
  url: string,
  ownOrigin: string | null,
  env: NodeJS.ProcessEnv,
): string | null {
  const { keys, origins } = VARIABLES[source];
  const key = keys.map((name) => env[name]).find((value) => value !== undefined && value !== "");
  if (key === undefined || !URL.canParse(url)) return null;
  const { origin } = new URL(url);
  return origin === ownOrigin || originsIn(env[origins]).includes(origin) ? key : null;
}
