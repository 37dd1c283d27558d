/** Asks an index in parts, and sets the answer against that of the whole. */
import assert from "node:assert/strict";
import { viewOfSegments } from "../../../perf/lib/opened-segments.ts";
import { rankPart, wordsInPart } from "../../../src/engine/parts/part.ts";
import type { Report } from "../../../src/engine/parts/script.ts";
import { rankInParts } from "../../../src/engine/parts/search.ts";
import { Deadline } from "../../../src/engine/query/deadline.ts";
import { countOf, or } from "../../../src/engine/query/row-sets.ts";
import type { KeywordRequest } from "../../../src/engine/rank/request.ts";
import type { RankResult } from "../../../src/engine/rank/result.ts";
import { distinctFieldOf, firstOfEach } from "../../../src/engine/rank/search.ts";
import { queryLocales, searchedFields } from "../../../src/engine/rank/searched-fields.ts";
import type { IndexView } from "../../../src/storage/index/view.ts";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";
import { shown } from "../rank/questions.ts";
import { ask, BLANK } from "../rank/support.ts";

/** How often each property is tried. */
export const RUNS = Number(process.env["SABRE_PARTS_RUNS"] ?? 40);

export const COUNTS = [1, 2, 3, 7];

/** Spreads numbers that follow each other (Knuth, multiplicative hashing). */
const SPREAD = 0x9e3779b1;

const known = new WeakMap<IndexView, Map<number, IndexView[]>>();

/** By the numbers of documents: each part has the same segments, and of their rows its own. */
export function partsOf(view: IndexView, count: number): IndexView[] {
  const byCount = known.get(view) ?? new Map<number, IndexView[]>();
  known.set(view, byCount);
  let parts = byCount.get(count);
  if (parts === undefined) {
    parts = Array.from({ length: count }, (_, part) => partOf(view, part, count));
    byCount.set(count, parts);
  }
  return parts;
}

function partOf(view: IndexView, part: number, count: number): IndexView {
  const segments = view.segments.map((segment) => {
    const live = Bitmap.create(segment.rows);
    for (let row = segment.live.first(); row !== -1; row = segment.live.next(row + 1)) {
      if ((Math.imul(segment.reader.docids[row]!, SPREAD) >>> 16) % count === part) live.set(row);
    }
    return { ...segment, live, liveCount: live.count() };
  });
  const documentCount = segments.reduce((sum, { liveCount }) => sum + liveCount, 0);
  return viewOfSegments({ id: `${view.id}/${part} of ${count}`, settings: view.settings, documentCount, segments });
}

/** A part, and which segments of the whole its own are. */
interface PlacedPart {
  view: IndexView;
  places: readonly number[];
}

export function assertSame(view: IndexView, asked: Partial<KeywordRequest>, counts: readonly number[] = COUNTS): void {
  const places = view.segments.map((_, i) => i);
  const expected = answerOf(view, ask(view, asked), asked);
  for (const count of counts) {
    const parts = partsOf(view, count).map((part) => ({ view: part, places }));
    assertSameIn(view, parts, asked, expected);
  }
}

/** Of parts that have segments of their own, and so know no words but theirs. */
export function assertSameApart(view: IndexView, asked: Partial<KeywordRequest>, count: number): void {
  const parts = Array.from({ length: count }, (_, part): PlacedPart => {
    const places = view.segments.map((_segment, i) => i).filter((i) => i % count === part);
    const segments = places.map((i) => view.segments[i]!);
    const documentCount = segments.reduce((sum, { liveCount }) => sum + liveCount, 0);
    const id = `${view.id}/${part} of ${count}`;
    return { view: viewOfSegments({ id, settings: view.settings, documentCount, segments }), places };
  });
  assertSameIn(view, parts, asked, answerOf(view, ask(view, asked), asked));
}

function answerOf(view: IndexView, result: RankResult, { wantDetails = true }: Partial<KeywordRequest>): unknown {
  return plain(shown(view, result, wantDetails));
}

function assertSameIn(
  view: IndexView,
  parts: readonly PlacedPart[],
  asked: Partial<KeywordRequest>,
  expected: unknown,
): void {
  const found = answerOf(view, inParts(view, parts, { ...BLANK, ...asked }), asked);
  const { vector: _, ...told } = asked;
  assert.deepEqual(found, expected, `${parts.length} parts: ${JSON.stringify(told)}`);
}

/** What parts are asked, in order. */
export function questionsTo(view: IndexView, count: number, asked: Partial<KeywordRequest>): string[] {
  const places = view.segments.map((_, i) => i);
  const questions: string[] = [];
  const parts = partsOf(view, count).map((part) => ({ view: part, places }));
  inParts(view, parts, { ...BLANK, ...asked }, (question) => questions.push(question));
  return questions;
}

/** The parts behind a wire: all that is said is written and read again. `heard` is told of each question. */
function inParts(
  view: IndexView,
  parts: readonly PlacedPart[],
  request: KeywordRequest,
  heard: (question: "words" | "rank") => void = () => {},
): RankResult {
  const names = searchedFields(view, request.attributesToSearchOn);
  const locales = queryLocales(view, request.locales, names);
  const searched = names === null ? null : [...names];
  const clock = new Deadline(request.deadline);
  let candidates: Bitmap[][] = [];
  const asked = {
    words: (question: Parameters<typeof wordsInPart>[2]) => {
      heard("words");
      return parts.map((part) => plain(wordsInPart(part.view, searched, plain(question))));
    },
    rank: (...[terms, known, scripts]: Parameters<Parameters<typeof rankInParts<Report>>[1]["rank"]>) => {
      heard("rank");
      const told = parts.map((part, i) => {
        const universe = part.view.segments.map(({ live }) => live);
        const search = { request, searched, locales, clock };
        return rankPart(part.view, universe, search, plain(terms), plain(known), plain(scripts[i]!));
      });
      candidates = told.map((one, part) => {
        const all = view.segments.map(({ rows }) => Bitmap.create(rows));
        for (const [i, rows] of one.candidates.entries()) all[parts[part]!.places[i]!] = rows;
        return all;
      });
      return plain(told.map(({ report }) => report));
    },
  };
  const { degraded, hits, query } = rankInParts(view, asked, parts.length, { request, locales, clock });
  const distinct = distinctFieldOf(view.settings, request.distinct);
  const passing = candidates.reduce(or);
  const isFirstOfEach = request.exhaustive && distinct !== null && request.vector === null;
  const counted = isFirstOfEach ? firstOfEach(view, passing, distinct) : passing;
  return {
    hits: hits.map(({ details, docid, part, row, segment }) => {
      return { segment: parts[part]!.places[segment]!, row, docid, details };
    }),
    candidates: counted,
    total: Math.min(countOf(counted), view.settings.pagination.maxTotalHits),
    query,
    degraded,
  };
}

/** As JSON brings it; numbers in a row are a list, however they are kept. */
function plain<Value>(value: Value): Value {
  const listed = (_key: string, member: unknown): unknown =>
    ArrayBuffer.isView(member) ? Array.from(member as Float32Array) : member;
  return JSON.parse(JSON.stringify(value, listed)) as Value;
}
