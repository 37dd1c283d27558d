/**
 * Searches: one, several at once, values of a facet, documents like another. Reads what is asked, adds what a tenant token
 * demands, checks what only the front knows (flags, scopes), and leaves the rest to a reader.
 */
import { apiError, type ErrorCode } from "../../contract/errors.ts";
import {
  type IndexQuery,
  insideQuery,
  type MultiSearch,
  parseMultiSearch,
  placeOf,
} from "../../contract/multi-search.ts";
import {
  checkSearchKind,
  type FacetSearchQuery,
  parseFacetSearch,
  parseSearch,
  parseSearchQuery,
  type SearchQuery,
} from "../../contract/search.ts";
import { parseSimilar, parseSimilarQuery, type SimilarQuery } from "../../contract/similar.ts";
import { readFilter } from "../../filter/read.ts";
import { decodeMarks } from "../../kept/answer.ts";
import type { GivenAnswer } from "../../kept/answers.ts";
import { QUESTION_LENGTH_MAX } from "../../kept/questions.ts";
import { clockMs } from "../../link/clock.ts";
import { type SearchCall, WANTS_VECTOR } from "../../link/requests.ts";
import { newUid } from "../../link/uids.ts";
import type { WithPins } from "../../pins/pin.ts";
import type { Json } from "../../tasks/task.ts";
import { type Answer, bytesAnswer, JSON_TYPE } from "../answer.ts";
import { chooseCoding } from "../compress.ts";
import { withDictionaries } from "../dictionaries.ts";
import { checkForeign } from "../foreign-scope.ts";
import { embeddable, isSemantic, needsVector, withVector } from "../query-vectors.ts";
import { placeQueries } from "../remotes.ts";
import type { ApiRoute, Request, Services } from "../services.ts";
import { askReader, demandFeature, indexUidOf, readerAnswer, withIndex } from "./common.ts";

const ONE = "/indexes/{index_uid}";

export function searchRoutes(services: Services): ApiRoute[] {
  return [
    {
      method: "POST",
      path: `${ONE}/search`,
      action: "search",
      body: "wanted",
      handle: (request) => search(services, request, indexUidOf(request), () => parseSearch(request.json())),
    },
    {
      method: "GET",
      path: `${ONE}/search`,
      action: "search",
      body: "ignored",
      handle: (request) => search(services, request, indexUidOf(request), () => parseSearchQuery(request.query)),
    },
    {
      method: "POST",
      path: `${ONE}/facet-search`,
      action: "search",
      body: "wanted",
      handle: (request) => facetSearch(services, request, indexUidOf(request), parseFacetSearch(request.json())),
    },
    {
      method: "POST",
      path: `${ONE}/similar`,
      action: "search",
      body: "wanted",
      handle: (request) => similar(services, request, indexUidOf(request), parseSimilar(request.json())),
    },
    {
      method: "GET",
      path: `${ONE}/similar`,
      action: "search",
      body: "ignored",
      handle: (request) => similar(services, request, indexUidOf(request), parseSimilarQuery(request.query)),
    },
    {
      method: "POST",
      path: "/multi-search",
      action: "search",
      body: "wanted",
      handle: (request) => multiSearch(services, request, parseMultiSearch(request.json(), services.features.current)),
    },
  ];
}

/** At once when the very same request was answered before. `read` says what is asked. */
function search(
  services: Services,
  request: Request,
  indexUid: string,
  read: () => SearchQuery,
): Answer | Promise<Answer> {
  const text = isOpen(services, request, indexUid) ? textOf(request) : null;
  const name = text === null ? null : services.questions.nameOf(text, services.features.current);
  const known = name === null ? null : knownAnswer(services, request, indexUid, name);
  return known ?? searchAnew(services, request, indexUid, read(), text);
}

/** Whether what a request means depends on its text alone: no tenant, rule or other index has a say in it. */
function isOpen({ features }: Services, { grant, head }: Request, indexUid: string): boolean {
  const { dynamicSearchRules, foreignKeys } = features.current;
  return !dynamicSearchRules && !foreignKeys && head.includeMetadata === "" && grant.searchRule(indexUid) === null;
}

