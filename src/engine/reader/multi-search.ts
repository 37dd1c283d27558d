/** Several searches in one request over one snapshot: each answered on its own, or all merged into one list. */

import { type IndexQuery, insideQuery } from "../../base/contract/multi-search.ts";
import type { SearchQuery } from "../../base/contract/search.ts";
import { ByteSink } from "../../base/json/bytes.ts";
import type { OwnFacetSearch } from "../ask/shared-facets.ts";
import type { OwnShare } from "../ask/shares.ts";
import { plainAnswer } from "../cache/cached-answer.ts";
import type { ReaderRequests, SearchCall } from "../link/requests.ts";
import type { WithPins } from "../pins/pin.ts";
import { SearchClock } from "./clock.ts";
import { federatedBody } from "./federated.ts";
import { refuseAbandoned, type Searching, searchOne, viewOf } from "./search.ts";
import type { RequestContext } from "./task.ts";
import { TimeSlice } from "./time-slice.ts";

export async function runMultiSearch(
  header: ReaderRequests["multiSearch"],
  context: RequestContext,
): Promise<Uint8Array> {
  const { queries, federation, origin, isShare, call } = header;
  const searching: Searching = { context, clock: new SearchClock(call), call };
  if (federation === null) return resultsBody(queries, null, searching);
  return federatedBody(queries, federation, { origin, isShare, isOneOfMany: true }, searching);
}

export function ownShareIn(payload: Uint8Array): OwnShare | OwnFacetSearch {
  return JSON.parse(Buffer.from(payload).toString("utf8")) as OwnShare | OwnFacetSearch;
}

/** This server's part of a search that others take part in. */
export async function runShare(own: OwnShare, call: SearchCall, context: RequestContext): Promise<Uint8Array> {
  const { queries, federation, places, isOneOfMany, hydrates = call.hydrates } = own;
  const told = hydrates === undefined ? call : { ...call, hydrates };
  const searching: Searching = { context, clock: new SearchClock(call), call: told };
  if (federation === null) return resultsBody(queries, places, searching);
  return federatedBody(queries, federation, { origin: null, isShare: true, isOneOfMany }, searching);
}

/** Each query answered on its own. `places`: where they stand in the request, when they are not all of it. */
async function resultsBody(
  queries: (IndexQuery & WithPins)[],
  places: readonly number[] | null,
  searching: Searching,
): Promise<Uint8Array> {
  const turns = new TimeSlice();
  const out = new ByteSink(16 * 1024);
  out.ascii('{"results":[');
  for (const [position, { indexUid, ...query }] of queries.entries()) {
    await turns.pause();
    if (position > 0) out.byte(0x2c);
    // Every query has its own time; only the wait is common to all.
    const own = { ...searching, clock: searching.clock.again() };
    const body = insideQuery(places?.[position] ?? position, () => partOf(indexUid, query, own));
    out.ascii(`{"indexUid":${JSON.stringify(indexUid)},`);
    out.bytes(body, 1, body.length);
  }
  out.ascii("]}");
  return out.view();
}

/** The answer to one of the queries: given before, or found now. */
function partOf(indexUid: string, query: SearchQuery & WithPins, searching: Searching): Uint8Array {
  refuseAbandoned(searching);
  const { call, clock, context } = searching;
  const view = viewOf(indexUid, context);
  const { kept } = context;
  const key = kept?.keyOf(view, kept.nameOf(query, call), call, null) ?? null;
  const known = key === null ? null : kept!.find(key, call.requestUid, clock.elapsedMs);
  if (known !== null) return known.body;
  const { answer, isKeepable } = searchOne(view, query, searching);
  if (key !== null && isKeepable) kept!.keep(key, plainAnswer(answer));
  return answer.body;
}
