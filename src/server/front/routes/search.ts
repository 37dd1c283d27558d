/**
 * Searches: one, several at once, values of a facet, documents like another. Reads what is asked, has it checked, and leaves
 * the rest to a reader.
 */

import {
  type IndexQuery,
  insideQuery,
  type MultiSearch,
  parseMultiSearch,
  placeOf,
} from "../../../base/contract/multi-search.ts";
import {
  type FacetSearchQuery,
  parseFacetSearch,
  parseSearch,
  parseSearchQuery,
  type SearchQuery,
  saidText,
} from "../../../base/contract/search.ts";
import { parseSimilar, parseSimilarQuery, type SimilarQuery } from "../../../base/contract/similar.ts";
import { limits } from "../../../base/limits.ts";
import { clockMs } from "../../../base/time/clock.ts";
import type { Asker } from "../../../engine/ask/asker.ts";
import { checkFacetSearch, checkMultiSearch, checkSearch, checkSimilar, hydrated } from "../../../engine/ask/search.ts";
import { multiSearchOfServers, type ServersSearches, searchOfServers } from "../../../engine/ask/servers.ts";
import { facetSearchOfServers } from "../../../engine/ask/shared-facets.ts";
import { parametersOf, usedBy } from "../../../engine/ask/used-parameters.ts";
import { isSemantic, needsVector } from "../../../engine/ask/vectors.ts";
import type { GivenAnswer } from "../../../engine/cache/answer-cache.ts";
import { decodeVolatileSpans } from "../../../engine/cache/cached-answer.ts";
import { REQUEST_TEXT_LENGTH_MAX } from "../../../engine/cache/request-keys.ts";
import type { SearchCall } from "../../../engine/link/requests.ts";
import { decodeSeen } from "../../../engine/link/seen-searches.ts";
import { bytesOf, type SharedSearchBytes } from "../../../engine/link/shared-searches.ts";
import { newUid } from "../../../engine/link/uids.ts";
import type { WithPins } from "../../../engine/pins/pin.ts";
import { type Answer, bytesAnswer, JSON_TYPE } from "../answer.ts";
import { callOf, isShare } from "../call.ts";
import { chooseCoding } from "../compress.ts";
import { withDictionaries } from "../dictionaries.ts";
import { answerBody, answerByReader, answerQuery } from "../heavy.ts";
import { ordered } from "../personal.ts";
import { embeddable, withVector } from "../query-vectors.ts";
import { seen, seenAll, withOutcomes } from "../seen.ts";
import { answerByServers } from "../servers.ts";
import type { ApiRoute, Request, Services } from "../services.ts";
import { askerOf, askReader, indexUidOf, readerAnswer, withIndex } from "./common.ts";

const ONE = "/indexes/{index_uid}";
const LONG = { bodyBytesMax: limits.searchBodyBytes, sharesBody: true };

