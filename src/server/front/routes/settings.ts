/** Settings of an index: the whole object, and one route per setting from the table in the contract. */

import { SETTING_ROUTES, type SettingRoute, type WritableSetting } from "../../../base/contract/settings.ts";
import type { JsonObject } from "../../../base/json/value.ts";
import { resetAllSettings } from "../../../storage/settings/update.ts";
import { settingsView, settingView } from "../../../storage/settings/view.ts";

import { type Answer, jsonAnswer } from "../answer.ts";
import type { ApiRoute, Request, Services } from "../services.ts";
import { enqueueBody, LONG_SHOWN } from "../task-bodies.ts";
import { askReader, enqueue, indexUidOf, withIndex } from "./common.ts";

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
      handle: (request) => shown(services, request, null),
    },
    {
      method: "PATCH",
      path,
      action: "settings.update",
      body: "wanted",
      ...LONG_SHOWN,
      handle: (request) => {
        const uid = indexUidOf(request);
        const allowIndexCreation = request.grant.mayCreateIndex(uid);
        return enqueueBody(services, request, { of: "settings", allowIndexCreation }, uid);
      },
    },
    {
      method: "DELETE",
      path,
      action: "settings.update",
      body: "ignored",
      handle: (request) => reset(services, request, resetAllSettings()),
    },
  ];
}

function settingRoutes(services: Services, { name, segment, verbs }: SettingRoute): ApiRoute[] {
  const path = `/indexes/{index_uid}/settings/${segment}`;
  return [
    {
      method: "GET",
      path,
      action: "settings.get",
      body: "ignored",
      handle: (request) => shown(services, request, name),
    },
    ...verbs.map(
      (method): ApiRoute => ({
        method,
        path,
        action: "settings.update",
        body: "wanted",
        ...LONG_SHOWN,
        handle: (request) => {
          const uid = indexUidOf(request);
          const allowIndexCreation = request.grant.mayCreateIndex(uid);
          return enqueueBody(services, request, { of: "setting", setting: name, allowIndexCreation }, uid);
        },
      }),
    ),
    {
      method: "DELETE",
      path,
      action: "settings.update",
      body: "ignored",
      handle: (request) => reset(services, request, { [name]: null }),
    },
  ];
}

/** All settings, or one: long ones take longer to read and write than the front may work on one request. */
function shown(services: Services, request: Request, setting: WritableSetting | null): Answer | Promise<Answer> {
  const indexUid = indexUidOf(request);
  const features = services.features.current;
  const answer = withIndex(services, indexUid, ({ settings, hasLongSettings }) => {
    if (hasLongSettings) return null;
    return jsonAnswer(200, setting === null ? settingsView(settings, features) : settingView(settings, setting));
  });
  return answer ?? askReader(services, request, "settings", { indexUid, setting, features });
}

/** Resetting never creates an index: its task fails when there is none. */
function reset(services: Services, request: Request, settings: JsonObject): Promise<Answer> {
  const uid = indexUidOf(request);
  return enqueue(
    services,
    request,
    { type: "settingsUpdate", settings, isDeletion: true, allowIndexCreation: false },
    uid,
  );
}
