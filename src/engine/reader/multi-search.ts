/** Several searches in one request over one snapshot: each answered on its own, or all merged into one list. */

import { type IndexQuery, insideQuery } from "../../base/contract/multi-search.ts";
import type { SearchQuery } from "../../base/contract/search.ts";
import { refuseTooLong } from "../../base/errors/errors.ts";
import { ByteSink } from "../../base/json/bytes.ts";
import { limits } from "../../base/limits.ts";
import type { OwnDocuments } from "../ask/shared-documents.ts";
import type { OwnFacetSearch } from "../ask/shared-facets.ts";
import type { OwnShare } from "../ask/shares.ts";
import { type CachedAnswer, plainAnswer } from "../cache/cached-answer.ts";
import type { ReaderRequests, SearchCall } from "../link/requests.ts";
import type { Seen } from "../link/seen-searches.ts";
import type { WithPins } from "../pins/pin.ts";
import { AsFarAsAnswered } from "./asking.ts";
import { SearchClock } from "./clock.ts";
import { federatedBody } from "./federated.ts";
import { refuseAbandoned, type Searching, searchOne, viewOf } from "./search.ts";
import type { RequestContext } from "./task.ts";
import { TimeSlice } from "./time-slice.ts";

/** An answer, and how the search for each query went. */
interface Answered {
  body: Uint8Array;
  seen: Seen[];
}

export async function runMultiSearch(
  header: ReaderRequests["multiSearch"],
  context: RequestContext,
): Promise<Answered> {
  const { queries, federation, origin, isShare, call } = header;
  const searching: Searching = { context, clock: new SearchClock(call), call };
  if (federation === null) return resultsBody(queries, null, searching);
  const { body, found } = await federatedBody(queries, federation, { origin, isShare, isOneOfMany: true }, searching);
  // A merged list does not tell which query has found how much, unless nothing was found at all.
  return { body, seen: queries.map(() => ({ found: found === 0 ? 0 : null, ms: null })) };
}

export function ownShareIn(payload: Uint8Array): OwnShare | OwnFacetSearch | OwnDocuments {
  return JSON.parse(Buffer.from(payload).toString("utf8")) as OwnShare | OwnFacetSearch | OwnDocuments;
}

/** This server's part of a search that others take part in. */
export async function runShare(own: OwnShare, call: SearchCall, context: RequestContext): Promise<Uint8Array> {
  const { queries, federation, places, isOneOfMany, hydrates = call.hydrates } = own;
  const told = hydrates === undefined ? call : { ...call, hydrates };
  const searching: Searching = { context, clock: new SearchClock(call), call: told };
  const { body } =
    federation === null
      ? await resultsBody(queries, places, searching)
      : await federatedBody(queries, federation, { origin: null, isShare: true, isOneOfMany }, searching);
  return body;
}

/** Each query answered on its own. `places`: where they stand in the request, when they are not all of it. */
async function resultsBody(
  queries: (IndexQuery & WithPins)[],
  places: readonly number[] | null,
  searching: Searching,
): Promise<Answered> {
  const seen: Seen[] = [];
  const turns = new TimeSlice();
  const finding = new AsFarAsAnswered();
  const out = new ByteSink(16 * 1024);
  out.ascii('{"results":[');
  for (const [position, { indexUid, ...query }] of queries.entries()) {
    await turns.pause();
    if (position > 0) out.byte(0x2c);
    // Every query has its own time; only the wait is common to all.
    const own = { ...searching, clock: searching.clock.again() };
    const part = finding.run(() => insideQuery(places?.[position] ?? position, () => partOf(indexUid, query, own)));
    if (part === null) continue;
    const { body, found } = part;
    seen.push({ found, ms: own.clock.elapsedMs });
    out.ascii(`{"indexUid":${JSON.stringify(indexUid)},`);
    out.bytes(body, 1, body.length);
    refuseTooLong(out.length, limits.answerBytes);
  }
  searching.context.parts?.mustBeAnswered();
  out.ascii("]}");
  return { body: out.view(), seen };
}

type Part = Pick<CachedAnswer, "body" | "found">;

/** The answer to one of the queries: given before, or found now. */
function partOf(indexUid: string, query: SearchQuery & WithPins, searching: Searching): Part {
  refuseAbandoned(searching);
  const { call, clock, context } = searching;
  const view = viewOf(indexUid, context);
  const { kept } = context;
  const key = kept?.keyOf(view, kept.nameOf(query, call), call, null) ?? null;
  const known = key === null ? null : kept!.find(key, call.requestUid, clock.elapsedMs);
  if (known !== null) return known;
  const { answer, isKeepable } = searchOne(view, query, searching);
  if (key !== null && isKeepable) kept!.keep(key, plainAnswer(answer));
  return answer;
}
