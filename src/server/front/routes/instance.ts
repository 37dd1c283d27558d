/** The instance as a whole: experimental features, dumps, snapshots, export, and the network of instances. */

import { parseFeatures } from "../../../base/contract/instance.ts";
import { parseJson } from "../../../base/contract/json-body.ts";
import { parseNetwork } from "../../../base/contract/network.ts";
import { ApiError, apiError } from "../../../base/errors/errors.ts";
import type { DividedIndex } from "../../../engine/link/requests.ts";
import { jsonAnswer } from "../answer.ts";
import type { ApiRoute, Services } from "../services.ts";
import { withMembers } from "../state/members.ts";
import { enqueueBody, LONG_SHOWN } from "../task-bodies.ts";
import { demandFeature, enqueue } from "./common.ts";

const USING_NETWORK = "Using the /network route";

export function instanceRoutes(services: Services): ApiRoute[] {
  const { features, network } = services;
  return [
    {
      method: "GET",
      path: "/experimental-features",
      action: "experimental.get",
      body: "ignored",
      handle: () => jsonAnswer(200, features.current),
    },
    {
      method: "PATCH",
      path: "/experimental-features",
      action: "experimental.update",
      body: "wanted",
      handle: async (request) => jsonAnswer(200, await features.update(parseFeatures(request.json()))),
    },
    {
      method: "POST",
      path: "/dumps",
      action: "dumps.create",
      body: "ignored",
      handle: (request) => enqueue(services, request, { type: "dumpCreation" }, null),
    },
    {
      method: "POST",
      path: "/snapshots",
      action: "snapshots.create",
      body: "ignored",
      handle: (request) => enqueue(services, request, { type: "snapshotCreation" }, null),
    },
    {
      method: "POST",
      path: "/export",
      action: "export",
      body: "wanted",
      ...LONG_SHOWN,
      handle: (request) => enqueueBody(services, request, { of: "export" }, null, { status: 200 }),
    },
    {
      method: "GET",
      path: "/network",
      action: "network.get",
      body: "ignored",
      handle: async (request) => {
        const { cluster, readers } = services;
        const { seesSecrets } = request.grant;
        if (cluster === null) {
          demandFeature(services, "network", USING_NETWORK);
          return jsonAnswer(200, network.view(seesSecrets));
        }
        // Which indexes lie in shards is told by their manifests: of many indexes, more than the front may look at.
        const { body, status } = await readers.request("indexes.divided", {}, null, request);
        if (status !== 200) throw new ApiError("internal", "Nobody tells which indexes lie in shards: ask again.", 503);
        const divided = parseJson(body) as DividedIndex[];
        return jsonAnswer(200, withMembers(network.view(seesSecrets), cluster, divided));
      },
    },
    {
      method: "PATCH",
      path: "/network",
      action: "network.update",
      body: "wanted",
      handle: async (request) => {
        const changes = parseNetwork(request.json());
        demandFeature(services, "network", USING_NETWORK);
        return jsonAnswer(200, await network.update(changes, request.grant.seesSecrets));
      },
    },
    {
      method: "POST",
      path: "/network/control",
      action: "network.update",
      body: "ignored",
      handle: () => {
        demandFeature(services, "network", USING_NETWORK);
        throw apiError("requires_enterprise_edition", "Controlling a network requires the Enterprise Edition.");
      },
    },
  ];
}
