/** The order of the documents that pass a filter, in an index that lies in parts: as one index would have it. */
import type { SearchQuery } from "../../../base/contract/search.ts";
import type { Window } from "../../../base/contract/window.ts";
import type { PartQuestions, SentSearch, SentSet, ValuedDocument } from "../../parts/questions.ts";
import { type Parts, rankInParts } from "../../parts/search.ts";
import { acceptedPins, type PinnedHit } from "../../pins/merge.ts";
import type { Pin } from "../../pins/pin.ts";
import { Deadline } from "../../query/deadline.ts";
import type { DistinctValue } from "../../rank/distinct.ts";
import type { KeywordRequest } from "../../rank/request.ts";
import type { RankResult } from "../../rank/result.ts";
import { distinctFieldOf } from "../../rank/search.ts";
import { queryLocales, searchedFields } from "../../rank/searched-fields.ts";
import { isGoodEnough, mergedHits, sharesOf } from "../../semantic/hybrid.ts";
import { byVector } from "../../semantic/search.ts";
import type { SearchClock } from "../clock.ts";
import type { SearchKind } from "../search-kind.ts";
import { type Ranked, requestOf, requireVector, type Wanted } from "../search-request.ts";
import { CandidatesInParts } from "./candidates.ts";
import type { DividedHit, IndexInParts } from "./index-in-parts.ts";

/** What ranking found, without the documents that are pinned. */
export interface FoundInParts extends Omit<RankResult, "hits" | "candidates"> {
  hits: DividedHit[];
  candidates: CandidatesInParts;
  pinned: PinnedHit<DividedHit>[];
}

type RankedInParts = Omit<FoundInParts, "pinned">;

/** `facets`: those that will be counted in what is found. */
export function searchInParts(
  index: IndexInParts,
  query: Ranked,
  kind: SearchKind,
  window: Window,
  wanted: Wanted,
  facets: readonly string[] | null,
  clock: SearchClock,
): FoundInParts {
  const { settings } = index.view;
  const hybrid = kind === "keyword" ? null : query.hybrid;
  requireVector(kind, query);
  const distinct = query.distinct ?? settings.distinctAttribute;
  const pinned = query.pins === undefined ? [] : pinnedInParts(index, query, query.pins, distinct);
  const request = requestOf(query, window, wanted, clock.deadline(settings.searchCutoffMs));
  const search = new SearchOfParts(index, query, request, pinned, distinct, pinned.length === 0 ? facets : null);
  const result = clock.step(STEPS[kind], () => ranked(search, request, kind, hybrid, query.vector));
  return { ...result, pinned };
}

const STEPS: Record<SearchKind, string> = {
  keyword: "search > keyword ranking",
  semantic: "search > semantic ranking",
  hybrid: "search > hybrid ranking",
};

function ranked(
  search: SearchOfParts,
  request: KeywordRequest,
  kind: SearchKind,
  hybrid: SearchQuery["hybrid"],
  vector: number[] | null,
): RankedInParts {
  if (hybrid === null) return search.rank(request, null);
  const { embedder, semanticRatio } = hybrid;
  if (kind === "semantic") {
    return search.rank({ ...request, q: null, wantDetails: true }, { embedder, numbers: vector! });
  }
  const shares = sharesOf(semanticRatio);
  const wanted = request.offset + request.limit;
  const keyword = search.rank({ ...request, wantDetails: true }, null);
  if (vector === null || isGoodEnough(keyword, wanted, shares)) return keyword;
  const semantic = search.rank({ ...request, wantDetails: true }, { embedder, numbers: vector });
  const seen = new Set<DistinctValue>();
  const dropped: DividedHit[] = [];
  const hits = mergedHits(keyword.hits, semantic.hits, shares, wanted, (hit) => {
    if (hit.values.some((value) => seen.has(value))) {
      dropped.push(hit);
      return false;
    }
    for (const value of hit.values) seen.add(value);
    return true;
  });
  // Without thresholds and values that are shown once, every document that passes the filter is found by its meaning.
  const isAll = !search.isDistinct && request.rankingScoreThreshold === null;
  const candidates = isAll ? semantic.candidates : keyword.candidates.or(semantic.candidates).without(dropped);
  return {
    hits,
    candidates,
    total: search.totalOf(candidates),
    query: keyword.query,
    degraded: keyword.degraded || semantic.degraded,
  };
}

class SearchOfParts {
  readonly #index: IndexInParts;
  readonly #filter: Ranked["filter"];
  readonly #pinned: SentSearch["pinned"];
  readonly #facets: readonly string[] | null;
  readonly #searched: string[] | null;
  readonly #locales: string[] | null;
  readonly #distinctField: string | null;