/** All of a request that says what is asked; null for more than is remembered. */
function textOf({ head, body, query }: Request): string | null {
  if (body.length > QUESTION_LENGTH_MAX) return null;
  return head.method === "GET" ? `?${query}` : `${head.contentType} ${body.toString("latin1")}`;
}

function knownAnswer(services: Services, request: Request, indexUid: string, name: string): Answer | null {
  const coding = chooseCoding(request.head.acceptEncoding);
  const key = withIndex(services, indexUid, (view) => services.kept.keyOf(view, name, {}, coding));
  return key === null ? null : givenAnswer(services.kept.lend(key, newUid(), performance.now() - request.startedAt));
}

function givenAnswer(given: GivenAnswer | null): Answer | null {
  return given === null ? null : bytesAnswer(200, JSON_TYPE, given.body, given.coding);
}

/** `text` is what the query was read from, where that says all. */
export async function searchAnew(
  services: Services,
  request: Request,
  indexUid: string,
  query: SearchQuery,
  text: string | null,
): Promise<Answer> {
  checkSearch(services, request, indexUid, query);
  const call = { ...callOf(services, request), ...hydrating(services, request, [indexUid]) };
  const ask = async (asked: SearchQuery, heard: string | null = null) =>
    answerTo(services, request, indexUid, await withPins(services, indexUid, asked), call, heard);
  if (!needsVector(query)) return ask(query, text);
  const toEmbed = embeddable(services, request, indexUid, query);
  if (toEmbed === null) return final(await ask(query));
  if (isSemantic(query)) {
    const embedded = await withVector(services, request, query, toEmbed);
    // A search that has nothing but a vector to go by begins when it has it.
    call.arrivedAt = clockMs();
    return ask(embedded);
  }
  const byWords = await ask({ ...query, media: null });
  if (byWords.status !== WANTS_VECTOR) return byWords;
  const embedded = await withVector(services, request, query, toEmbed);
  return embedded.vector === null ? final(byWords) : ask(embedded);
}

/** Given before, or found by a reader now. `text` is what the query was read from, where that says all. */
async function answerTo(
  services: Services,
  request: Request,
  indexUid: string,
  query: SearchQuery & WithPins,
  call: SearchCall,
  text: string | null,
): Promise<Answer> {
  const { features, kept, questions, readers } = services;
  const name = kept.nameOf(query, call);
  if (text !== null && name !== null) questions.remember(text, name, features.current);
  const key = withIndex(services, indexUid, (view) => kept.keyOf(view, name, call, call.coding));
  const known = key === null ? null : givenAnswer(kept.find(key, call.requestUid, clockMs() - call.arrivedAt));
  if (known !== null) return known;
  const answer = await readers.request("search", { indexUid, query, call }, null, request);
  if (key !== null && answer.marks) {
    const coding = answer.coding === "gzip" ? "gzip" : null;
    kept.keep(key, { body: answer.body, coding, ...decodeMarks(answer.marks) });
  }
  return readerAnswer(answer);
}

/** An answer by words that no vector will make better. */
function final(answer: Answer): Answer {
  return answer.status === WANTS_VECTOR ? { ...answer, status: 200 } : answer;
}

function facetSearch(services: Services, request: Request, indexUid: string, query: FacetSearchQuery): Promise<Answer> {
  const asked = query.filter;
  query.filter = bothFilters(asked, request.grant.searchRule(indexUid));
  withIndex(services, indexUid, (index) => {
    checkQuery(services, query);
    checkForeign(request.grant, index, asked);
  });
  return askReader(services, request, "facetSearch", { indexUid, query, call: callOf(services, request) });
}

function similar(services: Services, request: Request, indexUid: string, query: SimilarQuery): Promise<Answer> {
  const asked = query.filter;
  const tenantFilter = request.grant.searchRule(indexUid);
  query.filter = bothFilters(asked, tenantFilter);
  withIndex(services, indexUid, (index) => {
    checkFilter(services, query.filter, "invalid_similar_filter");
    checkForeign(request.grant, index, asked);
  });
  return askReader(services, request, "similar", { indexUid, query, tenantFilter, call: callOf(services, request) });
}

