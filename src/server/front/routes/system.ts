/** Is the server there, which version is it, how much does it hold: `/health`, `/version`, `/stats`. */

import { parseStatsQuery } from "../../../base/contract/indexes.ts";
import { INTERFACE_VERSION, openApiDocument } from "../../../base/contract/openapi.ts";
import type { JsonObject } from "../../../base/json/value.ts";
import { formatTime } from "../../../base/time/time.ts";
import { embeddingCounts } from "../../../engine/vector/counts.ts";
import type { IndexView } from "../../../storage/index/view.ts";
import { jsonAnswer, partingAnswer } from "../answer.ts";
import type { ApiRoute, Services } from "../services.ts";
import { indexUidOf, withIndex } from "./common.ts";

export function systemRoutes(services: Services): ApiRoute[] {
  const { info } = services;
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
      handle: () => jsonAnswer(200, openApiDocument()),
    },
    {
      method: "GET",
      path: "/stats",
      action: "stats.get",
      body: "ignored",
      handle: (request) => {
        const query = parseStatsQuery(request.query);
        const stats = serverStats(services, (uid) => request.grant.allowsIndex(uid), query);
        return partingAnswer(jsonAnswer(200, stats));
      },
    },
    {
      method: "GET",
      path: "/indexes/{index_uid}/stats",
      action: "stats.get",
      body: "ignored",
      handle: (request) => {
        const uid = indexUidOf(request);
        const query = parseStatsQuery(request.query);
        return withIndex(services, uid, (index) => partingAnswer(jsonAnswer(200, indexStats(services, index, query))));
      },
    },
  ];
}

type StatsQuery = ReturnType<typeof parseStatsQuery>;

function serverStats(services: Services, isAllowed: (uid: string) => boolean, query: StatsQuery): JsonObject {
  const snapshot = services.indexes.pin();
  try {
    let lastUpdate: number | null = null;
    let usedBytes = services.store.sizeBytes();
    // Without a prototype: `__proto__` is a valid uid.
    const indexes: JsonObject = Object.create(null);
    for (const index of snapshot.indexes()) {
      usedBytes += index.fileBytes;
      if (!isAllowed(index.uid)) continue;
      lastUpdate = Math.max(lastUpdate ?? 0, index.updatedAt);
      indexes[index.uid] = indexStats(services, index, query);
    }
    const databaseBytes = Math.max(services.databaseBytes(), usedBytes);
    return {
      databaseSize: showSize(databaseBytes, query),
      usedDatabaseSize: showSize(usedBytes, query),
      lastUpdate: lastUpdate === null ? null : formatTime(lastUpdate),
      indexes,
    };
  } finally {
    snapshot.release();
  }
}

/**
 * Documents are counted as they take room on a disk: in whole pages, each document with an entry to find it by. Clients have tests
 * that expect just these numbers.
 */
const PAGE_BYTES = 4096;
const ENTRY_BYTES = 8;

function indexStats(services: Services, index: IndexView, query: StatsQuery): JsonObject {
  const documentPages = Math.ceil(index.liveDocumentBytes / PAGE_BYTES) * PAGE_BYTES;
  const average = index.documentCount === 0 ? 0 : Math.floor(documentPages / index.documentCount) - ENTRY_BYTES;
  return {
    numberOfDocuments: index.documentCount,
    rawDocumentDbSize: showSize(documentPages, query),
    avgDocumentSize: showSize(Math.max(average, 0), query),
    isIndexing: services.tasks.running.some(({ batch }) => Object.hasOwn(batch.stats.indexUids, index.uid)),
    ...(query.showInternalDatabaseSizes
      ? {
          internalDatabaseSizes: {
            documents: showSize(index.documentBytes, query),
            searchStructures: showSize(index.fileBytes - index.documentBytes, query),
          },
        }
      : {}),
    ...embeddingCounts(index),
    fieldDistribution: topLevelCounts(index),
  };
}

/** Documents by top-level field, in order of name; vectors are no field of a document. */
function topLevelCounts(index: IndexView): JsonObject {
  const counts: [string, number][] = [];
  for (const name of index.fieldOrder) {
    const count = index.fieldDistribution[name] ?? 0;
    if (count > 0 && name !== "_vectors") counts.push([name, count]);
  }
  return Object.fromEntries(counts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

export function humanBytes(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  while (amount >= 1024 && unit < UNITS.length - 1) {
    amount /= 1024;
    unit++;
  }
  return `${Number(amount.toFixed(2))} ${UNITS[unit]}`;
}

function showSize(bytes: number, { sizeFormat }: StatsQuery): number | string {
  return sizeFormat === "human" ? humanBytes(bytes) : bytes;
}