export function searchRoutes(services: Services): ApiRoute[] {
  // What may have been answered before is read first, however many wait.
  const admit = (): void => services.readers.admit();
  return [
    {
      method: "POST",
      path: `${ONE}/search`,
      isOfOneIndex: true,
      action: "search",
      body: "wanted",
      ...LONG,
      handle: (request) => searchByBody(services, request, indexUidOf(request)),
    },
    {
      method: "GET",
      path: `${ONE}/search`,
      isOfOneIndex: true,
      action: "search",
      body: "ignored",
      handle: (request) => {
        const indexUid = indexUidOf(request);
        const { cached, text } = cachedByText(services, request, indexUid);
        if (cached !== null) return cached;
        return answerQuery(services, request, "search", indexUid, (raw) => {
          const query = parseSearchQuery(raw);
          return seen(services, request, indexUid, query.q, searchParsed(services, request, indexUid, query, text));
        });
      },
    },
    {
      method: "POST",
      path: `${ONE}/facet-search`,
      isOfOneIndex: true,
      action: "search",
      body: "wanted",
      ...LONG,
      admit,
      handle: (request) => {
        const indexUid = indexUidOf(request);
        return answerBody(services, request, "facetSearch", indexUid, (body) =>
          facetSearch(services, request, indexUid, parseFacetSearch(body)),
        );
      },
    },
    {
      method: "POST",
      path: `${ONE}/similar`,
      isOfOneIndex: true,
      action: "search",
      body: "wanted",
      ...LONG,
      admit,
      handle: (request) => {
        const indexUid = indexUidOf(request);
        return answerBody(services, request, "similar", indexUid, (body) =>
          similar(services, request, indexUid, parseSimilar(body)),
        );
      },
    },
    {
      method: "GET",
      path: `${ONE}/similar`,
      isOfOneIndex: true,
      action: "search",
      body: "ignored",
      handle: (request) => {
        const indexUid = indexUidOf(request);
        return answerQuery(services, request, "similar", indexUid, (query) =>
          similar(services, request, indexUid, parseSimilarQuery(query)),
        );
      },
    },
    {
      method: "POST",
      path: "/multi-search",
      action: "search",
      body: "wanted",
      ...LONG,
      admit,
      handle: (request) =>
        answerBody(services, request, "multiSearch", "", (body) =>
          multiSearch(services, request, parseMultiSearch(body, services.features.current)),
        ),
    },
  ];
}

function searchByBody(services: Services, request: Request, indexUid: string): Answer | Promise<Answer> {
  const { cached, text } = cachedByText(services, request, indexUid);
  if (cached !== null) return cached;
  return answerBody(services, request, "search", indexUid, (body) => {
    const query = parseSearch(body);
    return seen(services, request, indexUid, query.q, searchParsed(services, request, indexUid, query, text));
  });
}

/** The cached answer to a request with the same text, if there is one; and that text, where it alone decides the answer. */
function cachedByText(
  services: Services,
  request: Request,
  indexUid: string,
): { cached: Answer | null; text: string | null } {
  const text = isOpen(services, request, indexUid) ? rawText(request) : null;
  const key = text === null ? null : services.requestKeys.find(text, services.features.current);
  const cached = key === null ? null : cachedAnswer(services, request, indexUid, key.name);
  if (key !== null && cached !== null) {
    services.usage?.search(key.parameters);
    seen(services, request, indexUid, key.q, cached);
  }
  return { cached, text };
}

/** Whether what a request means depends on its text alone: no tenant, rule or other index has a say in it. */
function isOpen({ features }: Services, { grant, head }: Request, indexUid: string): boolean {
  const { dynamicSearchRules, foreignKeys } = features.current;
  return !dynamicSearchRules && !foreignKeys && head.includeMetadata === "" && grant.searchRule(indexUid) === null;
}

/** All of a request that decides its answer, as one text; null where that is too long to be kept. */
function rawText({ head, body, query }: Request): string | null {
  if (body.length > REQUEST_TEXT_LENGTH_MAX) return null;
  return head.method === "GET" ? `?${query}` : `${head.contentType} ${body.toString("latin1")}`;
}

function cachedAnswer(services: Services, request: Request, indexUid: string, name: string): Answer | null {
  const coding = chooseCoding(request.head.acceptEncoding);
  const key = withIndex(services, indexUid, (view) => services.answerCache.keyOf(view, name, {}, coding));
  return key === null
    ? null
    : givenAnswer(services, services.answerCache.lend(key, newUid(), performance.now() - request.startedAt));
}

function givenAnswer({ readers }: Services, given: GivenAnswer | null): Answer | null {
  if (given === null) return null;
  readers.noteGiven();
  return bytesAnswer(200, JSON_TYPE, given.body, given.coding, given.found);
}

