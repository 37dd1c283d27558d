/**
 * The answer to a request for a conversation: a stream of events that lasts as long as the model and its searches. What can
 * be refused is refused before the stream begins; what goes wrong later is one of its events.
 */

import { type Completion, reportsOf } from "../../../base/contract/chat-completions.ts";
import { parseJson } from "../../../base/contract/json-body.ts";
import { ApiError, type ErrorBody } from "../../../base/errors/errors.ts";
import type { JsonObject } from "../../../base/json/value.ts";
import { sentScope } from "../../../engine/auth/scope.ts";
import type { DescribedIndex } from "../../../engine/link/requests.ts";
import type { IndexView } from "../../../storage/index/view.ts";
import { settingView } from "../../../storage/settings/view.ts";

import { type Answer, type AnswerStream, STREAM_HEADERS } from "../answer.ts";
import { withIndex } from "../routes/common.ts";
import type { Request, Services } from "../services.ts";
import { CHAT_BOUNDS } from "./bounds.ts";
import { converse, type Talk } from "./conversation.ts";
import { COMMENT, retryAfter } from "./events.ts";
import { addressOf, instructingRole } from "./provider.ts";
import { type FoundText, type SearchableIndex, searchTool } from "./search-tool.ts";

const RETRY_MS = 10_000;
/** A connection on which nothing moves for ten seconds is closed, and models take their time. */
const SIGN_OF_LIFE_MS = 4000;

export interface FoundDocuments {
  hits: JsonObject[];
  facetDistribution?: Record<string, Record<string, number>>;
}

/** A search in one index, as the caller may see it. */
type Find = (indexUid: string, query: JsonObject) => Promise<FoundDocuments>;

/** `gone` is aborted when the client leaves, and in any case when the conversation is over. */
export async function conversation(
  services: Services,
  request: Request,
  completion: Completion,
  settings: JsonObject,
  find: Find,
  gone: AbortController,
): Promise<Answer> {
  const reports = reportsOf(completion);
  const prompts = settings["prompts"] as JsonObject;
  const talk: Omit<Talk, "write"> = {
    completion,
    instructions: { role: instructingRole(settings, completion.model), content: prompts["system"] ?? "" },
    searchTool: searchTool(prompts, await searchableIndexes(services, request, find)),
    reports,
    address: addressOf(settings, process.env),
    bounds: CHAT_BOUNDS,
    outgoing: services.outgoing,
    search: (parameters) => searchOnce(services, parameters, find),
    signal: gone.signal,
  };
  return {
    status: 200,
    contentType: "text/event-stream",
    body: null,
    headers: STREAM_HEADERS,
    stream: (out) => void stream(out, talk, gone),
  };
}

async function stream(out: AnswerStream, talk: Omit<Talk, "write">, gone: AbortController): Promise<void> {
  let resume: (() => void) | null = null;
  const goOn = () => resume?.();
  out.onDrain(goOn);
  out.onClose(() => {
    gone.abort();
    goOn();
  });
  const write = async (chunk: string): Promise<void> => {
    if (out.write(chunk) || gone.signal.aborted) return;
    await new Promise<void>((drained) => {
      resume = drained;
    });
    resume = null;
  };
  const signs = setInterval(() => {
    if (resume === null) out.write(COMMENT);
  }, SIGN_OF_LIFE_MS);
  try {
    await write(retryAfter(RETRY_MS));
    await converse({ ...talk, write });
  } finally {
    clearInterval(signs);
    out.end();
    gone.abort();
  }
}

/** Those the caller may use, with what a model should know of them. */
async function searchableIndexes(services: Services, request: Request, find: Find): Promise<SearchableIndex[]> {
  const described = await describedIndexes(services, request);
  return Promise.all(
    described.map(async ({ uid, description, isFilterable }) => ({
      uid,
      description,
      facets: isFilterable ? await facetsOf(uid, find) : {},
    })),
  );
}

/** By a reader: the settings of many indexes are more than the front may read. */
async function describedIndexes({ readers }: Services, request: Request): Promise<DescribedIndex[]> {
  const { status, body } = await readers.request(
    "indexes.described",
    { scope: sentScope(request.grant) },
    null,
    request,
  );
  const told = parseJson(body);
  if (status === 200) return told as DescribedIndex[];
  const { code, message } = told as ErrorBody;
  throw new ApiError(code, message, status);
}

/** None for an index that cannot be searched: the model is told why when it tries. */
async function facetsOf(uid: string, find: Find): Promise<SearchableIndex["facets"]> {
  try {
    return (await find(uid, { q: "", limit: 0, facets: ["*"] })).facetDistribution ?? {};
  } catch {
    return {};
  }
}

async function searchOnce(services: Services, parameters: JsonObject, find: Find): Promise<FoundText> {
  const { index_uid, q, filter } = parameters;
  const uid = String(index_uid);
  const chat = withIndex(services, uid, chatOf);
  const { hits } = await find(uid, { ...chat.parameters, q: q ?? "", filter: filter === "" ? null : (filter ?? null) });
  const header = { indexUid: uid, template: chat.template, bytesMax: chat.bytesMax };
  const { status, body } = await services.readers.request(
    "render.found",
    header,
    Buffer.from(JSON.stringify(hits)),
    null,
  );
  const rendered = parseJson(body);
  if (status === 200) return { documents: hits, text: (rendered as string[]).join("\n") };
  const { code, message } = rendered as ErrorBody;
  throw new ApiError(code, message, status);
}

function chatOf({ settings }: IndexView): { template: string; bytesMax: number; parameters: JsonObject } {
  const chat = settingView(settings, "chat") as JsonObject;
  const parameters = Object.entries(chat["searchParameters"] as JsonObject).filter(([, value]) => value !== null);
  return {
    template: String(chat["documentTemplate"]),
    bytesMax: Number(chat["documentTemplateMaxBytes"]),
    parameters: Object.fromEntries(parameters),
  };
}
