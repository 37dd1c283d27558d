/** Whether a search is for other servers too, and what each of them, and this one, has to answer then. All of it is checked. */
import { type IndexQuery, insideQuery, type MultiSearch } from "../../base/contract/multi-search.ts";
import type { SearchQuery } from "../../base/contract/search.ts";
import type { Asker } from "./asker.ts";
import { type KnownNetwork, placeQueries } from "./remotes.ts";
import {
  checkMultiSearch,
  checkNetwork,
  checkPersonalized,
  checkRemote,
  checkSearch,
  requireIndexes,
} from "./search.ts";
import type { SharedDocuments } from "./shared-documents.ts";
import type { SharedFacetSearch } from "./shared-facets.ts";
import { networkWide, type OwnShare, type Shared, type SharedSearch, sharedSearch } from "./shares.ts";

/** A search that several servers answer, or, without a plan, queries that this one answers by itself. */
export type ServersSearch = SharedSearch | Shared<OwnShare, null> | SharedFacetSearch | SharedDocuments;

export interface ServersSearches<
  Search extends ServersSearch = Exclude<ServersSearch, SharedFacetSearch | SharedDocuments>,
> {
  searches: Search[];
  /** Whether each is one of several results. */
  isList: boolean;
}

/** Null when this server answers alone, for which nothing is checked yet. */
export function multiSearchOfServers(asker: Asker, asked: MultiSearch): ServersSearches | null {
  const { queries, federation } = asked;
  const isShared = queries.some((query) => query.useNetwork === true || namesOther(query, asker.network));
  if (!isShared) return null;
  if (federation !== null) {
    return { searches: [sharedSearch(asked, checkMultiSearch(asker, asked))], isList: false };
  }
  requireIndexes(asker, queries);
  const searches: ServersSearches["searches"] = [];
  let own: OwnShare | null = null;
  for (const [position, query] of queries.entries()) {
    if (query.useNetwork === true) {
      own = null;
      const wide = networkWide(query.indexUid, query, position);
      const search = insideQuery(position, () => oneOfServers(asker, query.indexUid, wide));
      searches.push({
        ...search,
        own: { ...search.own, isOneOfMany: true },
        plan: { ...search.plan, shape: "result" },
      });
      continue;
    }
    insideQuery(position, () => checkSearch(asker, query.indexUid, query));
    if (own === null) {
      own = { queries: [], federation: null, places: [], isOneOfMany: true };
      searches.push({ indexUid: query.indexUid, path: "", asks: [], own, plan: null });
    }
    own.queries.push(query);
    own.places!.push(position);
  }
  return { searches, isList: true };
}

/** One search of all servers of the network. */
export function searchOfServers(asker: Asker, indexUid: string, query: SearchQuery): ServersSearches {
  return { searches: [oneOfServers(asker, indexUid, networkWide(indexUid, query, 0))], isList: false };
}

function oneOfServers(asker: Asker, indexUid: string, wide: MultiSearch): SharedSearch {
  checkPersonalized(asker, wide.federation!);
  for (const query of wide.queries) checkNetwork(asker, query);
  const placed = placeQueries(wide.queries, asker.network);
  for (const query of placed.local) checkSearch(asker, indexUid, query);
  for (const query of [...placed.remote.values()].flat()) checkRemote(asker, indexUid, query);
  const search = sharedSearch(wide, placed);
  return { ...search, own: { ...search.own, isOneOfMany: false }, plan: { ...search.plan, shape: "search" } };
}

function namesOther({ federationOptions }: IndexQuery, { self }: KnownNetwork): boolean {
  const remote = federationOptions?.remote ?? null;
  return remote !== null && remote !== self;
}
