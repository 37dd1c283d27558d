/**
 * Requests whose bodies take longer to read and check than the front may work on one of them: a reader does both, with what
 * the front knows of whoever asks, and answers. Vectors for queries come from here, as for any other request.
 */

import { isHeavy, parseJson } from "../../base/contract/json-body.ts";
import { insideQuery } from "../../base/contract/multi-search.ts";
import { KIB } from "../../base/limits.ts";
import { clockMs } from "../../base/time/clock.ts";
import { sentAsker } from "../../engine/ask/asker.ts";
import type { AskedRoute, GivenVector, MissingVector, SearchCall } from "../../engine/link/requests.ts";
import { decodeAsked } from "../../engine/link/seen-searches.ts";
import { decodeSearches } from "../../engine/link/shared-searches.ts";
import type { ReaderAnswer } from "../../engine/reader/pool.ts";
import type { Answer } from "./answer.ts";
import { callOf, isShare } from "./call.ts";
import { ordered } from "./personal.ts";
import { toEmbed, vectorOf } from "./query-vectors.ts";
import { askerOf, readerAnswer } from "./routes/common.ts";
import { seenAll } from "./seen.ts";
import { answerByServers } from "./servers.ts";
import type { Request, Services } from "./services.ts";

/** A query string that is read here: a longer one may hold thousands of names, or of conditions. */
const LIGHT_QUERY_UNITS = 4 * KIB;

/** Answers by reading the body here, unless that is for a reader to do. `indexUid` is empty where the path names none. */
export function answerBody(
  services: Services,
  request: Request,
  route: AskedRoute,
  indexUid: string,
  read: (body: unknown) => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  services.readers.admit();
  const body = request.jsonBytes();
  if (!isHeavy(body)) return read(parseJson(body));
  return askReaderToRead(services, request, { route, indexUid, isQuery: false }, body);
}

/** The same for what is asked in a query string, which may be as long as a head. */
export function answerQuery(
  services: Services,
  request: Request,
  route: AskedRoute,
  indexUid: string,
  read: (query: string) => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  const { query } = request;
  if (query.length <= LIGHT_QUERY_UNITS) return read(query);
  services.readers.admit();
  return askReaderToRead(services, request, { route, indexUid, isQuery: true }, Buffer.from(query));
}

async function askReaderToRead(
  services: Services,
  request: Request,
  asked: { route: AskedRoute; indexUid: string; isQuery: boolean },
  bytes: Uint8Array,
): Promise<Answer> {
  const { route } = asked;
  const { features, readers, rules } = services;
  const pinning = features.current.dynamicSearchRules ? rules.pinning() : null;
  const call = callOf(services, request);
  const header = {
    ...asked,
    asker: sentAsker(askerOf(services, request), pinning),
    isShare: (route === "multiSearch" || route === "documents") && isShare(services, request),
    call,
    vectors: null,
  };
  const answer = await readers.request("asked", header, bytes, request);
  if (answer.wants !== "vectors") return completed(services, request, answer, call);
  const missing = parseJson(answer.body) as MissingVector[];
  const vectors = await vectorsFor(services, request, missing);
  if (missing.every(({ isNeeded }) => isNeeded)) call.arrivedAt = clockMs();
  const given = await readers.request("asked", { ...header, call, vectors }, bytes, request);
  return completed(services, request, given, call);
}

/** With what other servers have to say, where they do. */
function completed(
  services: Services,
  request: Request,
  answer: ReaderAnswer,
  call: SearchCall,
): Answer | Promise<Answer> {
  if (answer.marks) {
    const { used, searches } = decodeAsked(answer.marks);
    services.usage?.request(used);
    seenAll(services, request, searches);
  }
  const isList = answer.wants === "serversEach";
  if (answer.wants !== "servers" && !isList) return ordered(services, request, readerAnswer(answer));
  const { buffer, byteOffset, length } = answer.body;
  const searches = decodeSearches(Buffer.from(buffer, byteOffset, length));
  return answerByServers(services, request, { searches, isList }, call);
}

/** All at once. The first query that cannot do without a vector and gets none is the one that is refused. */
async function vectorsFor(
  services: Services,
  request: Request,
  missing: readonly MissingVector[],
): Promise<GivenVector[]> {
  const embedded = await Promise.allSettled(
    missing.map(async ({ indexUid, embedder, input, isNeeded }) => {
      const embeddable = toEmbed(services, request, indexUid, embedder, input, isNeeded);
      return embeddable === null ? null : vectorOf(services, request, embeddable);
    }),
  );
  return embedded.map((outcome, i) => {
    const { position, place } = missing[i]!;
    const vector = (): number[] | null => {
      if (outcome.status === "rejected") throw outcome.reason;
      return outcome.value;
    };
    return { position, vector: place === null ? vector() : insideQuery(place, vector) };
  });
}
