/**
 * Embedders that are asked over HTTP, as data: the same few facts for `rest`, `openAi` and `ollama`.
 * Asking them is `RemoteEmbedder`'s part.
 */

import { hasFragments, OPENAI_DEFAULT_MODEL, openAiModel } from "../../../base/contract/embedders.ts";
import { EMBEDDING, FRAGMENT, REPEAT, TEXT } from "../../../base/contract/rest-template.ts";
import type { Json, JsonObject } from "../../../base/json/value.ts";
import { askedHeaders } from "../../../base/net/asked-headers.ts";
import { type EmbedEnvironment, EmbedError } from "./embedder.ts";
import { compileRequest, compileResponse, type RequestTemplate, type ResponseReader } from "./rest-template.ts";

export interface Provider {
  url: string;
  /** Nobody but the operator has named the address: it comes from the environment, or is the default. */
  isOperators: boolean;
  headers: Record<string, string>;
  request: RequestTemplate;
  read: ResponseReader;
  /** What goes into a request. */
  takes: "text" | "fragment";
  /** What to do when it refuses the key. */
  keyAdvice: string;
  dimensions: number | null;
  /** Lengths to which a text is cut, one after the other, when the provider finds fault with it. */
  cutBytes: readonly number[];
}

const CHECK_KEY = "check `apiKey`";
const OPENAI_URL = "https://api.openai.com/v1/embeddings";
/**
 * Hosted models take 8191 tokens. A token has about four bytes in most texts, and never less than one: the second
 * length fits always.
 */
const OPENAI_TOKENS_MAX = 8191;
const OPENAI_CUT_BYTES = [4 * OPENAI_TOKENS_MAX, OPENAI_TOKENS_MAX];

const OLLAMA_URL = "http://localhost:11434/api/embeddings";

export function restProvider(settings: JsonObject): Provider {
  const takes = hasFragments(settings) ? "fragment" : "text";
  return {
    url: checkedUrl(textOf(settings["url"]) ?? ""),
    isOperators: false,
    headers: headersOf(textOf(settings["apiKey"]), settings["headers"]),
    request: compileRequest(settings["request"] ?? null, takes === "fragment" ? FRAGMENT : TEXT),
    read: compileResponse(settings["response"] ?? null),
    takes,
    keyAdvice: CHECK_KEY,
    dimensions: numberOf(settings["dimensions"]),
    cutBytes: [],
  };
}

/** Whoever may name an address must not get the operator's key sent there: only the operator says where it may go. */
export function openAiProvider(settings: JsonObject, environment: EmbedEnvironment): Provider {
  const { openAiKey, openAiKeyOrigins } = environment;
  const model = textOf(settings["model"]) ?? OPENAI_DEFAULT_MODEL;
  const known = openAiModel(settings);
  const dimensions = numberOf(settings["dimensions"]);
  const request: JsonObject = { model, input: [TEXT, REPEAT] };
  if (dimensions !== null && known?.fixed !== true) request["dimensions"] = dimensions;
  const url = checkedUrl(textOf(settings["url"]) ?? OPENAI_URL);
  const { origin } = new URL(url);
  const ownKey = textOf(settings["apiKey"]);
  const trusted = origin === new URL(OPENAI_URL).origin || openAiKeyOrigins.includes(origin);
  return {
    url,
    isOperators: false,
    headers: headersOf(ownKey ?? (trusted ? openAiKey : null)),
    request: compileRequest(request, TEXT),
    read: compileResponse({ data: [{ embedding: EMBEDDING }, REPEAT] }),
    takes: "text",
    keyAdvice:
      trusted || ownKey !== null || openAiKey === null
        ? CHECK_KEY
        : `set \`apiKey\`: the key of the environment goes to ${origin} only when MEILI_OPENAI_KEY_ORIGINS names it`,
    dimensions: dimensions ?? known?.dimensions ?? null,
    cutBytes: OPENAI_CUT_BYTES,
  };
}

/** The address tells which of its two interfaces a model server is asked by. */
export function ollamaProvider(settings: JsonObject, { ollamaUrl }: EmbedEnvironment): Provider {
  const named = textOf(settings["url"]);
  const url = checkedUrl(named ?? ollamaUrl ?? OLLAMA_URL);
  const path = new URL(url).pathname;
  const several = path.endsWith("/api/embed");
  if (!several && !path.endsWith("/api/embeddings")) {
    throw new EmbedError(
      "user",
      `unsupported Ollama URL \`${url}\`: it must end with \`/api/embed\` or \`/api/embeddings\``,
    );
  }
  const model = textOf(settings["model"]);
  return {
    url,
    isOperators: named === null,
    headers: headersOf(textOf(settings["apiKey"])),
    request: compileRequest(several ? { model, input: [TEXT, REPEAT] } : { model, prompt: TEXT }, TEXT),
    read: compileResponse(several ? { embeddings: [EMBEDDING, REPEAT] } : { embedding: EMBEDDING }),
    takes: "text",
    keyAdvice: CHECK_KEY,
    dimensions: numberOf(settings["dimensions"]),
    cutBytes: [],
  };
}

function headersOf(apiKey: string | null, custom: Json = {}): Record<string, string> {
  const headers: Record<string, string> = {
    accept: "application/json",
    "content-type": "application/json",
    "user-agent": "sabre-search",
  };
  if (apiKey !== null) headers["authorization"] = `Bearer ${apiKey}`;
  return { ...headers, ...askedHeaders(custom as JsonObject) };
}

function checkedUrl(url: string): string {
  if (!URL.canParse(url) || !/^https?:/i.test(url)) {
    throw new EmbedError(
      "user",
      `\`${url}\` is not an address to call; it must begin with \`http://\` or \`https://\``,
    );
  }
  return url;
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function numberOf(value: Json | undefined): number | null {
  return typeof value === "number" ? value : null;
}
