/**
 * A search over an index in several parts, each with documents and a vocabulary of its own, that answers like one over the whole:
 *
 *   words   what the words of the query stand for, told by each part and put together once
 *   rank    each part ranks its own documents and tells what they made it choose
 *   agree   where parts have to know of each other they are asked again, told what the others said
 *   merge   by places, then by number of the document
 */
import { internalError } from "../../base/errors/errors.ts";
import type { IndexView } from "../../storage/index/view.ts";
import type { Deadline } from "../query/deadline.ts";
import type { Spelling } from "../query/lexicon.ts";
import type { MatchedQuery } from "../query/matched.ts";
import { parseQuery } from "../query/parse.ts";
import { queryRules } from "../query/rules.ts";
import type { Place } from "../rank/agreement.ts";
import { queryNodes, spellingOf } from "../rank/query-nodes.ts";
import type { KeywordRequest } from "../rank/request.ts";
import type { RankDetail } from "../rank/result.ts";
import { ruleList } from "../rank/rule-list.ts";
import { distinctFieldOf } from "../rank/search.ts";
import { type Agreed, agree, isFollowed, isSame, type Wanted } from "./agree.ts";
import { matchedInParts } from "./matched.ts";
import { agreedOrder } from "./orders.ts";
import { leavesAlone } from "./part.ts";
import { comparePlaces, placeKey } from "./place.ts";
import type { Report, Script, ShownDocument } from "./script.ts";
import {
  type AgreedWords,
  agreedWords,
  type FoundWords,
  isMoreToTell,
  mergedWords,
  type TermWords,
  type WordsAsked,
} from "./words.ts";

/** Each round settles at least one bucket; this many mean that something is wrong. */
const ROUNDS_MAX = 1000;

const NOTHING_AGREED: Agreed = { frequencies: null, choices: [], holds: [], orders: [], shown: [], end: null };

/** All parts, asked at once; answers are in their order. */
export interface Parts<Answer extends Report> {
  /** What their vocabularies know of terms. */
  words(asked: WordsAsked): FoundWords[][];
  /** Each ranks its documents by its script. `agreed`: what all parts know of the terms. */
  rank(terms: readonly Spelling[], agreed: readonly AgreedWords[], scripts: readonly Script[]): Answer[];
}

/** What is asked of all parts. */
interface AskedOfParts {
  request: KeywordRequest;
  /** Languages the query may be in; null leaves the choice to detection. */
  locales: readonly string[] | null;
  clock: Deadline;
}

/** A document, and the part that it is of. */
interface PartHit extends ShownDocument {
  part: number;
  segment: number;
  row: number;
  details: RankDetail[];
}

interface RankedInParts<Answer extends Report> {
  /** In order, from the very first document on. */
  hits: PartHit[];
  /** What parts told when they were asked last, and what they were told: it makes them find the same again. */
  reports: Answer[];
  terms: readonly Spelling[];
  words: readonly AgreedWords[];
  scripts: readonly Script[];
  /** Null for a search without words, and where it is not wanted. */
  query: (() => MatchedQuery) | null;
  degraded: boolean;
}

/** What is needed of an index; `IndexView` has it. */
type RankedView = Pick<IndexView, "id" | "settings" | "settingsVersion">;

