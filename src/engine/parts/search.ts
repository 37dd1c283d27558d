/**
 * A search over an index in several parts, each with documents and a vocabulary of its own, that answers like one over the whole:
 *
 *   words   what the words of the query stand for, told by each part and put together once
 *   rank    each part ranks its own documents and tells what they made it choose
 *   agree   where parts have to know of each other they are asked again, told what the others said
 *   merge   by places, then by number of the document
 */
import { Buffer } from "node:buffer";
import { internalError } from "../../base/errors/errors.ts";
import { limits } from "../../base/limits.ts";
import type { IndexView } from "../../storage/index/view.ts";
import { Deadline } from "../query/deadline.ts";
import type { Spelling } from "../query/lexicon.ts";
import { parseQuery } from "../query/parse.ts";
import { countOf, or } from "../query/row-sets.ts";
import { queryRules } from "../query/rules.ts";
import type { Place } from "../rank/agreement.ts";
import { type QueryNode, queryNodes } from "../rank/query-nodes.ts";
import type { KeywordRequest } from "../rank/request.ts";
import type { RankResult } from "../rank/result.ts";
import { ruleList } from "../rank/rule-list.ts";
import { distinctFieldOf, firstOfEach } from "../rank/search.ts";
import { queryLocales, searchedFields } from "../rank/searched-fields.ts";
import { type Agreed, agree, isFollowed, type Wanted } from "./agree.ts";
import { matchedInParts } from "./matched.ts";
import { agreedOrder } from "./orders.ts";
import type { Part, Question } from "./part.ts";
import { comparePlaces, placeKey } from "./place.ts";
import type { Report } from "./script.ts";
import { mergedWords } from "./words.ts";

/** Each round settles at least one bucket; this many mean that something is wrong. */
const ROUNDS_MAX = 1000;

const NOTHING_AGREED: Agreed = { frequencies: null, choices: [], holds: [], orders: [], shown: [], end: null };

/** `open` gives the parts that are asked. Throws an ApiError for what cannot be asked. */
export function rankInParts(
  view: IndexView,
  open: (question: Question) => Part[],
  request: KeywordRequest,
  clock: Deadline = new Deadline(request.deadline),
): RankResult {
  const { settings } = view;
  const distinctField = distinctFieldOf(settings, request.distinct);
  const searched = searchedFields(view, request.attributesToSearchOn);
  const rules = queryRules(view);
  const parsed = parseQuery(request.q ?? "", rules, queryLocales(view, request.locales, searched));
  if (request.vector !== null) parsed.terms = [];
  const ranking = ruleList({
    settings,
    hasQuery: parsed.terms.length > 0,
    byVector: request.vector !== null,
    ranksWords: request.matchingStrategy !== "all",
    sort: request.sort,
  });
  const { maxTotalHits } = settings.pagination;
  const limit = Math.min(request.offset + request.limit, maxTotalHits);
  const { exhaustive, rankingScoreThreshold: threshold } = request;
  const wanted: Wanted = {
    limit,
    looksAtAll: ranking.length > 0 && exhaustive && threshold !== null && maxTotalHits > limit,
    isDistinct: distinctField !== null,
    hasThreshold: threshold !== null,
    hasRules: ranking.length > 0,
  };
  const parts = open({ request, parsed, searched, clock });
  const nodes = queryNodes(rules, parsed, clock);
  const spellings = nodes.map(spellingOf);
  const terms = spellings.filter((term) => term !== null);
  const found = parts.map((part) => part.words(terms));
  const known = terms.map((term, i) => {
    const own = found.map((words) => words[i]!);
    return mergedWords(term, own);
  });
  const ask = (agreed: Agreed): Report[] =>
    parts.map((part, number) => {
      const others = agreed.shown.filter((document) => document.part !== number);
      return part.rank(terms, known, { ...agreed, shown: wanted.isDistinct ? others : [] });
    });
  const { agreed, reports } = settle(ask, wanted, (told) =>
    agree(told, wanted, (place, documents) => agreedOrder(ranking[place.length]!, documents, request, limit)),
  );
  const passing = parts.map((part) => part.candidates).reduce(or);
  const isFirstOfEach = exhaustive && distinctField !== null && request.vector === null;
  const candidates = isFirstOfEach ? firstOfEach(view, passing, distinctField) : passing;
  const words = spellings.map((term) => (term === null ? null : known[terms.indexOf(term)]!));
  return {
    hits: agreed.shown.slice(0, limit).map(({ at, docid, part }) => {
      const { details, row, segment } = reports[part]!.shown[at]!;
      return { segment, row, docid, details };
    }),
    candidates,
    total: Math.min(countOf(candidates), maxTotalHits),
    query:
      nodes.length === 0
        ? null
        : () => matchedInParts(nodes, words, lookedAt(agreed, reports, request), parsed.stopWords),
    degraded: reports.some(({ degraded }) => degraded),
  };
}

/** Asks until nobody tells anything new. */
function settle(
  ask: (agreed: Agreed) => Report[],
  wanted: Wanted,
  agreedBy: (reports: Report[]) => Agreed,
): { agreed: Agreed; reports: Report[] } {
  let before = NOTHING_AGREED;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const reports = ask(before);
    const agreed = agreedBy(reports);
    // When time is up, parts need not agree any more.
    if (isFollowed(reports, before, agreed, wanted) || reports.some(({ degraded }) => degraded))
      return { agreed, reports };
    before = agreed;
  }
  throw internalError("parts of an index do not agree on the order of its documents");
}

/** Null for phrases, and for words that are too long to be any. */
function spellingOf({ phrase, prefix, seam, typos, word }: QueryNode): Spelling | null {
  if (phrase !== null || Buffer.byteLength(word) > limits.wordBytes) return null;
  return { word, prefix, typos, joined: seam === 0 ? null : [word.slice(0, seam), word.slice(seam)] };
}

/**
 * Nodes whose typos were looked at, in order: not beyond where the search ended, nor inside a bucket of one document, unless
 * somebody wants to know what the rules say of it.
 */
function lookedAt(
  { end }: Agreed,
  reports: readonly Report[],
  { rankingScoreThreshold: threshold, wantDetails }: KeywordRequest,
): Set<number> {
  const lonely = wantDetails || threshold !== null ? [] : lonelyPlaces(reports);
  const looked = reports.flatMap((report) => report.looked);
  const counting = looked.filter(({ place }) => {
    if (end !== null && comparePlaces(place, end.place) > 0) return false;
    return !lonely.some((other) => place.length > other.length && comparePlaces(place, other) === 0);
  });
  counting.sort((a, b) => comparePlaces(a.place, b.place) || a.place.length - b.place.length);
  return new Set(counting.map(({ node }) => node));
}

/** Buckets of one document. */
function lonelyPlaces(reports: readonly Report[]): Place[] {
  const counts = new Map<string, { place: Place; count: number }>();
  for (const { count, place } of reports.flatMap(({ buckets }) => buckets)) {
    const key = placeKey(place);
    counts.set(key, { place, count: count + (counts.get(key)?.count ?? 0) });
  }
  return [...counts.values()].filter(({ count }) => count === 1).map(({ place }) => place);
}
