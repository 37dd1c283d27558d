/** What is told of indexes as such: one line of a list, how much each holds, and all of them together. All may be many. */
import type { StatsQuery } from "../../base/contract/indexes.ts";
import type { JsonObject } from "../../base/json/value.ts";
import { formatTime } from "../../base/time/time.ts";
import type { IndexView } from "../../storage/index/view.ts";
import { embeddingCounts } from "../vector/counts.ts";

/** What only the front knows. */
export interface ServerFacts {
  storeBytes: number;
  databaseBytes: number;
  /** Indexes that a batch works on now. */
  indexing: readonly string[];
}

/** An index and how many documents it has. */
type IndexCount = [uid: string, documents: number];

/** All indexes together. */
export interface IndexTotals {
  fileBytes: number;
  lastUpdate: number | null;
  counts: IndexCount[];
}

export function indexView(index: IndexView): JsonObject {
  return {
    uid: index.uid,
    createdAt: formatTime(index.createdAt),
    updatedAt: formatTime(index.updatedAt),
    primaryKey: index.primaryKey,
  };
}

export function indexTotals(indexes: readonly IndexView[]): IndexTotals {
  const totals: IndexTotals = { fileBytes: 0, lastUpdate: null, counts: [] };
  for (const { uid, documentCount, fileBytes, updatedAt } of indexes) {
    totals.fileBytes += fileBytes;
    totals.lastUpdate = Math.max(totals.lastUpdate ?? 0, updatedAt);
    totals.counts.push([uid, documentCount]);
  }
  return totals;
}

export function serverStats(
  indexes: readonly IndexView[],
  isAllowed: (uid: string) => boolean,
  facts: ServerFacts,
  query: StatsQuery,
): JsonObject {
  const allowed = indexes.filter(({ uid }) => isAllowed(uid));
  const { lastUpdate } = indexTotals(allowed);
  const usedBytes = facts.storeBytes + indexTotals(indexes).fileBytes;
  // Without a prototype: `__proto__` is a valid uid.
  const shown: JsonObject = Object.create(null);
  for (const index of allowed) shown[index.uid] = indexStats(index, facts, query);
  return {
    databaseSize: showSize(Math.max(facts.databaseBytes, usedBytes), query),
    usedDatabaseSize: showSize(usedBytes, query),
    lastUpdate: lastUpdate === null ? null : formatTime(lastUpdate),
    indexes: shown,
  };
}

/**
 * Documents are counted as they take room on a disk: in whole pages, each document with an entry to find it by. Clients have tests
 * that expect just these numbers.
 */
const PAGE_BYTES = 4096;
const ENTRY_BYTES = 8;

export function indexStats(index: IndexView, { indexing }: ServerFacts, query: StatsQuery): JsonObject {
  const documentPages = Math.ceil(index.liveDocumentBytes / PAGE_BYTES) * PAGE_BYTES;
  const average = index.documentCount === 0 ? 0 : Math.floor(documentPages / index.documentCount) - ENTRY_BYTES;
  return {
    numberOfDocuments: index.documentCount,
    rawDocumentDbSize: showSize(documentPages, query),
    avgDocumentSize: showSize(Math.max(average, 0), query),
    isIndexing: indexing.includes(index.uid),
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
