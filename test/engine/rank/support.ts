/** Small indexes in memory, in as many segments as a test wants, and searches over them. */
import { BLANK_REQUEST } from "../../../perf/lib/blank-request.ts";
import { openTogether, viewOfSegments } from "../../../perf/lib/opened-segments.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import { Index } from "../../../src/base/kernels/search/generated/layout.ts";
import { MIB } from "../../../src/base/limits.ts";
import { Deadline } from "../../../src/engine/query/deadline.ts";
import { searchIndexOf } from "../../../src/engine/query/search-index.ts";
import { vocabularyOf } from "../../../src/engine/query/vocabulary.ts";
import type { KeywordRequest } from "../../../src/engine/rank/request.ts";
import type { RankResult } from "../../../src/engine/rank/result.ts";
import { globalScore } from "../../../src/engine/rank/score.ts";
import { rankInSteps, rankSearch } from "../../../src/engine/rank/search.ts";
import type { IndexView, SegmentView } from "../../../src/storage/index/view.ts";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";
import { extractionRules } from "../../../src/storage/segment/rules.ts";
import { applySettingsUpdate, defaultSettings } from "../../../src/storage/settings/update.ts";

import { type Aging, asItIs } from "../../storage/segment/older.ts";
import { build, type Doc, type Row, write } from "../../storage/segment/support.ts";

const WORKSPACE_BYTES = 24 * MIB;
/** What others left in memory. */
const REMAINS = 0xa5;
/** Indexes of so few rows are searched around these places: to fill all of the room takes longer than to search it. */
const SMALL_ROWS_MAX = 200;
/** Where it begins, each quarter and a third of the half that is worked in, and the half where what is kept is; in MiB. */
const USED: readonly (readonly [from: number, to: number])[] = [
  [0, 1],
  [2.875, 5],
  [5.875, 7],
  [8.875, 10],
  [11.875, 13],
];

let views = 0;

/**
 * Each list of rows becomes a segment; a docid in a later one replaces it in the earlier ones. `age` makes segments
 * those of older versions.
 */
export function viewOf(
  settings: JsonObject,
  segments: readonly (readonly Row[])[],
  deleted: number[] = [],
  age: Aging = asItIs,
): IndexView {
  const whole = applySettingsUpdate(defaultSettings(), settings);
  const rules = extractionRules(whole);
  const newest = new Map<number, number>();
  segments.forEach((rows, i) => {
    for (const { docid } of rows) newest.set(docid, i);
  });
  const byId = segments.map((rows) => [...rows].sort((a, b) => a.docid - b.docid));
  const readers = openTogether(
    byId.map((sorted) => write(age(build(sorted, rules)))),
    WORKSPACE_BYTES,
    byId.flat().length > SMALL_ROWS_MAX ? (room) => room.fill(REMAINS) : leaveRemainsWhereUsed,
  );
  const opened = byId.map((sorted, i): SegmentView => {
    const reader = readers[i]!;
    const live = Bitmap.create(reader.rows);
    sorted.forEach(({ docid }, row) => {
      if (newest.get(docid) === i && !deleted.includes(docid)) live.set(row);
    });
    return { id: i, rows: reader.rows, shard: 0, reader, live, liveCount: live.count() };
  });
  const documentCount = newest.size - deleted.length;
  return viewOfSegments({ id: `test-${views++}`, settings: whole, documentCount, segments: opened });
}

function leaveRemainsWhereUsed(room: Uint8Array): void {
  for (const [from, to] of USED) room.fill(REMAINS, from * MIB, to * MIB);
}

/** The parts of the room of a small index where nothing was left; they stay zeros unless a search uses them. */
export function roomsWithoutRemains({ segments }: IndexView): Uint8Array[] {
  const { memory, start } = segments[0]!.reader.home.workspace;
  return USED.map(([, from], i) => {
    const to = USED[i + 1]?.[0] ?? WORKSPACE_BYTES / MIB;
    return new Uint8Array(memory.buffer, start + from * MIB, (to - from) * MIB);
  });
}

export function rows(docs: readonly Doc[]): Row[] {
  return docs.map((doc, docid) => ({ docid, id: String(docid), doc: { id: docid, ...doc } }));
}

/** An index of documents that each have only a `text`. */
export function texts(list: readonly string[], settings: JsonObject = {}): IndexView {
  return viewOf({ searchableAttributes: ["text"], ...settings }, [rows(list.map((text) => ({ text })))]);
}

/** With what each rule gave, which tests look at. */
export const BLANK: KeywordRequest = { ...BLANK_REQUEST, wantDetails: true };

export function ask(
  view: IndexView,
  request: Partial<KeywordRequest>,
  clock?: Deadline,
  allowed: Bitmap[] = view.segments.map(({ live }) => live),
): RankResult {
  const whole: KeywordRequest = { ...BLANK, ...request };
  return rankSearch(view, allowed, whole, clock ?? new Deadline(whole.deadline));
}

/** The same without compiled search. */
export function askInSteps(
  view: IndexView,
  request: Partial<KeywordRequest>,
  allowed: Bitmap[] = view.segments.map(({ live }) => live),
): RankResult {
  return rankInSteps(view, allowed, { ...BLANK, ...request });
}

/** From now on searches take every set of documents for a large one. */
export function takeAllForMany(view: IndexView): void {
  const { address, workspace } = searchIndexOf(vocabularyOf(view), view.settings, null)!;
  workspace.u32[(address >>> 2) + Index.many] = 1;
}

export function idsOf({ hits }: RankResult): number[] {
  return hits.map(({ docid }) => docid);
}

export function scoresOf({ hits }: RankResult): number[] {
  return hits.map(({ details }) => Number(globalScore(details).toFixed(6)));
}