/** `text` is what the query was read from, where that says all. */
export function searchParsed(
  services: Services,
  request: Request,
  indexUid: string,
  query: SearchQuery,
  text: string | null,
): Answer | Promise<Answer> {
  const asker = askerOf(services, request);
  services.usage?.search(parametersOf(query));
  if (query.useNetwork === true) return searchByServers(services, request, searchOfServers(asker, indexUid, query));
  checkSearch(asker, indexUid, query);
  const call = callOf(services, request);
  const { foreignKeys, dynamicSearchRules } = services.features.current;
  if (foreignKeys) call.hydrates = hydrated(asker, [indexUid]);
  const ask = (asked: SearchQuery, heard: string | null = null): Answer | Promise<Answer> => {
    if (!dynamicSearchRules) return answerTo(services, request, indexUid, asked, call, heard);
    return withPins(services, indexUid, asked).then((pinned) =>
      answerTo(services, request, indexUid, pinned, call, heard),
    );
  };
  const answer = needsVector(query)
    ? searchWithVector(services, request, indexUid, query, call, ask)
    : ask(query, query.personalize === null ? text : null);
  return query.personalize === null
    ? answer
    : Promise.resolve(answer).then((found) => ordered(services, request, found));
}

async function searchWithVector(
  services: Services,
  request: Request,
  indexUid: string,
  query: SearchQuery,
  call: SearchCall,
  ask: (asked: SearchQuery) => Answer | Promise<Answer>,
): Promise<Answer> {
  const toEmbed = embeddable(services, request, indexUid, query);
  if (toEmbed === null) return ask(query);
  // A search by words alone may be enough, but not to put its hits in another order twice.
  if (isSemantic(query) || query.personalize !== null) {
    const embedded = await withVector(services, request, query, toEmbed);
    // A search that has nothing but a vector to go by begins when it has it.
    call.arrivedAt = clockMs();
    return ask(embedded);
  }
  const byWords = await ask({ ...query, media: null });
  if (byWords.wants !== "vector") return byWords;
  const embedded = await withVector(services, request, query, toEmbed);
  return embedded.vector === null ? byWords : ask(embedded);
}

/** Given before, or found by a reader now. `text` is what the query was read from, where that says all. */
function answerTo(
  services: Services,
  request: Request,
  indexUid: string,
  query: SearchQuery & WithPins,
  call: SearchCall,
  text: string | null,
): Answer | Promise<Answer> {
  const { answerCache, features, readers, requestKeys } = services;
  const said = saidText(query);
  const name = answerCache.nameOf(query, call, said);
  const key = withIndex(services, indexUid, (view) => answerCache.keyOf(view, name, call, call.coding));
  const known =
    key === null ? null : givenAnswer(services, answerCache.find(key, call.requestUid, clockMs() - call.arrivedAt));
  if (known !== null) {
    // Most questions never come again; one that has come twice may.
    if (text !== null && name !== null) {
      requestKeys.remember(text, { name, parameters: parametersOf(query), q: query.q }, features.current);
    }
    return known;
  }
  // Its bytes are kept and sent before anything else is done on this thread.
  return readers.request("search", { indexUid, query, call, said }, null, request, true).then((answer) => {
    if (key !== null && answer.marks) {
      const { timeAt, timeEnd, uidAt, sums } = decodeVolatileSpans(answer.marks);
      const coding = answer.coding === "gzip" ? "gzip" : null;
      answerCache.keep(key, { body: answer.body, coding, timeAt, timeEnd, uidAt, sums, found: answer.found ?? null });
    }
    return readerAnswer(answer);
  });
}

function facetSearch(services: Services, request: Request, indexUid: string, query: FacetSearchQuery): Promise<Answer> {
  const asker = askerOf(services, request);
  const call = callOf(services, request);
  if (query.useNetwork === true) {
    const searches = [bytesOf(facetSearchOfServers(asker, indexUid, query))];
    return answerByServers(services, request, { searches, isList: false }, call);
  }
  checkFacetSearch(asker, indexUid, query);
  return askReader(services, request, "facetSearch", { indexUid, query, call });
}

function similar(services: Services, request: Request, indexUid: string, query: SimilarQuery): Promise<Answer> {
  const tenantFilter = checkSimilar(askerOf(services, request), indexUid, query);
  return askReader(services, request, "similar", { indexUid, query, tenantFilter, call: callOf(services, request) });
}

