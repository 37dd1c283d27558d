/**
 * What clients ask: one request of every sort, with other words each time. Requests look exactly as if they had come from
 * the front, since code that is hot for one shape of an object is not for another.
 */

import { defaultFeatures } from "../../../base/contract/features.ts";
import { parseMultiSearch } from "../../../base/contract/multi-search.ts";
import { parseFacetSearch, parseSearch } from "../../../base/contract/search.ts";
import type { JsonObject } from "../../../base/json/value.ts";
import { clockMs } from "../../../base/time/clock.ts";
import { encodeRequest, type SearchCall } from "../../link/requests.ts";
import { newUid } from "../../link/uids.ts";

import { type Chance, capitalized, EMBEDDER, facetsOf, type Language, madeUpVector } from "./documents.ts";

/** `say` gives words, mostly the frequent ones; `typed` a long one with a typo, as it comes from a keyboard. */
type Form = (say: (words: number) => string, chance: Chance, typed: () => string) => JsonObject;

const DROP_AFTER_MS = 60_000;
const PREFIX_LETTERS = 3;
/** Most of that work is not done by code that can get any hotter. */
const GZIP_SHARE = 0.1;

/** Bodies of searches. Those that touch little code come first: the very first run of each is the slowest by far. */
const SEARCHES: readonly Form[] = [
  () => ({ limit: 1, attributesToRetrieve: ["id"] }),
  (_, chance) => ({ limit: Math.ceil(20 * chance()) }),
  (say) => ({ q: say(1) }),
  (say) => ({ q: say(1)[0]! }),
  (say) => ({ q: say(2) }),
  (say) => ({ q: say(1).slice(0, PREFIX_LETTERS) }),
  (say) => ({ q: say(4) }),
  (_say, _chance, typed) => ({ q: typed() }),
  (_say, _chance, typed) => ({ q: `${typed()} ${typed()}` }),
  (say, _chance, typed) => ({ q: `${say(2)} ${typed()}` }),
  (say, _chance, typed) => ({ q: `${typed()} ${typed()} ${say(1)}` }),
  (say) => ({ q: `${say(3)} ${say(1).slice(0, PREFIX_LETTERS)}` }),
  (say) => ({ q: say(7) }),
  (say) => ({ q: `"${say(2)}" ${say(1)}` }),
  (say) => ({ q: `${say(1)} -${say(1)}` }),
  (say) => ({ q: `${say(1)} nowhere` }),
  (_, chance) => ({ facets: ["kinds", "year"], filter: `details.language = ${facetsOf.language(chance)}` }),
  (say, chance) => ({ q: say(1), filter: `kinds = ${facetsOf.kind(chance)}`, facets: ["kinds"] }),
  (say, chance) => ({
    q: say(2),
    filter: `year > ${facetsOf.year(chance)} AND kinds IN [${facetsOf.kind(chance)}, ${facetsOf.kind(chance)}]`,
    facets: ["*"],
  }),
  (say, chance) => ({
    q: say(1),
    filter: [[`kinds = ${facetsOf.kind(chance)}`, `rating >= 7.5`], `released < ${facetsOf.date(chance)}`],
  }),
  (_, chance) => ({ filter: `released > ${facetsOf.date(chance)}`, sort: ["released:asc"] }),
  (say) => ({ q: say(1), sort: ["rating:desc", "title:asc"] }),
  (say) => ({ q: say(2), page: 2, hitsPerPage: 5 }),
  (say) => ({ q: say(1), attributesToHighlight: ["*"], attributesToCrop: ["overview"] }),
  (say) => ({ q: say(3), attributesToHighlight: ["title", "overview"], showMatchesPosition: true }),
  (say) => ({ q: say(2), attributesToCrop: ["overview:20"], attributesToRetrieve: ["title", "year", "details"] }),
  (say) => ({ q: say(2), showRankingScore: true }),
  (say) => ({ q: say(3), showRankingScoreDetails: true, matchingStrategy: "all" }),
  (say) => ({ q: say(2), attributesToSearchOn: ["title"], offset: 3, limit: 50 }),
  (say) => ({ q: say(1), distinct: "year" }),
  (say, chance) => application(beginning(capitalized(say(2)), chance), chance),
  (say, chance) => application(beginning(say(4), chance), chance),
  (_say, chance, typed) => application(`${capitalized(typed())}, ${typed()}`, chance),
  (say, chance) => ({
    q: beginning(capitalized(say(3)), chance),
    filter: `details.language = "${facetsOf.language(chance)}" AND NOT kinds = "${facetsOf.kind(chance)}"`,
    facets: ["year", "kinds"],
    attributesToHighlight: ["*"],
  }),
];