/** `count`: of the parts. Throws an ApiError for what cannot be asked. */
export function rankInParts<Answer extends Report>(
  view: RankedView,
  parts: Parts<Answer>,
  count: number,
  { clock, locales, request }: AskedOfParts,
): RankedInParts<Answer> {
  const { settings } = view;
  const distinctField = distinctFieldOf(settings, request.distinct);
  const rules = queryRules(view);
  const parsed = parseQuery(request.q ?? "", rules, locales);
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
  const { exhaustive, rankingScoreThreshold: threshold, wantMatches = true } = request;
  const wanted: Wanted = {
    limit,
    looksAtAll: ranking.length > 0 && exhaustive && threshold !== null && maxTotalHits > limit,
    isDistinct: distinctField !== null,
    hasThreshold: threshold !== null,
    hasRules: ranking.length > 0,
  };
  // Where nothing is left out, nobody goes beyond what is shown.
  const isFirstOnly = !wanted.isDistinct && !wanted.hasThreshold && limit > 0;
  const nodes = queryNodes(rules, parsed, clock);
  const spellings = nodes.map(spellingOf);
  const terms = spellings.filter((term) => term !== null);
  const known = knownWords(parts, terms, wantMatches);
  const toleratesEverywhere = settings.typoTolerance.disableOnAttributes.length === 0;
  const agreedOn = known.map((words) => agreedWords(words, toleratesEverywhere));
  const scriptsBy = (agreed: Agreed): Script[] =>
    Array.from({ length: count }, (_, number) => {
      const others = agreed.shown.filter((document) => document.part !== number);
      return { ...agreed, shown: wanted.isDistinct ? others.map(shownDocument) : [] };
    });
  const { agreed, reports, scripts } = settle(
    (told) => {
      const own = scriptsBy(told);
      return { reports: parts.rank(terms, agreedOn, own), scripts: own };
    },
    wanted,
    (told) =>
      agree(told, wanted, (place, documents) =>
        agreedOrder(ranking[place.length]!, documents, request, limit, isFirstOnly ? limit : Number.POSITIVE_INFINITY),
      ),
  );
  const words = spellings.map((term) => (term === null ? null : known[terms.indexOf(term)]!));
  return {
    hits: agreed.shown.slice(0, limit).map((document) => ({ ...document, details: document.details ?? [] })),
    reports,
    terms,
    words: agreedOn,
    scripts,
    query:
      nodes.length === 0 || !wantMatches
        ? null
        : () => matchedInParts(nodes, words, lookedAt(agreed, reports, request), parsed.stopWords),
    degraded: reports.some(({ degraded }) => degraded),
  };
}

function knownWords<Answer extends Report>(
  parts: Parts<Answer>,
  terms: readonly Spelling[],
  spells: boolean,
): TermWords[] {
  if (terms.length === 0) return [];
  const asked = { terms, spells, countsSeams: false };
  let found = parts.words(asked);
  const foundOf = (i: number): FoundWords[] => found.map((words) => words[i]!);
  if (terms.some((term, i) => isMoreToTell(term, foundOf(i), asked))) {
    found = parts.words({ terms, spells: true, countsSeams: true });
  }
  return terms.map((term, i) => mergedWords(term, foundOf(i)));
}

function shownDocument({ docid, place, values }: ShownDocument): ShownDocument {
  return { place, docid, values };
}

/** Asks until nobody tells anything new. */
function settle<Answer extends Report>(
  ask: (agreed: Agreed) => { reports: Answer[]; scripts: Script[] },
  wanted: Wanted,
  agreedBy: (reports: Answer[]) => Agreed,
): { agreed: Agreed; reports: Answer[]; scripts: Script[] } {
  let before = NOTHING_AGREED;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { reports, scripts } = ask(before);
    const agreed = agreedBy(reports);
    if (isFollowed(reports, before, agreed, wanted)) return { agreed, reports, scripts };
    const { frequencies } = agreed;
    const isCounted = isSame(before.frequencies, frequencies);
    // When time is up, parts need not agree any more, but on what decides which documents there are.
    if (isCounted && reports.some(({ degraded }) => degraded)) return { agreed, reports, scripts };
    // What was ranked by other frequencies tells nothing of where the search ends.
    before = isCounted ? agreed : { ...NOTHING_AGREED, frequencies };
  }
  throw internalError("parts of an index do not agree on the order of its documents");
}

/**
 * Nodes whose typos were looked at, in order: not beyond where the search ended, nor inside a bucket of one document, unless
 * somebody wants to know what the rules say of it.
 */
function lookedAt({ end }: Agreed, reports: readonly Report[], request: KeywordRequest): Set<number> {
  const lonely = leavesAlone(request) ? lonelyPlaces(reports) : [];
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
