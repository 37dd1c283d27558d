/**
 * Which queries of a federated search this server answers: those that name no remote, and those that name itself. It asks
 * no other server: what another one would have to answer is left out, and the answer says so.
 */
import { apiError } from "../contract/errors.ts";
import { type IndexQuery, insideQuery, type Origin, type UnaskedQuery } from "../contract/multi-search.ts";

/** What of the network matters here. */
export interface KnownNetwork {
  self: string | null;
  /** By name. */
  remotes: Readonly<Record<string, unknown>>;
}

export interface PlacedQueries {
  /** To be answered here, each with its place in the request. */
  local: IndexQuery[];
  /** Null when no query names a remote. */
  origin: Origin | null;
}

export function placeQueries(queries: readonly IndexQuery[], network: KnownNetwork): PlacedQueries {
  if (queries.every((query) => remoteOf(query) === null)) return { local: [...queries], origin: null };
  const local: IndexQuery[] = [];
  const unasked: UnaskedQuery[] = [];
  for (const [position, query] of queries.entries()) {
    const remote = remoteOf(query);
    if (remote === null || remote === network.self) local.push(placed(query, position));
    else {
      insideQuery(position, () => demandRegistered(remote, network));
      unasked.push({ position, remote, indexUid: query.indexUid, q: query.q });
    }
  }
  return { local, origin: { self: network.self, unasked } };
}

function remoteOf({ federationOptions }: IndexQuery): string | null {
  return federationOptions?.remote ?? null;
}

function placed(query: IndexQuery, position: number): IndexQuery {
  const options = query.federationOptions;
  const queryPosition = options?.queryPosition ?? position;
  return { ...query, federationOptions: { weight: options?.weight ?? 1, remote: null, queryPosition } };
}

function demandRegistered(remote: string, { remotes }: KnownNetwork): void {
  if (Object.hasOwn(remotes, remote)) return;
  throw apiError("invalid_multi_search_remote", `No remote of the name \`${remote}\` is known to this server.`);
}
