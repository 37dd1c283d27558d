/** What was counted on some days, as rows for whoever asks: most first, times in milliseconds. */
import type { DaySheet } from "./book.ts";
import { dayText } from "./days.ts";
import { type Hitter, mergedHitters } from "./heavy-hitters.ts";
import { CLICK_POSITIONS, clickOf, QUERY_CLICKS, QUERY_MS } from "./sheet.ts";
import { mergedSlowest } from "./slowest.ts";

type InsightRows = Record<string, string | number | null>[];
export type InsightView = (days: readonly DaySheet[], limit: number) => InsightRows;

export const topQueries: InsightView = (days, limit) =>
  mergedHitters(days.map(({ sheet }) => sheet.queries))
    .slice(0, limit)
    .map((hitter) => ({
      query: hitter.key,
      count: hitter.count,
      countError: hitter.error,
      averageTimeMs: averageOf(hitter, QUERY_MS),
      clicks: hitter.sums[QUERY_CLICKS]!,
      clickThroughRate: averageOf(hitter, QUERY_CLICKS),
    }));

export const queriesWithoutHits: InsightView = (days, limit) =>
  mergedHitters(days.map(({ sheet }) => sheet.withoutHits))
    .slice(0, limit)
    .map(({ key, count, error }) => ({ query: key, count, countError: error }));

export const slowQueries: InsightView = (days, limit) =>
  mergedSlowest(days.map(({ sheet }) => sheet.slowest))
    .slice(0, limit)
    .map(({ query, slowestMs, count, totalMs }) => ({
      query,
      slowestTimeMs: rounded(slowestMs),
      averageTimeMs: share(totalMs, count),
      count,
    }));

export const clickedDocuments: InsightView = (days, limit) =>
  mergedHitters(days.map(({ sheet }) => sheet.clicks))
    .slice(0, limit)
    .map((hitter) => ({
      ...clickOf(hitter),
      count: hitter.count,
      countError: hitter.error,
      averagePosition: averageOf(hitter, CLICK_POSITIONS),
    }));

/** Newest first. */
export const countsByDay: InsightView = (days, limit) =>
  days.slice(0, limit).map(({ day, sheet: { totals } }) => ({
    day: dayText(day),
    searches: totals.searches,
    searchesWithoutHits: totals.withoutHits,
    averageTimeMs: share(totals.totalMs, totals.searches),
    slowestTimeMs: rounded(totals.slowestMs),
    clicks: totals.clicks,
    clickThroughRate: share(totals.clicks, totals.searches),
  }));

/** Of those that were seen: what a count may have too much came before it had its place. */
function averageOf({ count, error, sums }: Hitter, sum: number): number | null {
  return share(sums[sum]!, count - error);
}

function share(sum: number, count: number): number | null {
  return count === 0 ? null : rounded(sum / count);
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
