/** Dynamic search rules: listed and shown from the store, changed through tasks. */

import { parseMetadataQuery } from "../../../base/contract/documents.ts";
import { parseIndexUid } from "../../../base/contract/names.ts";
import { parseSearchRule, parseSearchRuleList } from "../../../base/contract/search-rules.ts";
import type { JsonObject } from "../../../base/json/value.ts";

import { jsonAnswer } from "../answer.ts";
import { listAnswer } from "../list-answer.ts";
import type { ApiRoute, Request, Services } from "../services.ts";
import { demandFeature, enqueue } from "./common.ts";

const ALL = "/dynamic-search-rules";
const ONE = `${ALL}/{uid}`;

export function searchRuleRoutes(services: Services): ApiRoute[] {
  const demand = (): void => demandFeature(services, "dynamicSearchRules", "Using the /dynamic-search-rules routes");
  const uidOf = (request: Request): string => parseIndexUid(request.param("uid"));
  return [
    {
      method: "POST",
      path: ALL,
      action: "dynamicSearchRules.get",
      body: "wanted",
      handle: async (request) => {
        const { offset, limit, filter } = parseSearchRuleList(request.json());
        demand();
        const rules = await services.rules.list(filter ?? { query: null, active: null });
        return listAnswer(rules.slice(offset, offset + limit), (rule) => rule, { offset, limit, total: rules.length });
      },
    },
    {
      method: "DELETE",
      path: ALL,
      action: "dynamicSearchRules.delete",
      body: "ignored",
      handle: (request) => {
        const metadata = parseMetadataQuery(request.query);
        demand();
        return enqueue(services, request, { type: "dsrClear" }, null, metadata);
      },
    },
    {
      method: "GET",
      path: ONE,
      action: "dynamicSearchRules.get",
      body: "ignored",
      handle: (request) => {
        const uid = uidOf(request);
        demand();
        return jsonAnswer(200, services.rules.get(uid));
      },
    },
    {
      method: "PATCH",
      path: ONE,
      action: "dynamicSearchRules.update",
      body: "wanted",
      handle: (request) => {
        const uid = uidOf(request);
        const metadata = parseMetadataQuery(request.query);
        const update = parseSearchRule(request.json()) as JsonObject;
        demand();
        return enqueue(services, request, { type: "dsrUpdate", uid, update }, null, metadata);
      },
    },
    {
      method: "DELETE",
      path: ONE,
      action: "dynamicSearchRules.delete",
      body: "ignored",
      handle: (request) => {
        const uid = uidOf(request);
        const metadata = parseMetadataQuery(request.query);
        demand();
        return enqueue(services, request, { type: "dsrUpdate", uid, update: null }, null, metadata);
      },
    },
  ];
}