async function multiSearch(services: Services, request: Request, asked: MultiSearch): Promise<Answer> {
  // To write vectors for readers as text takes long: they go there beside the body.
  if (asked.queries.some(needsVector)) return answerByReader(services, request, "multiSearch");
  const asker = askerOf(services, request);
  services.usage?.request(usedBy(asked.queries, asked.federation !== null));
  const isPart = asked.federation !== null && isShare(services, request);
  const ofServers = multiSearchOfServers(asker, asked);
  if (ofServers !== null) {
    const answer = await searchByServers(services, request, ofServers);
    if (!isPart && answer.status === 200) seenAll(services, request, asked.queries);
    return answer;
  }
  const { local, origin } = checkMultiSearch(asker, asked);
  const call = callOf(services, request);
  const ready = madeReady(services, request, asker, local, call);
  // What does not wait takes its place among the requests now: until then, those that come after it are let in as well, and read in vain.
  const queries = ready instanceof Promise ? await ready : ready;
  const header = { queries, federation: asked.federation, origin, isShare: isPart, call };
  const found = await services.readers.request("multiSearch", header, null, request);
  if (!isPart && found.marks) seenAll(services, request, withOutcomes(queries, decodeSeen(found.marks)));
  return ordered(services, request, readerAnswer(found));
}

async function searchByServers(services: Services, request: Request, asked: ServersSearches): Promise<Answer> {
  const asker = askerOf(services, request);
  const call = callOf(services, request);
  const searches: SharedSearchBytes[] = [];
  for (const search of asked.searches) {
    const queries = await madeReady(services, request, asker, search.own.queries, call);
    searches.push(bytesOf({ ...search, own: { ...search.own, queries } }));
  }
  return answerByServers(services, request, { searches, isList: asked.isList }, call);
}

/** With all that readers do not know: vectors, pins, and what of other indexes may be shown. */
function madeReady(
  services: Services,
  request: Request,
  asker: Asker,
  queries: IndexQuery[],
  call: SearchCall,
): (IndexQuery & WithPins)[] | Promise<(IndexQuery & WithPins)[]> {
  const { foreignKeys, dynamicSearchRules } = services.features.current;
  const searched = queries.map(({ indexUid }) => indexUid);
  if (foreignKeys) call.hydrates = [...(call.hydrates ?? []), ...hydrated(asker, searched)];
  const needy = queries.filter(needsVector);
  if (needy.length === 0 && !dynamicSearchRules) return queries;
  return withVectorsAndPins(services, request, queries, needy, call);
}

async function withVectorsAndPins(
  services: Services,
  request: Request,
  queries: readonly IndexQuery[],
  needy: readonly IndexQuery[],
  call: SearchCall,
): Promise<(IndexQuery & WithPins)[]> {
  const embedded = needy.length > 0 ? await withVectors(services, request, queries) : queries;
  if (needy.length > 0 && needy.every(isSemantic)) call.arrivedAt = clockMs();
  return Promise.all(embedded.map((query) => withPins(services, query.indexUid, query)));
}

/** All at once. The first query that cannot do without a vector and gets none is the one that is refused. */
async function withVectors(
  services: Services,
  request: Request,
  queries: readonly IndexQuery[],
): Promise<IndexQuery[]> {
  const embedded = await Promise.allSettled(
    queries.map(async (query) => {
      const toEmbed = embeddable(services, request, query.indexUid, query);
      return toEmbed === null ? query : withVector(services, request, query, toEmbed);
    }),
  );
  return embedded.map((outcome, position) =>
    insideQuery(placeOf(queries[position]!, position), () => {
      if (outcome.status === "rejected") throw outcome.reason;
      return outcome.value;
    }),
  );
}

/** Readers know no rules: what those pin goes with the query. */
async function withPins<Query extends SearchQuery>(
  { features, readers, rules }: Services,
  indexUid: string,
  query: Query,
): Promise<Query & WithPins> {
  if (!features.current.dynamicSearchRules) return query;
  const search = { indexUid, q: query.q, filter: query.filter };
  const pins = await withDictionaries(readers, () => rules.pins(search));
  return pins.length === 0 ? query : { ...query, pins };
}
