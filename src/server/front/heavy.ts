/**
 * Requests whose bodies take longer to read and check than the front may work on one of them: a reader does both, with what
 * the front knows of whoever asks, and answers. Vectors for queries come from here, as for any other request.
 */

import { isHeavy, parseJson } from "../../base/contract/json-body.ts";
import { insideQuery } from "../../base/contract/multi-search.ts";
import { KIB } from "../../base/limits.ts";
import { clockMs } from "../../base/time/clock.ts";
import { sentAsker } from "../../engine/ask/asker.ts";
import { encodeGiven, type GivenVector, type MissingVector, missingIn } from "../../engine/link/query-vectors.ts";
import type { AskedRoute, SearchCall } from "../../engine/link/requests.ts";
import { decodeAsked } from "../../engine/link/seen-searches.ts";
import { decodeSearches } from "../../engine/link/shared-searches.ts";
import type { ReaderAnswer } from "../../engine/reader/pool.ts";
import type { Answer } from "./answer.ts";
import { callOf, isShare } from "./call.ts";
import { gathered } from "./gathered.ts";
import { ordered } from "./personal.ts";
import { toEmbed, vectorOf, whenGone } from "./query-vectors.ts";
import { askerOf, readerAnswer } from "./routes/common.ts";
import { seenAll } from "./seen.ts";
import { answerByServers } from "./servers.ts";
import type { Request, Services } from "./services.ts";
import { FrontSlices } from "./slices.ts";

/** A query string that is read here: a longer one may hold thousands of names, or of conditions. */
const LIGHT_QUERY_UNITS = 4 * KIB;
/** Queries of one request: as many as the thread that embeds may ask of a service at once. */
const EMBEDDED_AT_ONCE = 64;

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

/** The same for a body that was read here, and turned out to be more than that. */
export function answerByReader(services: Services, request: Request, route: AskedRoute): Promise<Answer> {
  return askReaderToRead(services, request, { route, indexUid: "", isQuery: false }, request.jsonBytes());
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
    vectorsBytes: null,
  };
  const answer = await readers.request("asked", header, bytes, request);
  if (answer.wants !== "vectors") return completed(services, request, answer, call);
  const { given, areNeeded } = await vectorsFor(services, request, missingIn(bufferOf(answer.body)));
  if (areNeeded) call.arrivedAt = clockMs();
  const pieces = encodeGiven(given);
  const vectorsBytes = pieces.reduce((sum, { length }) => sum + length, 0);
  const payload = await gathered([...pieces, bytes]);
  const found = await readers.request("asked", { ...header, call, vectorsBytes }, payload, request);
  return completed(services, request, found, call);
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
  const searches = decodeSearches(bufferOf(answer.body));
  return answerByServers(services, request, { searches, isList }, call);
}

/**
 * Some at a time, begun in slices. The first query that cannot do without a vector and gets none is the one that is refused; those
 * after it are not begun.
 */
async function vectorsFor(
  services: Services,
  request: Request,
  missing: Generator<MissingVector>,
): Promise<{ given: GivenVector[]; areNeeded: boolean }> {
  const slices = new FrontSlices();
  const gone = whenGone(request);
  const given: GivenVector[] = [];
  const failed: { at: number; place: number | null; error: unknown }[] = [];
  let areNeeded = true;
  const embed = async (): Promise<void> => {
    // All take from the same list, and whoever leaves it ends it for the others.
    for (const { position, place, indexUid, embedder, input, isNeeded } of missing) {
      areNeeded &&= isNeeded;
      const at = given.push({ position, vector: null }) - 1;
      await slices.pause();
      try {
        const embeddable = toEmbed(services, request, indexUid, embedder, input, isNeeded);
        if (embeddable !== null) given[at]!.vector = await vectorOf(services, gone, embeddable);
      } catch (error) {
        failed.push({ at, place, error });
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: EMBEDDED_AT_ONCE }, embed));
  if (failed.length === 0) return { given, areNeeded };
  const { place, error } = failed.reduce((first, other) => (other.at < first.at ? other : first));
  const refuse = (): never => {
    throw error;
  };
  return place === null ? refuse() : insideQuery(place, refuse);
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
