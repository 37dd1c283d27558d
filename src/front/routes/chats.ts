/** Chat workspaces and their settings. The conversation itself is another route's business. */
import { parseChatList, parseChatWorkspace } from "../../contract/chats.ts";
import { parseIndexUid } from "../../contract/names.ts";
import { type Answer, emptyAnswer, jsonAnswer } from "../answer.ts";
import type { ApiRoute, Request, Services } from "../services.ts";
import { demandFeature } from "./common.ts";

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
  ];
}
