/**
 * A search that several servers answer: what each of them is asked for, so that the answers, its _shares_, hold all that the whole
 * answer needs, and what is needed besides to put them together. Every server is asked for hits from the first one on, because
 * none knows how many of its own come before the page.
 */
import type { Federation, IndexQuery, MultiSearch } from "../../base/contract/multi-search.ts";
import { type SearchQuery, saidText } from "../../base/contract/search.ts";
import { type Window, windowOf } from "../../base/contract/window.ts";
import type { WithPins } from "../pins/pin.ts";
import type { PlacedQueries } from "./remotes.ts";

/** How the whole answer looks: that of a federated search, of a search, or one of the results of several. */
type AnswerShape = "federated" | "search" | "result";

/** What puts shares together needs to know of the request. */
export interface SharesPlan {
  shape: AnswerShape;
  federation: Federation;
  self: string | null;
  /** As they were asked, by place. */
  queries: Pick<IndexQuery, "indexUid" | "q" | "federationOptions">[];
}

/** What this server answers itself, in the form in which a reader takes it. */
export interface OwnShare {
  queries: (IndexQuery & WithPins)[];
  federation: Federation | null;
  /** Where the queries stand in the request; null for where their options say. */
  places: number[] | null;
  /** Errors tell which query is meant. */
  isOneOfMany: boolean;
  /** See `SearchCall`, which has it where this is absent. */
  hydrates?: readonly string[];
}

/** What several servers are asked, `Own` by this one, and what is needed to put it together. */
export interface Shared<Own, Plan> {
  /** One that is searched, or nothing. */
  indexUid: string;
  /** Of the route that the others are asked at. */
  path: string;
  asks: { remote: string; body: string }[];
  own: Own;
  plan: Plan;
}

export type SharedSearch = Shared<OwnShare, SharesPlan>;

/** A federated search whose queries have been given to servers. */
export function sharedSearch(asked: MultiSearch, { local, remote, origin }: PlacedQueries): SharedSearch {
  const federation = asked.federation!;
  const elsewhere = new Set([...remote.values()].flat().map(({ indexUid }) => indexUid));
  const here = new Set(local.map(({ indexUid }) => indexUid));
  const asks = [...remote].map(([name, queries]) => {
    const searched = new Set(queries.map(({ indexUid }) => indexUid));
    const part = { ...shareOf(federation), facetsByIndex: facetsOf(federation, (uid) => searched.has(uid)) };
    return {
      remote: name,
      body: `{"federation":${JSON.stringify(said(part))},"queries":[${queries.map(sent).join()}]}`,
    };
  });
  // What nobody searches is checked here.
  const ownFacets = facetsOf(federation, (uid) => here.has(uid) || !elsewhere.has(uid));
  return {
    indexUid: local[0]?.indexUid ?? "",
    path: "/multi-search",
    asks,
    own: {
      queries: local,
      federation: { ...shareOf(federation), facetsByIndex: ownFacets },
      places: null,
      isOneOfMany: true,
    },
    plan: {
      shape: "federated",
      federation,
      self: origin?.self ?? null,
      queries: asked.queries.map(({ indexUid, q, federationOptions }) => ({ indexUid, q, federationOptions })),
    },
  };
}

/** One search of all servers as a federated one, which has the page and the facets. */
export function networkWide(indexUid: string, query: SearchQuery, position: number): MultiSearch {
  const { offset, limit, page, hitsPerPage, facets, personalize, showPerformanceDetails } = query;
  const federation: Federation = {
    offset,
    limit,
    page,
    hitsPerPage,
    facetsByIndex: facets === null || facets.length === 0 ? {} : { [indexUid]: facets },
    mergeFacets: null,
    distinct: query.distinct,
    showPerformanceDetails,
    personalize,
  };
  const rest = { ...query, offset: 0, limit: 20, page: null, hitsPerPage: null, facets: null, personalize: null };
  const alone = { ...rest, distinct: null, showPerformanceDetails: false };
  const federationOptions = { weight: 1, remote: null, queryPosition: position };
  return { queries: [{ ...alone, indexUid, federationOptions }], federation };
}

function shareOf(federation: Federation): Federation {
  const { page, hitsPerPage } = federation;
  const { offset, limit }: Window = windowOf(federation);
  const isPaged = page !== null || hitsPerPage !== null;
  const reach = limit === 0 ? 0 : offset + limit;
  return {
    ...federation,
    ...(isPaged ? { page: reach === 0 ? 0 : 1, hitsPerPage: reach } : { offset: 0, limit: reach }),
    mergeFacets: null,
    showPerformanceDetails: false,
    personalize: null,
  };
}

function facetsOf({ facetsByIndex }: Federation, isWanted: (uid: string) => boolean): Federation["facetsByIndex"] {
  return Object.fromEntries(Object.entries(facetsByIndex).filter(([uid]) => isWanted(uid)));
}

/** Leaves out members that say nothing: servers of older versions may not know them, and refuse what they do not know. */
function said({ facetsByIndex, distinct, page, hitsPerPage, offset, limit }: Federation): object {
  return {
    ...(page === null && hitsPerPage === null ? { offset, limit } : { page, hitsPerPage }),
    ...(Object.keys(facetsByIndex).length === 0 ? {} : { facetsByIndex }),
    ...(distinct === null ? {} : { distinct }),
  };
}

function sent({ indexUid, federationOptions, ...query }: IndexQuery): string {
  const { weight, queryPosition } = federationOptions!;
  const head = JSON.stringify({ indexUid, federationOptions: { weight, queryPosition } });
  const rest = saidText({ ...query, useNetwork: null });
  return rest === "{}" ? head : `${head.slice(0, -1)},${rest.slice(1)}`;
}
