/**
 * Bodies, and query strings, that are too much work for the front: read in steps, checked by the same rules, and answered like requests that the
 * front has read. Where a query wants a vector, the front is told so first.
 */

import { parseDocumentsFetch, parseDocumentsQuery } from "../../base/contract/documents.ts";
import { readBoundedJson } from "../../base/contract/json-body.ts";
import { insideQuery, parseMultiSearch, placeOf } from "../../base/contract/multi-search.ts";
import { parseFacetSearch, parseSearch, parseSearchQuery, type SearchQuery } from "../../base/contract/search.ts";
import { parseSimilar, parseSimilarQuery } from "../../base/contract/similar.ts";
import { indexNotFound } from "../../base/errors/errors.ts";
import { countedQuery } from "../../base/insight/query-text.ts";
import { limits } from "../../base/limits.ts";
import { nowMicros } from "../../base/time/time.ts";
import { type Asker, receivedAsker, type SentAsker } from "../ask/asker.ts";
import { checkDocuments } from "../ask/documents.ts";
import { checkFacetSearch, checkMultiSearch, checkSearch, checkSimilar, hydrated } from "../ask/search.ts";
import { multiSearchOfServers, type ServersSearch, type ServersSearches, searchOfServers } from "../ask/servers.ts";
import { documentsOfServers } from "../ask/shared-documents.ts";
import { facetSearchOfServers } from "../ask/shared-facets.ts";
import { usedBy } from "../ask/used-parameters.ts";
import { embedderFor, isSemantic, searchInput } from "../ask/vectors.ts";
import { decodeGiven, encodeMissing, type GivenVector, type MissingVector } from "../link/query-vectors.ts";
import type { ReaderRequests, Want } from "../link/requests.ts";
import { decodeSeen, encodeAsked } from "../link/seen-searches.ts";
import { bytesOf, encodeSearches } from "../link/shared-searches.ts";
import type { WithPins } from "../pins/pin.ts";
import { pinsFor } from "../pins/rules.ts";
import type { EmbedInput } from "../vector/embed/embedder.ts";
import type { Handlers, Reply, RequestContext } from "./task.ts";
import { TimeSlice } from "./time-slice.ts";

export async function answerAsked(
  header: ReaderRequests["asked"],
  payload: Uint8Array,
  context: RequestContext,
  handlers: Pick<Handlers, "search" | "facetSearch" | "similar" | "multiSearch" | "documents.list">,
): Promise<Reply> {
  const turns = new TimeSlice();
  const { route, indexUid, isQuery, vectorsBytes } = header;
  const bytes = payload.subarray(vectorsBytes ?? 0);
  const vectors = vectorsBytes === null ? null : decodeGiven(payload.subarray(0, vectorsBytes));
  const body = isQuery ? null : await readBoundedJson(bytes, limits.searchBodyValues, () => turns.pause());
  const queryString = isQuery ? Buffer.from(bytes).toString() : "";
  const asker = askerIn(context, header.asker);
  const call = header.call;
  switch (route) {
    case "search": {
      const query = isQuery ? parseSearchQuery(queryString) : parseSearch(body);
      const used = usedBy([query], false);
      const told = (reply: Reply): Reply => {
        const search = { indexUid, q: countedQuery(query.q ?? ""), found: reply.found ?? null, ms: null };
        return { ...reply, marks: encodeAsked({ used, searches: [search] }) };
      };
      if (query.useNetwork === true)
        return told(forServers(searchOfServers(asker, indexUid, query), asker, header, vectors));
      checkSearch(asker, indexUid, query);
      const missing = missingVectorOf(asker, indexUid, query, 0, null);
      if (missing !== null && vectors === null) return handedBack([missing]);
      give([query], vectors);
      if (asker.features.foreignKeys) call.hydrates = hydrated(asker, [indexUid]);
      return told(
        await handlers.search({ indexUid, query: withPins(indexUid, query, header), call }, payload, context),
      );
    }
    case "multiSearch": {
      const { queries, federation } = parseMultiSearch(body, asker.features);
      const { isShare } = header;
      const used = usedBy(queries, federation !== null);
      const told = (reply: Reply): Reply => {
        const outcomes = reply.marks ? decodeSeen(reply.marks) : null;
        const searches = (isShare ? [] : queries).map(({ indexUid: uid, q }, i) => ({
          indexUid: uid,
          q: countedQuery(q ?? ""),
          ...(outcomes?.[i] ?? { found: null, ms: null }),
        }));
        return { ...reply, marks: encodeAsked({ used, searches }) };
      };
      const ofServers = multiSearchOfServers(asker, { queries, federation });
      if (ofServers !== null) return told(forServers(ofServers, asker, header, vectors));
      const { local, origin } = checkMultiSearch(asker, { queries, federation });
      const missing = local.flatMap(
        (query, i) => missingVectorOf(asker, query.indexUid, query, i, placeOf(query, i)) ?? [],
      );
      if (missing.length > 0 && vectors === null) return handedBack(missing);
      give(local, vectors);
      const searched = local.map((query) => query.indexUid);
      if (asker.features.foreignKeys) call.hydrates = hydrated(asker, searched);
      const pinned = local.map((query) => withPins(query.indexUid, query, header));
      return told(await handlers.multiSearch({ queries: pinned, federation, origin, isShare, call }, payload, context));
    }
    case "facetSearch": {
      const query = parseFacetSearch(body);
      if (query.useNetwork === true) return sentToServers([facetSearchOfServers(asker, indexUid, query)], "servers");
      checkFacetSearch(asker, indexUid, query);
      return handlers.facetSearch({ indexUid, query, call }, payload, context);
    }
    case "similar": {
      const query = isQuery ? parseSimilarQuery(queryString) : parseSimilar(body);
      const tenantFilter = checkSimilar(asker, indexUid, query);
      return handlers.similar({ indexUid, query, tenantFilter, call }, payload, context);
    }
    case "documents": {
      const query = isQuery ? parseDocumentsQuery(queryString) : parseDocumentsFetch(body);
      if (query.useNetwork === true) return sentToServers([documentsOfServers(asker, indexUid, query)], "servers");
      checkDocuments(asker, indexUid, query);
      const { useNetwork: _useNetwork, ...asked } = query;
      return handlers["documents.list"]({ indexUid, ...asked, isShare: header.isShare }, payload, context);
    }
  }
}

