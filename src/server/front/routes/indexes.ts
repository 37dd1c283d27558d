/** Indexes themselves: list, create, change, delete, swap, compact, and their fields. */

import {
  parseCreateIndex,
  parseIndexFields,
  parseIndexList,
  parseSwapIndexes,
  parseUpdateIndex,
} from "../../../base/contract/indexes.ts";
import { indexView } from "../../../engine/answer/stats.ts";
import { sentScope } from "../../../engine/auth/scope.ts";
import { jsonAnswer } from "../answer.ts";
import type { ApiRoute, Services } from "../services.ts";
import { askReader, enqueue, indexUidOf, withIndex } from "./common.ts";

export function indexRoutes(services: Services): ApiRoute[] {
  return [
    {
      method: "GET",
      path: "/indexes",
      action: "indexes.get",
      body: "ignored",
      handle: (request) => {
        const page = parseIndexList(request.query);
        return askReader(services, request, "indexes.list", { scope: sentScope(request.grant), ...page });
      },
    },
    {
      method: "POST",
      path: "/indexes",
      action: "indexes.create",
      body: "wanted",
      handle: (request) => {
        const { uid, primaryKey } = parseCreateIndex(request.json());
        request.grant.requireIndex(uid);
        return enqueue(services, request, { type: "indexCreation", primaryKey }, uid);
      },
    },
    {
      method: "GET",
      path: "/indexes/{index_uid}",
      action: "indexes.get",
      body: "ignored",
      handle: (request) => withIndex(services, indexUidOf(request), (index) => jsonAnswer(200, indexView(index))),
    },
    {
      method: "PATCH",
      path: "/indexes/{index_uid}",
      action: "indexes.update",
      body: "wanted",
      handle: (request) => {
        const uid = indexUidOf(request);
        const changes = parseUpdateIndex(request.json());
        // Under a name out of its reach the caller could put documents where others trust what they find.
        if (changes.newIndexUid !== null) request.grant.requireIndex(changes.newIndexUid);
        return enqueue(services, request, { type: "indexUpdate", ...changes }, uid);
      },
    },
    {
      method: "DELETE",
      path: "/indexes/{index_uid}",
      action: "indexes.delete",
      body: "ignored",
      handle: (request) => enqueue(services, request, { type: "indexDeletion" }, indexUidOf(request)),
    },
    {
      method: "POST",
      path: "/swap-indexes",
      action: "indexes.swap",
      body: "wanted",
      handle: (request) => {
        const swaps = parseSwapIndexes(request.json());
        for (const { indexes } of swaps) for (const uid of indexes) request.grant.requireIndex(uid);
        return enqueue(services, request, { type: "indexSwap", swaps }, null);
      },
    },
    {
      method: "POST",
      path: "/indexes/{index_uid}/compact",
      action: "indexes.compact",
      body: "ignored",
      handle: (request) => enqueue(services, request, { type: "indexCompaction" }, indexUidOf(request)),
    },
    {
      method: "POST",
      path: "/indexes/{index_uid}/fields",
      action: "fields.post",
      body: "wanted",
      handle: (request) => {
        const indexUid = indexUidOf(request);
        const { offset, limit, filter } = parseIndexFields(request.json());
        return askReader(services, request, "fields", { indexUid, offset, limit, filter: filter ?? {} });
      },
    },
  ];
}