/** Who asks for several must be allowed to ask for each before anything else about them is said. */
async function multiSearch(
  services: Services,
  request: Request,
  { queries, federation }: MultiSearch,
): Promise<Answer> {
  for (const [position, { indexUid }] of queries.entries()) {
    insideQuery(position, () => request.grant.requireIndex(indexUid));
  }
  for (const uid of Object.keys(federation?.facetsByIndex ?? {})) request.grant.requireIndex(uid);
  if (federation !== null) refusePersonalized(federation);
  const { local, origin } = placeQueries(queries, services.network.current);
  for (const [position, query] of local.entries()) {
    insideQuery(placeOf(query, position), () => checkSearch(services, request, query.indexUid, query));
  }
  const searched = local.map(({ indexUid }) => indexUid);
  const call = { ...callOf(services, request), ...hydrating(services, request, searched) };
  const needy = local.filter(needsVector);
  const embedded = needy.length > 0 ? await withVectors(services, request, local) : local;
  if (needy.length > 0 && needy.every(isSemantic)) call.arrivedAt = clockMs();
  const pinned = await Promise.all(embedded.map((query) => withPins(services, query.indexUid, query)));
  return askReader(services, request, "multiSearch", { queries: pinned, federation, origin, call });
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

/** Gives the query the filter of the tenant and refuses what this server does not do. */
function checkSearch(services: Services, request: Request, indexUid: string, query: SearchQuery): void {
  const asked = query.filter;
  query.filter = bothFilters(asked, request.grant.searchRule(indexUid));
  refusePersonalized(query);
  withIndex(services, indexUid, (index) => {
    checkQuery(services, query);
    checkForeign(request.grant, index, asked);
  });
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

/** Foreign documents are shown only to those who might as well search for them. */
function hydrating(services: Services, { grant }: Request, searched: readonly string[]): Pick<SearchCall, "hydrates"> {
  if (!services.features.current.foreignKeys) return {};
  const keys = searched.flatMap((uid) => withIndex(services, uid, ({ settings }) => settings.foreignKeys));
  const uids = new Set(keys.map(({ foreignIndexUid }) => foreignIndexUid));
  return { hydrates: [...uids].filter((uid) => grant.allowsIndex(uid) && grant.searchRule(uid) === null) };
}

function callOf({ info }: Services, request: Request): SearchCall {
  return {
    arrivedAt: clockMs() - (performance.now() - request.startedAt),
    dropAfterMs: info.dropSearchAfterMs,
    requestUid: newUid(),
    coding: chooseCoding(request.head.acceptEncoding),
    includeMetadata: /^(?:true|1)$/i.test(request.head.includeMetadata),
  };
}

/** Both must hold. An array is a list of conditions that all must hold, so two of them are one longer list. */
function bothFilters(asked: Json, demanded: Json): Json {
  if (demanded === null) return asked;
  if (asked === null) return demanded;
  return [...(Array.isArray(asked) ? asked : [asked]), ...(Array.isArray(demanded) ? demanded : [demanded])];
}

function refusePersonalized({ personalize }: Pick<SearchQuery, "personalize">): void {
  if (personalize === null) return;
  throw apiError(
    "feature_not_enabled",
    "Personalizing a search requires a server that was started with the key of a personalization service.",
  );
}

function checkQuery(
  services: Services,
  query: Pick<SearchQuery, "vector" | "media" | "hybrid" | "useNetwork" | "filter">,
): void {
  checkSearchKind(query);
  if (query.media !== null) demandFeature(services, "multimodal", "Using `media` in a search");
  if (query.useNetwork !== null) demandFeature(services, "network", "Using `useNetwork` in a search");
  checkFilter(services, query.filter, "invalid_search_filter");
}

/** What a filter can need a flag for. Readers know no flags, but most filters have nothing to do with any. */
const FLAGGED = /CONTAINS|_vectors|_foreign|_shard/;

function checkFilter(services: Services, filter: Json, code: ErrorCode): void {
  if (filter !== null && FLAGGED.test(JSON.stringify(filter))) readFilter(filter, services.features.current, code);
}
