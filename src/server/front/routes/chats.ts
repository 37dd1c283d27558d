/** Chat workspaces: their settings, and conversations with the models behind them. */

import { type Completion, parseCompletion, refuseUnstreamed } from "../../../base/contract/chat-completions.ts";
import { parseChatList, parseChatWorkspace } from "../../../base/contract/chats.ts";
import { parseJson } from "../../../base/contract/json-body.ts";
import { parseIndexUid } from "../../../base/contract/names.ts";
import { parseSearch } from "../../../base/contract/search.ts";
import { ApiError, apiError, type ErrorBody } from "../../../base/errors/errors.ts";
import type { JsonObject } from "../../../base/json/value.ts";
import { limits } from "../../../base/limits.ts";
import type { Scope } from "../../../engine/auth/scope.ts";

import { type Answer, emptyAnswer, jsonAnswer } from "../answer.ts";
import { conversation, type FoundDocuments } from "../chat/answer.ts";
import { ClientRequest } from "../request.ts";
import type { ApiRoute, Request, Services } from "../services.ts";
import { demandFeature } from "./common.ts";
import { searchParsed } from "./search.ts";

const ONE = "/chats/{workspace_uid}";
const SETTINGS = `${ONE}/settings`;

export function chatRoutes(services: Services): ApiRoute[] {
  const { chats } = services;
  const demand = (): void => demandFeature(services, "chatCompletions", "Using the /chats routes");
  const workspaceOf = (request: Request): string => parseIndexUid(request.param("workspace_uid"));
  const ofWorkspace =
    (answer: (uid: string) => Answer | Promise<Answer>) =>
    (request: Request): Answer | Promise<Answer> => {
      const uid = workspaceOf(request);
      demand();
      return answer(uid);
    };
  let held = 0;
  const converse = async (request: Request, completion: Completion, settings: JsonObject): Promise<Answer> => {
    if (held >= limits.conversations) throw tooManyConversations();
    const gone = new AbortController();
    held++;
    gone.signal.addEventListener("abort", () => held--, { once: true });
    request.onAbort(() => gone.abort());
    const find = (indexUid: string, query: JsonObject) => searchFor(services, request, indexUid, query);
    try {
      return await conversation(services, request, completion, settings, find, gone);
    } catch (refusal) {
      gone.abort();
      throw refusal;
    }
  };
  return [
    {
      method: "GET",
      path: "/chats",
      action: "chats.get",
      body: "ignored",
      handle: (request) => {
        const { offset, limit } = parseChatList(request.query);
        demand();
        const { results, total } = chats.list(offset, limit);
        return jsonAnswer(200, { results, offset, limit, total });
      },
    },
    {
      method: "GET",
      path: ONE,
      action: "chats.get",
      body: "ignored",
      handle: ofWorkspace((uid) => {
        chats.settings(uid);
        return jsonAnswer(200, { uid });
      }),
    },
    {
      method: "DELETE",
      path: ONE,
      action: "chats.delete",
      body: "ignored",
      handle: ofWorkspace(async (uid) => {
        await chats.remove(uid);
        return emptyAnswer(204);
      }),
    },
    {
      method: "GET",
      path: SETTINGS,
      action: "chatsSettings.get",
      body: "ignored",
      handle: ofWorkspace((uid) => jsonAnswer(200, chats.view(uid))),
    },
    {
      method: "PATCH",
      path: SETTINGS,
      action: "chatsSettings.update",
      body: "wanted",
      handle: async (request) => {
        const uid = workspaceOf(request);
        const changes = parseChatWorkspace(request.json());
        demand();
        return jsonAnswer(200, await chats.update(uid, changes));
      },
    },
    {
      method: "DELETE",
      path: SETTINGS,
      action: "chatsSettings.update",
      body: "ignored",
      handle: ofWorkspace(async (uid) => jsonAnswer(200, await chats.reset(uid))),
    },
    {
      method: "POST",
      path: `${ONE}/chat/completions`,
      action: "chatCompletions",
      body: "wanted",
      bodyBytesMax: limits.talkBodyBytes,
      handle: async (request) => {
        const uid = workspaceOf(request);
        const completion = parseCompletion(await request.longJson());
        demand();
        refuseUnstreamed(completion);
        return converse(request, completion, chats.settings(uid));
      },
    },
  ];
}

function tooManyConversations(): ApiError {
  return apiError(
    "too_many_search_requests",
    `Too many conversations are held already: the limit is ${limits.conversations}. Retry after 10s.`,
  );
}

/** A search on behalf of whoever talks to the model, who must be allowed to search the index. */
async function searchFor(
  services: Services,
  request: Request,
  indexUid: string,
  query: JsonObject,
): Promise<FoundDocuments> {
  const head = { ...request.head, acceptEncoding: "", includeMetadata: "", proxySearch: "" };
  const search = new ClientRequest<Scope>(head, request.route, [], performance.now());
  search.grant = services.gate.authorize(head, "search", indexUid);
  request.onAbort(() => search.abort());
  const { status, body } = await searchParsed(services, search, indexUid, parseSearch(query), null);
  const found = parseJson(Buffer.from(body ?? "")) as unknown;
  if (status === 200) return found as FoundDocuments;
  const { code, message } = found as ErrorBody;
  throw new ApiError(code, message, status);
}
