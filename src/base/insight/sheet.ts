/** What was searched and clicked in one index on one day, in bounded memory; and the same as lines of a file. */
import { limits } from "../limits.ts";
import { HeavyHitters, type Hitter } from "./heavy-hitters.ts";
import { type Slow, Slowest } from "./slowest.ts";

/** One search that was answered. */
export interface SeenSearch {
  indexUid: string;
  query: string;
  /** Documents found; null where that is not known of this search alone. */
  found: number | null;
  ms: number;
}

export interface Click {
  indexUid: string;
  query: string;
  documentId: string;
  position: number;
}

interface Totals {
  searches: number;
  withoutHits: number;
  clicks: number;
  totalMs: number;
  slowestMs: number;
}

/** Sums beside the count of a query, and of a click. */
export const QUERY_MS = 0;
export const QUERY_CLICKS = 1;
const QUERY_SUMS = 2;
export const CLICK_POSITIONS = 0;
const CLICK_SUMS = 1;

const SHEET_BYTES = 1024;

export class Sheet {
  readonly totals: Totals = { searches: 0, withoutHits: 0, clicks: 0, totalMs: 0, slowestMs: 0 };
  readonly queries = new HeavyHitters(limits.insightQueries);
  readonly withoutHits = new HeavyHitters(limits.insightQueriesWithoutHits);
  readonly clicks = new HeavyHitters(limits.insightClicks);
  readonly slowest = new Slowest(limits.insightSlowQueries);

  get bytes(): number {
    const { queries, withoutHits, clicks, slowest } = this;
    return SHEET_BYTES + queries.bytes + withoutHits.bytes + clicks.bytes + slowest.bytes;
  }

  search(query: string, found: number | null, ms: number): void {
    const { totals } = this;
    totals.searches++;
    totals.totalMs += ms;
    totals.slowestMs = Math.max(totals.slowestMs, ms);
    this.queries.add(query, QUERY_SUMS).sums[QUERY_MS]! += ms;
    this.slowest.add(query, ms);
    if (found !== 0) return;
    totals.withoutHits++;
    this.withoutHits.add(query, 0);
  }

  click(query: string, documentId: string, position: number): void {
    this.totals.clicks++;
    const searched = this.queries.get(query);
    if (searched !== undefined) searched.sums[QUERY_CLICKS]!++;
    this.clicks.add(clickKey(query, documentId), CLICK_SUMS).sums[CLICK_POSITIONS]! += position;
  }
}

function clickKey(query: string, documentId: string): string {
  return JSON.stringify([query, documentId]);
}

export function clickOf({ key }: Hitter): { query: string; documentId: string } {
  const [query, documentId] = JSON.parse(key) as [string, string];
  return { query, documentId };
}

type WrittenHitter = [key: string, count: number, error: number, ...sums: number[]];

interface WrittenSheet {
  indexUid: string;
  totals: Totals;
  queries: WrittenHitter[];
  withoutHits: WrittenHitter[];
  clicks: WrittenHitter[];
  slowest: Slow[];
}

export function sheetLine(indexUid: string, sheet: Sheet): string {
  const rows = (hitters: HeavyHitters): WrittenHitter[] =>
    hitters.all().map(({ key, count, error, sums }) => [key, count, error, ...sums]);
  const written: WrittenSheet = {
    indexUid,
    totals: sheet.totals,
    queries: rows(sheet.queries),
    withoutHits: rows(sheet.withoutHits),
    clicks: rows(sheet.clicks),
    slowest: [...sheet.slowest.all()],
  };
  return JSON.stringify(written);
}

/** Throws on what is no line of a sheet. */
export function readSheet(line: string): { indexUid: string; sheet: Sheet } {
  const written = JSON.parse(line) as WrittenSheet;
  const sheet = new Sheet();
  Object.assign(sheet.totals, written.totals);
  const put = (into: HeavyHitters, rows: readonly WrittenHitter[]): void => {
    for (const [key, count, error, ...sums] of rows) into.put({ key, count, error, sums });
  };
  put(sheet.queries, written.queries);
  put(sheet.withoutHits, written.withoutHits);
  put(sheet.clicks, written.clicks);
  for (const slow of written.slowest) sheet.slowest.put(slow);
  return { indexUid: String(written.indexUid), sheet };
}
