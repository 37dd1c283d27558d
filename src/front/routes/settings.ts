/** Settings of an index: the whole object, and one route per setting from the table in the contract. */
import { parseSetting, parseSettings, SETTING_ROUTES, type WritableSetting } from "../../contract/settings.ts";
import { resetAllSettings } from "../../index/settings-update.ts";
import { settingsView, settingView } from "../../index/settings-view.ts";
import type { JsonObject } from "../../tasks/task.ts";
import { type Answer, jsonAnswer } from "../answer.ts";
import type { ApiRoute, Request, Services } from "../services.ts";
import { enqueue, indexUidOf, withIndex } from "./common.ts";

export function settingsRoutes(services: Services): ApiRoute[] {
  return [...wholeRoutes(services), ...SETTING_ROUTES.flatMap((route) => settingRoutes(services, route))];
}

function wholeRoutes(services: Services): ApiRoute[] {
  const path = "/indexes/{index_uid}/settings";
  return [
    {
      method: "GET",
      path,
      action: "settings.get",
      body: "ignored",
      handle: (request) =>
        withIndex(services, indexUidOf(request), (index) =>
          jsonAnswer(200, settingsView(index.settings, services.features.current)),
        ),
    },
    {
      method: "PATCH",
      path,
      action: "settings.update",
      body: "wanted",
      handle: (request) => {
        const uid = indexUidOf(request);
        return update(services, request, uid, parseSettings(request.json(), services.features.current));
      },
    },
    {
      method: "DELETE",
      path,
      action: "settings.update",
      body: "ignored",
      handle: (request) => reset(services, indexUidOf(request), resetAllSettings()),
    },
  ];
}

function settingRoutes(
  services: Services,
  { name, segment, verb }: { name: WritableSetting; segment: string; verb: "PUT" | "PATCH" },
): ApiRoute[] {
  const path = `/indexes/{index_uid}/settings/${segment}`;
  // The mission documents the chat setting with one verb and shows it with the other.
  const verbs = name === "chat" ? (["PUT", "PATCH"] as const) : [verb];
  return [
    {
      method: "GET",
      path,
      action: "settings.get",
      body: "ignored",
      handle: (request) =>
        withIndex(services, indexUidOf(request), (index) => jsonAnswer(200, settingView(index.settings, name))),
    },
    ...verbs.map(
      (method): ApiRoute => ({
        method,
        path,
        action: "settings.update",
        body: "wanted",
        handle: (request) => {
          const uid = indexUidOf(request);
          return update(services, request, uid, parseSetting(name, request.json(), services.features.current));
        },
      }),
    ),
    {
      method: "DELETE",
      path,
      action: "settings.update",
      body: "ignored",
      handle: (request) => reset(services, indexUidOf(request), { [name]: null }),
    },
  ];
}

function update(services: Services, request: Request, uid: string, settings: JsonObject): Promise<Answer> {
  const allowIndexCreation = request.grant.mayCreateIndex(uid);
  return enqueue(services, { type: "settingsUpdate", settings, isDeletion: false, allowIndexCreation }, uid);
}

/** Resetting never creates an index: its task fails when there is none. */
function reset(services: Services, uid: string, settings: JsonObject): Promise<Answer> {
  return enqueue(services, { type: "settingsUpdate", settings, isDeletion: true, allowIndexCreation: false }, uid);
}
