/** A search for values of a facet in all servers of the network: what each of them is asked, and how their answers become one. */

import type { FacetSearchQuery } from "../../base/contract/search.ts";
import { type FacetOrder, facetOrder } from "../answer/facets.ts";
import type { Asker } from "./asker.ts";
import { serversIn } from "./remotes.ts";
import { checkFacetSearch, refuseForeignElsewhere } from "./search.ts";
import type { Shared } from "./shares.ts";

/** Null when this server is not part of the network. */
export interface OwnFacetSearch {
  facetSearch: { indexUid: string; query: FacetSearchQuery } | null;
}

export interface FacetsPlan {
  shape: "facets";
  facetQuery: string | null;
  /** As the index here has it. */
  order: FacetOrder;
  valuesMax: number;
}

export type SharedFacetSearch = Shared<OwnFacetSearch, FacetsPlan>;

export function facetSearchOfServers(asker: Asker, indexUid: string, query: FacetSearchQuery): SharedFacetSearch {
  const asked = query.filter;
  checkFacetSearch(asker, indexUid, query);
  refuseForeignElsewhere(asker.scope, asked);
  const { faceting } = asker.withIndex(indexUid, ({ settings }) => settings);
  const servers = serversIn(asker.network);
  const { facetName, facetQuery } = query;
  const alone = { ...query, useNetwork: null };
  const said = Object.entries(alone).filter(([, value]) => value !== null);
  const body = JSON.stringify(Object.fromEntries(said));
  return {
    indexUid,
    path: `/indexes/${indexUid}/facet-search`,
    asks: servers.flatMap((remote) => (remote === null ? [] : [{ remote, body }])),
    own: { facetSearch: servers.includes(null) ? { indexUid, query: alone } : null },
    plan: {
      shape: "facets",
      facetQuery,
      order: facetOrder({ faceting }, facetName),
      valuesMax: faceting.maxValuesPerFacet,
    },
  };
}
