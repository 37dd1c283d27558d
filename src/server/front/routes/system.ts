/** Is the server there, which version is it, how much does it hold: `/health`, `/version`, `/stats`. */

import { parseStatsQuery } from "../../../base/contract/indexes.ts";
import { INTERFACE_VERSION, openApiDocument } from "../../../base/contract/openapi.ts";
import type { ServerFacts } from "../../../engine/answer/stats.ts";
import { sentScope } from "../../../engine/auth/scope.ts";
import { type Answer, bytesAnswer, JSON_TYPE, jsonAnswer, partingAnswer } from "../answer.ts";
import type { ApiRoute, Request, Services } from "../services.ts";
import { askReader, indexUidOf } from "./common.ts";

export function systemRoutes(services: Services): ApiRoute[] {
  const { info } = services;
  /** Always the same: to write it takes milliseconds. */
  let described: Buffer | null = null;
  return [
    {
      method: "GET",
      path: "/health",
      action: null,
      body: "ignored",
      handle: () =>
        services.canWrite() && services.cluster?.isWell !== false
          ? jsonAnswer(200, { status: "available" })
          : jsonAnswer(503, { status: "unavailable" }),
    },
    {
      method: "GET",
      path: "/version",
      action: "version",
      body: "ignored",
      handle: () =>
        jsonAnswer(200, { commitSha: info.commitSha, commitDate: info.commitDate, pkgVersion: INTERFACE_VERSION }),
    },
    {
      method: "GET",
      path: "/openapi.json",
      action: "version",
      body: "ignored",
      handle: () => {
        described ??= Buffer.from(JSON.stringify(openApiDocument()));
        return bytesAnswer(200, JSON_TYPE, described);
      },
    },
    {
      method: "GET",
      path: "/stats",
      action: "stats.get",
      body: "ignored",
      handle: (request) => stats(services, request, ""),
    },
    {
      method: "GET",
      path: "/indexes/{index_uid}/stats",
      action: "stats.get",
      body: "ignored",
      handle: (request) => stats(services, request, indexUidOf(request)),
    },
  ];
}

/** `indexUid` is empty for all of them. By a reader: of many indexes, or of many vectors in one, there is more to count than the front may. */
async function stats(services: Services, request: Request, indexUid: string): Promise<Answer> {
  const query = parseStatsQuery(request.query);
  const facts: ServerFacts = {
    storeBytes: services.store.sizeBytes(),
    databaseBytes: indexUid === "" ? await services.databaseBytes() : 0,
    indexing: services.tasks.running.flatMap(({ batch }) => Object.keys(batch.stats.indexUids)),
  };
  const scope = sentScope(request.grant);
  return partingAnswer(await askReader(services, request, "stats", { indexUid, scope, facts, query }));
}
