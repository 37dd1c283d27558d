/**
 * Searches that several servers answer: asks all of them at once, this one included, and has a reader put their answers together.
 * What others answer passes through here as bytes. One that fails or is late is left out, and the answer says so.
 */
import { type ApiError, apiError, type ErrorBody } from "../../base/errors/errors.ts";
import type { RemoteCall, RemoteServer } from "../../base/net/remotes.ts";
import type { SearchCall } from "../../engine/link/requests.ts";
import type { SharedSearchBytes } from "../../engine/link/shared-searches.ts";
import { type Answer, bytesAnswer, JSON_TYPE } from "./answer.ts";
import { gathered } from "./gathered.ts";
import { ordered } from "./personal.ts";
import { readerAnswer } from "./routes/common.ts";
import type { Request, Services } from "./services.ts";
import { FrontSlices } from "./slices.ts";

interface AskedOfServers {
  searches: Iterable<SharedSearchBytes>;
  /** Whether each is one of several results. */
  isList: boolean;
}

export async function answerByServers(
  services: Services,
  request: Request,
  { searches, isList }: AskedOfServers,
  call: SearchCall,
): Promise<Answer> {
  const results: Uint8Array[] = [];
  const slices = new FrontSlices();
  for (const search of searches) {
    if (!isList) return answerOne(services, request, search, call);
    await slices.pause();
    const answer = await answerOne(services, request, search, { ...call, coding: null });
    if (answer.status !== 200) return answer;
    const body = answer.body as Uint8Array;
    results.push(search.plan === null ? body.subarray(LIST_START.length, -LIST_END.length) : body);
  }
  const parts = results.flatMap((result, i) => (i === 0 ? [result] : [COMMA, result]));
  return bytesAnswer(200, JSON_TYPE, await gathered([LIST_START, ...parts, LIST_END]));
}

const LIST_START = Buffer.from('{"results":[');
const LIST_END = Buffer.from("]}");
const COMMA = Buffer.from(",");

async function answerOne(
  services: Services,
  request: Request,
  { indexUid, path, asks, own, plan }: SharedSearchBytes,
  call: SearchCall,
): Promise<Answer> {
  const { readers } = services;
  if (plan === null) {
    return ordered(services, request, readerAnswer(await readers.request("share", { indexUid, call }, own, request)));
  }
  const over = new AbortController();
  request.onAbort(() => over.abort());
  const asked = asks.map(({ remote, body }) => askRemote(services, remote, { path, body, signal: over.signal }, call));
  const here = await readers.request("share", { indexUid, call: { ...call, coding: null } }, own, request);
  if (here.status !== 200) {
    over.abort();
    return readerAnswer(here);
  }
  const replies = await Promise.all(asked);
  const errors: Record<string, ErrorBody> = {};
  const shares: { remote: string | null; bytes: number }[] = [{ remote: null, bytes: here.body.length }];
  const pieces: Uint8Array[] = [plan, here.body];
  for (const { remote, outcome } of replies) {
    if (Array.isArray(outcome)) {
      shares.push({ remote, bytes: outcome.reduce((sum, { length }) => sum + length, 0) });
      pieces.push(...outcome);
    } else errors[remote] = outcome.body();
  }
  const header = { indexUid, planBytes: plan.length, shares, errors, call };
  const startedAt = performance.now();
  const merged = await readers.request("merge", header, await gathered(pieces), request);
  // What others take is not counted against the search here.
  return ordered(services, request, readerAnswer(merged), startedAt);
}

interface Reply {
  remote: string;
  /** What it answered, or why it did not. */
  outcome: Uint8Array[] | ApiError;
}

async function askRemote(
  { network, remotes }: Services,
  remote: string,
  call: Omit<RemoteCall, "headers">,
  { includeMetadata }: SearchCall,
): Promise<Reply> {
  const known: Record<string, RemoteServer> = network.current.remotes;
  if (!Object.hasOwn(known, remote)) {
    return { remote, outcome: apiError("unknown_remote", "The remote is not known any more.") };
  }
  const headers = { "meili-proxy-search": "true", ...(includeMetadata ? { "meili-include-metadata": "true" } : {}) };
  return remotes.post(remote, known[remote]!, { ...call, headers }).then(
    (outcome): Reply => ({ remote, outcome }),
    (outcome: ApiError): Reply => ({ remote, outcome }),
  );
}