/** What is answered here is made ready for it; the rest is for the front to send. */
function forServers(
  { searches, isList }: ServersSearches,
  asker: Asker,
  header: ReaderRequests["asked"],
  vectors: readonly GivenVector[] | null,
): Reply {
  const own = searches.flatMap((search) => search.own.queries);
  const missing = own.flatMap((query, i) => missingVectorOf(asker, query.indexUid, query, i, placeOf(query, i)) ?? []);
  if (missing.length > 0 && vectors === null) return handedBack(missing);
  give(own, vectors);
  for (const search of searches) {
    search.own.queries = search.own.queries.map((query) => withPins(query.indexUid, query, header));
    if (asker.features.foreignKeys) {
      search.own.hydrates = hydrated(
        asker,
        search.own.queries.map(({ indexUid }) => indexUid),
      );
    }
  }
  return sentToServers(searches, isList ? "serversEach" : "servers");
}

function sentToServers(searches: readonly ServersSearch[], wants: Want): Reply {
  const body = encodeSearches(searches.map(bytesOf));
  return { status: 200, contentType: "application/octet-stream", body, wants };
}

/** Whoever asks, on the indexes as they stand for this request. */
export function askerIn(context: Pick<RequestContext, "snapshot">, sent: SentAsker): Asker {
  return receivedAsker(sent, (uid, use) => {
    const view = context.snapshot().index(uid);
    if (view === null) throw indexNotFound(uid);
    return use(view);
  });
}

function missingVectorOf(
  asker: Asker,
  indexUid: string,
  query: SearchQuery,
  position: number,
  place: number | null,
): MissingVector | null {
  const embedder = asker.withIndex(indexUid, ({ settings }) => embedderFor(settings, query));
  if (embedder === null) return null;
  const input = (): EmbedInput => searchInput(query, embedder);
  return {
    position,
    place,
    indexUid,
    embedder: query.hybrid!.embedder,
    input: place === null ? input() : insideQuery(place, input),
    isNeeded: isSemantic(query),
  };
}

function handedBack(missing: readonly MissingVector[]): Reply {
  return { status: 200, contentType: "application/octet-stream", body: encodeMissing(missing), wants: "vectors" };
}

function give(queries: readonly SearchQuery[], vectors: readonly GivenVector[] | null): void {
  for (const { position, vector } of vectors ?? []) {
    const query = queries[position]!;
    query.vector = vector === null ? null : Array.from(vector);
    query.media = null;
  }
}

function withPins<Query extends SearchQuery>(
  indexUid: string,
  query: Query,
  { asker: { rules } }: ReaderRequests["asked"],
): Query & WithPins {
  if (rules === null) return query;
  const pins = pinsFor(rules, { indexUid, q: query.q, filter: query.filter }, nowMicros());
  return pins.length === 0 ? query : { ...query, pins };
}
