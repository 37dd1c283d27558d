/** Small indexes in memory, in as many segments as a test wants, and searches over them. */
import { applySettingsUpdate, defaultSettings } from "../../src/index/settings-update.ts";
import type { IndexView, SegmentView } from "../../src/index/view.ts";
import { Clock } from "../../src/rank/clock.ts";
import type { KeywordRequest } from "../../src/rank/request.ts";
import type { RankResult } from "../../src/rank/result.ts";
import { globalScore } from "../../src/rank/score.ts";
import { rankSearch } from "../../src/rank/search.ts";
import { Bitmap } from "../../src/segment/bitmap.ts";
import { extractionRules } from "../../src/segment/rules.ts";
import type { JsonObject } from "../../src/tasks/task.ts";
import { build, type Doc, open, type Row, write } from "../segment/support.ts";

let views = 0;

/** Each list of rows becomes a segment; a docid in a later one replaces it in the earlier ones. */
export function viewOf(settings: JsonObject, segments: readonly (readonly Row[])[], deleted: number[] = []): IndexView {
  const whole = applySettingsUpdate(defaultSettings(), settings);
  const rules = extractionRules(whole);
  const newest = new Map<number, number>();
  segments.forEach((rows, i) => {
    for (const { docid } of rows) newest.set(docid, i);
  });
  const opened = segments.map((rows, i): SegmentView => {
    const sorted = [...rows].sort((a, b) => a.docid - b.docid);
    const reader = open(write(build(sorted, rules)));
    const live = Bitmap.create(reader.rows);
    sorted.forEach(({ docid }, row) => {
      if (newest.get(docid) === i && !deleted.includes(docid)) live.set(row);
    });
    return { id: i, rows: reader.rows, reader, live, liveCount: live.count() };
  });
  return {
    uid: "test",
    id: `test-${views++}`,
    version: 1,
    createdAt: 0,
    updatedAt: 0,
    primaryKey: "id",
    settings: whole,
    settingsVersion: 1,
    fieldOrder: [],
    fieldDistribution: {},
    documentCount: newest.size - deleted.length,
    segments: opened,
    fileBytes: 0,
    documentBytes: 0,
    problem: null,
  };
}

export function rows(docs: readonly Doc[]): Row[] {
  return docs.map((doc, docid) => ({ docid, id: String(docid), doc: { id: docid, ...doc } }));
}

/** An index of documents that each have only a `text`. */
export function texts(list: readonly string[], settings: JsonObject = {}): IndexView {
  return viewOf({ searchableAttributes: ["text"], ...settings }, [rows(list.map((text) => ({ text })))]);
}

/** A search that asks for nothing in particular. */
export const BLANK: KeywordRequest = {
  q: null,
  vector: null,
  matchingStrategy: "last",
  attributesToSearchOn: null,
  sort: null,
  distinct: null,
  locales: null,
  rankingScoreThreshold: null,
  offset: 0,
  limit: 20,
  exhaustive: false,
  wantDetails: true,
  deadline: Number.POSITIVE_INFINITY,
};

export function ask(view: IndexView, request: Partial<KeywordRequest>, clock?: Clock): RankResult {
  const whole: KeywordRequest = { ...BLANK, ...request };
  const live = view.segments.map((segment) => segment.live);
  return rankSearch(view, live, whole, clock ?? new Clock(whole.deadline));
}

export function idsOf({ hits }: RankResult): number[] {
  return hits.map(({ docid }) => docid);
}

export function scoresOf({ hits }: RankResult): number[] {
  return hits.map(({ details }) => Number(globalScore(details).toFixed(6)));
}