/** As an application asks that has one index for many customers: each has a filter of its own. */
function application(q: string, chance: Chance): JsonObject {
  return {
    q,
    filter: `kinds = "${facetsOf.kind(chance)}" AND released > ${facetsOf.date(chance)}`,
    facets: ["kinds"],
    attributesToHighlight: ["*"],
    limit: 10,
  };
}

/** What was typed by some moment. */
export function beginning(text: string, chance: Chance): string {
  return text.slice(0, PREFIX_LETTERS + Math.floor(chance() * (text.length - PREFIX_LETTERS + 1)));
}

/** Searches by meaning, where documents have vectors. */
const VECTOR_SEARCHES: readonly Form[] = [
  (_, chance) => ({ vector: madeUpVector(chance), hybrid: { embedder: EMBEDDER, semanticRatio: 1 } }),
  (_, chance) => ({
    vector: madeUpVector(chance),
    hybrid: { embedder: EMBEDDER, semanticRatio: 1 },
    filter: `kinds = ${facetsOf.kind(chance)}`,
  }),
  (say, chance) => ({ q: say(1), vector: madeUpVector(chance), hybrid: { embedder: EMBEDDER, semanticRatio: 0.5 } }),
];

/** Facet searches, in the same manner. */
const FACET_SEARCHES: readonly Form[] = [
  (_, chance) => ({ facetName: "kinds", facetQuery: facetsOf.kind(chance).slice(0, 2) }),
  (say) => ({ facetName: "kinds", facetQuery: "dramma", q: say(1) }),
];

export class SampleRequests {
  readonly #chance: Chance;
  readonly #say: (words: number) => string;
  readonly #typed: () => string;

  constructor(language: Language, chance: Chance) {
    this.#chance = chance;
    this.#say = (words) => language.words(words, chance);
    this.#typed = () => misspelt(language.longWord(chance), chance);
  }

  /** The bytes of requests, each made when it is taken: one of every sort. */
  *round(indexUid: string, hasVectors: boolean): Generator<Uint8Array> {
    for (const form of hasVectors ? [...SEARCHES, ...VECTOR_SEARCHES] : SEARCHES) {
      const query = parseSearch(this.#fill(form));
      yield encodeRequest(0, "search", { indexUid, query, call: this.#call() });
    }
    for (const form of FACET_SEARCHES) {
      const query = parseFacetSearch(this.#fill(form));
      yield encodeRequest(0, "facetSearch", { indexUid, query, call: this.#call() });
    }
    for (const federation of [null, {}]) {
      const queries = [2, 1].map((words) => ({
        indexUid,
        q: this.#say(words),
        ...(federation === null && { facets: ["kinds"] }),
      }));
      const parsed = parseMultiSearch({ queries, ...(federation && { federation }) }, defaultFeatures());
      yield encodeRequest(0, "multiSearch", { ...parsed, origin: null, isShare: false, call: this.#call() });
    }
    yield encodeRequest(0, "documents.get", { indexUid, id: "1", fields: null, retrieveVectors: false });
  }

  /** A last search, in an index that has been emptied. */
  lastRequest(indexUid: string): Uint8Array {
    return encodeRequest(0, "search", { indexUid, query: parseSearch({ q: this.#say(1) }), call: this.#call() });
  }

  #fill(form: Form): JsonObject {
    return form(this.#say, this.#chance, this.#typed);
  }

  #call(): SearchCall {
    return callWith(this.#chance() < GZIP_SHARE ? "gzip" : null);
  }
}

export function callWith(coding: SearchCall["coding"]): SearchCall {
  return { arrivedAt: clockMs(), dropAfterMs: DROP_AFTER_MS, requestUid: newUid(), coding, includeMetadata: false };
}

/** Two letters have changed places, or one is missing. */
export function misspelt(word: string, chance: Chance): string {
  const at = 1 + Math.floor(chance() * Math.max(1, word.length - 2));
  const [here = "", next = ""] = word.slice(at, at + 2);
  return word.slice(0, at) + (chance() < 0.5 ? next + here : next) + word.slice(at + 2);
}