  constructor(
    index: IndexInParts,
    { attributesToSearchOn, filter, locales }: Ranked,
    { distinct }: KeywordRequest,
    pinned: readonly PinnedHit<DividedHit>[],
    distinctOfPins: string | null,
    facets: readonly string[] | null,
  ) {
    const { settings } = index.view;
    this.#index = index;
    this.#filter = filter;
    this.#facets = facets;
    this.#distinctField = distinctFieldOf(settings, distinct);
    const pins = pinned.map(({ hit }) => hit);
    this.#pinned =
      pins.length === 0
        ? null
        : {
            docids: pins.map(({ docid }) => docid),
            distinct: distinctOfPins,
            values: pins.flatMap(({ values }) => values),
          };
    const looksAtFields =
      attributesToSearchOn !== null || (settings.localizedAttributes.length > 0 && (locales ?? []).length === 0);
    const fields = looksAtFields ? index.fields() : { settings, segments: [] };
    const searched = searchedFields(fields, attributesToSearchOn);
    this.#searched = searched === null ? null : [...searched];
    this.#locales = queryLocales(fields, locales, searched);
  }

  get isDistinct(): boolean {
    return this.#distinctField !== null;
  }

  totalOf({ count }: CandidatesInParts): number {
    return Math.min(count, this.#index.view.settings.pagination.maxTotalHits);
  }

  rank(whole: KeywordRequest, vector: SentSearch["vector"]): RankedInParts {
    const index = this.#index;
    const { view } = index;
    const { deadline, vector: _, ...request } = whole;
    const searched = this.#searched;
    const locales = this.#locales;
    const search = { request, vector, searched, locales, filter: this.#filter, pinned: this.#pinned };
    const values = whole.exhaustive && vector === null ? this.#distinctField : null;
    const facets = values === null ? this.#facets : null;
    const parts: Parts<PartQuestions["rank"]["answer"]> = {
      words: (asked) => index.ask("words", { searched, ...asked }, deadline).map(({ answer }) => answer),
      rank: (terms, known, scripts) => {
        const asked = scripts.map((script) => ({ search, terms, known, script, facets, values }));
        return index.askEach("rank", asked, deadline).map((answer) => answer!.answer);
      },
    };
    const meaning = vector === null ? {} : byVector(view, vector.embedder, vector.numbers);
    const clock = new Deadline(deadline);
    const asked = { request: { ...whole, ...meaning }, locales, clock };
    const found = rankInParts(view, parts, index.count, asked);
    const candidates =
      values === null
        ? this.#counted(search, found, facets)
        : this.#firstOfEach(found.reports.map(({ all }) => all ?? []));
    return {
      hits: found.hits.map(({ details, docid, part, values: own }) => {
        return { segment: part, row: docid, docid, details, values: own };
      }),
      candidates,
      total: this.totalOf(candidates),
      query: found.query,
      degraded: found.degraded,
    };
  }

  #counted(
    search: SentSearch,
    { reports, scripts, terms, words: known }: ReturnType<typeof rankInParts<PartQuestions["rank"]["answer"]>>,
    names: readonly string[] | null,
  ): CandidatesInParts {
    const sets = scripts.map((script): SentSet => ({ kind: "ranked", by: { search, terms, known, script } }));
    const count = reports.reduce((sum, report) => sum + report.count, 0);
    const facets = names === null ? [] : reports.map((report) => report.facets!);
    return new CandidatesInParts(this.#index, sets, { count, names, facets });
  }

  /** Of documents that share a value only the first one. */
  #firstOfEach(parts: readonly ValuedDocument[][]): CandidatesInParts {
    const all = parts.flatMap((documents, part) => documents.map((document) => ({ ...document, part })));
    all.sort((a, b) => a.docid - b.docid);
    const seen = new Set<DistinctValue>();
    const kept: number[][] = parts.map(() => []);
    for (const { docid, part, values } of all) {
      if (values.some((value) => seen.has(value))) continue;
      for (const value of values) seen.add(value);
      kept[part]!.push(docid);
    }
    const sets = kept.map((docids): SentSet => ({ kind: "listed", docids }));
    const count = kept.reduce((sum, { length }) => sum + length, 0);
    return new CandidatesInParts(this.#index, sets, { count, names: null, facets: [] });
  }
}

function pinnedInParts(
  index: IndexInParts,
  { filter }: Ranked,
  pins: readonly Pin[],
  distinct: string | null,
): PinnedHit<DividedHit>[] {
  const answers = index.ask("pins", { filter, ids: pins.map(({ id }) => id), distinct });
  const seen = new Set<DistinctValue>();
  return acceptedPins(
    pins,
    (pin) => {
      const at = pins.indexOf(pin);
      for (const [part, { answer }] of answers.entries()) {
        const found = answer[at] ?? null;
        if (found === null) continue;
        const details = [{ kind: "pin" as const, position: pin.position }];
        return { segment: part, row: found.docid, docid: found.docid, details, values: found.values };
      }
      return null;
    },
    ({ values }) => {
      if (values.some((value) => seen.has(value))) return false;
      for (const value of values) seen.add(value);
      return true;
    },
  );
}
