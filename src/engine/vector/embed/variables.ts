/** What environment variables say about embedders. */
import { originsIn } from "../../../base/net/origins.ts";
import { DEFAULT_HUB } from "./local/hub.ts";

export interface EmbedVariables {
  openAiKey: string | null;
  /** Origins besides the provider's own that its key may be sent to. */
  openAiKeyOrigins: readonly string[];
  ollamaUrl: string | null;
  /** Where models are downloaded from. */
  hubUrl: string;
  requestTimeoutMs: number;
  retryMsMax: number;
}

const REQUEST_TIMEOUT_SECONDS = 30;
const RETRY_SECONDS_MAX = 60;

/** Empty variables count as unset, and numbers that are none as their defaults. */
export function embedVariables(env: NodeJS.ProcessEnv): EmbedVariables {
  return {
    openAiKey: env["MEILI_OPENAI_API_KEY"] || env["OPENAI_API_KEY"] || null,
    openAiKeyOrigins: originsIn(env["MEILI_OPENAI_KEY_ORIGINS"]),
    ollamaUrl: env["MEILI_OLLAMA_URL"] || null,
    hubUrl: URL.canParse(env["HF_ENDPOINT"] ?? "") ? env["HF_ENDPOINT"]! : DEFAULT_HUB,
    requestTimeoutMs: seconds(env["MEILI_EXPERIMENTAL_REST_EMBEDDER_TIMEOUT_SECONDS"], REQUEST_TIMEOUT_SECONDS),
    retryMsMax: seconds(env["MEILI_EXPERIMENTAL_REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS"], RETRY_SECONDS_MAX),
  };
}

function seconds(text: string | undefined, otherwise: number): number {
  const value = text !== undefined && /^\d+$/.test(text) ? Number(text) : otherwise;
  return Math.max(value, 1) * 1000;
}
