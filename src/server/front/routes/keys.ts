/** API keys: create, list, show, change, delete. */

import { parseCreateKey, parseKeyList, parsePatchKey } from "../../../base/contract/keys.ts";
import { apiKeyNotFound, missingMasterKey } from "../../../base/errors/errors.ts";
import { type KeyRing, type KeyView, keyView } from "../../../engine/auth/keys.ts";
import type { KeyRecord } from "../../../storage/store/store.ts";
import { emptyAnswer, jsonAnswer } from "../answer.ts";
import { listAnswer } from "../list-answer.ts";
import type { ApiRoute, Services } from "../services.ts";

export function keyRoutes(services: Services): ApiRoute[] {
  const ring = (): KeyRing => {
    if (services.keys === null) throw missingMasterKey();
    return services.keys;
  };
  const find = (keyOrUid: string): KeyRecord => {
    const key = ring().find(keyOrUid);
    if (key === null) throw apiKeyNotFound(keyOrUid);
    return key;
  };
  const view = (key: KeyRecord): KeyView => keyView(key, ring().valueOf(key));
  return [
    {
      method: "GET",
      path: "/keys",
      action: "keys.get",
      body: "ignored",
      handle: (request) => {
        const { offset, limit } = parseKeyList(request.query);
        const keys = ring().list();
        return listAnswer(keys.slice(offset, offset + limit), view, { offset, limit, total: keys.length });
      },
    },
    {
      method: "POST",
      path: "/keys",
      action: "keys.create",
      body: "wanted",
      handle: async (request) => jsonAnswer(201, view(await ring().create(parseCreateKey(request.json())))),
    },
    {
      method: "GET",
      path: "/keys/{key}",
      action: "keys.get",
      body: "ignored",
      handle: (request) => jsonAnswer(200, view(find(request.param("key")))),
    },
    {
      method: "PATCH",
      path: "/keys/{key}",
      action: "keys.update",
      body: "wanted",
      handle: async (request) => {
        const changes = parsePatchKey(request.json());
        return jsonAnswer(200, view(await ring().update(find(request.param("key")).uid, changes)));
      },
    },
    {
      method: "DELETE",
      path: "/keys/{key}",
      action: "keys.delete",
      body: "ignored",
      handle: async (request) => {
        await ring().remove(find(request.param("key")).uid);
        return emptyAnswer(204);
      },
    },
  ];
}
