/**
 * Embeds the text of semantic queries before a reader sees them, since readers never wait. A query that cannot be
 * embedded in time is searched by its words alone, and refused when it has none.
 */

import { apiError } from "../../base/errors/errors.ts";
import type { JsonObject } from "../../base/json/value.ts";
import { limits } from "../../base/limits.ts";
import { clockMs } from "../../base/time/clock.ts";
import { embedderFor, isSemantic, needsVector, type QueryParts, searchInput } from "../../engine/ask/vectors.ts";
import type { EmbedderRef } from "../../engine/vector/embed/client.ts";
import type { EmbedInput } from "../../engine/vector/embed/embedder.ts";
import { withEmbedderDefaults } from "../../storage/settings/embedders.ts";
import { withIndex } from "./routes/common.ts";
import type { Request, Services } from "./services.ts";

/** The part of its time that a search with words may spend on its vector; the rest is for finding documents. */
const HYBRID_SHARE = 2 / 3;

/** What there is to embed of a query, and how long that may take. */
interface Embeddable {
  embedder: EmbedderRef;
  input: EmbedInput;
  /** By `clockMs()`. */
  deadline: number;
  /** Whether the search has nothing else to go by. */
  isNeeded: boolean;
}

/**
 * Null when there is nothing to embed, or nobody to do it: the reader says what is wrong with that. Throws when the query
 * does not fit the embedder.
 */
export function embeddable(
  services: Pick<Services, "indexes">,
  request: Request,
  indexUid: string,
  query: QueryParts,
): Embeddable | null {
  if (!needsVector(query)) return null;
  const embedder = embedderFor(
    withIndex(services, indexUid, ({ settings }) => settings),
    query,
  );
  if (embedder === null) return null;
  const input = searchInput(query, embedder);
  return toEmbed(services, request, indexUid, query.hybrid!.embedder, input, isSemantic(query));
}

/** The same for an input that is known; null when the embedder is gone. */
export function toEmbed(
  services: Pick<Services, "indexes">,
  request: Request,
  indexUid: string,
  name: string,
  input: EmbedInput,
  isNeeded: boolean,
): Embeddable | null {
  const settings = withIndex(services, indexUid, (index) => index.settings);
  if (!Object.hasOwn(settings.embedders, name)) return null;
  const allowedMs = (settings.searchCutoffMs ?? limits.searchCutoffMs) * (isNeeded ? 1 : HYBRID_SHARE);
  const deadline = clockMs() - (performance.now() - request.startedAt) + allowedMs;
  return { embedder: { name, settings: inForce(settings.embedders[name]!) }, input, deadline, isNeeded };
}

/** Once for all queries of one embedder: by the object they name, its key is found again. */
const known = new WeakMap<JsonObject, JsonObject>();

function inForce(stored: JsonObject): JsonObject {
  let settings = known.get(stored);
  if (settings === undefined) {
    settings = withEmbedderDefaults(stored);
    known.set(stored, settings);
  }
  return settings;
}

/** The query with its vector. One that also has words stays as it is when it cannot be embedded. */
export async function withVector<Query extends QueryParts>(
  services: Services,
  request: Request,
  query: Query,
  embeddable: Embeddable,
): Promise<Query> {
  const vector = await vectorOf(services, whenGone(request), embeddable);
  return vector === null ? { ...query, media: null } : { ...query, vector: Array.from(vector), media: null };
}

/** One for all queries of a request. */
export function whenGone(request: Request): AbortSignal {
  const gone = new AbortController();
  request.onAbort(() => gone.abort(apiError("bad_request", "The client is gone.")));
  return gone.signal;
}

/** Null when there is none to be had, and the search can do without. */
export async function vectorOf(
  services: Services,
  gone: AbortSignal,
  { embedder, input, deadline, isNeeded }: Embeddable,
): Promise<Float32Array | null> {
  try {
    return await services.embed.embedQuery(embedder, input, deadline, gone);
  } catch (problem) {
    if (isNeeded) throw problem;
    services.log.debug("search", "a query was not embedded", {
      embedder: embedder.name,
      cause: (problem as Error).message,
    });
    return null;
  }
}
