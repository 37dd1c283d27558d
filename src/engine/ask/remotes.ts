/**
 * Who answers which query of a federated search: this server those that name no remote or itself, another server those that
 * name it, and every server of the network those that ask for all of them (`useNetwork`).
 */

import { type IndexQuery, insideQuery, type Origin } from "../../base/contract/multi-search.ts";
import { apiError } from "../../base/errors/errors.ts";

/** What of the network matters here. */
export interface KnownNetwork {
  self: string | null;
  /** By name. */
  remotes: Readonly<Record<string, unknown>>;
}

export interface PlacedQueries {
  /** To be answered here, each with its place in the request. */
  local: IndexQuery[];
  /** By name of the server that is to answer them. */
  remote: Map<string, IndexQuery[]>;
  /** Null when no query is for a named server. */
  origin: Origin | null;
}

export function placeQueries(queries: readonly IndexQuery[], network: KnownNetwork): PlacedQueries {
  if (queries.every((query) => remoteOf(query) === null && query.useNetwork !== true)) {
    return { local: [...queries], remote: new Map(), origin: null };
  }
  const local: IndexQuery[] = [];
  const remote = new Map<string, IndexQuery[]>();
  for (const [position, query] of queries.entries()) {
    for (const server of serversOf(query, position, network)) {
      const copy = placed(query, position);
      if (server === null) local.push(copy);
      else if (remote.has(server)) remote.get(server)!.push(copy);
      else remote.set(server, [copy]);
    }
  }
  return { local, remote, origin: { self: network.self } };
}

/** Null stands for this one. */
function serversOf(query: IndexQuery, position: number, network: KnownNetwork): (string | null)[] {
  if (query.useNetwork === true) return serversIn(network);
  const remote = remoteOf(query);
  if (remote === null || remote === network.self) return [null];
  insideQuery(position, () => demandRegistered(remote, network));
  return [remote];
}

/** All of them, null for this one. A server without a name is not part of the network it knows, unless that has nobody else. */
export function serversIn({ self, remotes }: KnownNetwork): (string | null)[] {
  const others = Object.keys(remotes).filter((name) => name !== self);
  return self !== null || others.length === 0 ? [null, ...others] : others;
}

function remoteOf({ federationOptions }: IndexQuery): string | null {
  return federationOptions?.remote ?? null;
}

function placed(query: IndexQuery, position: number): IndexQuery {
  const options = query.federationOptions;
  const queryPosition = options?.queryPosition ?? position;
  return {
    ...query,
    useNetwork: null,
    federationOptions: { weight: options?.weight ?? 1, remote: null, queryPosition },
  };
}

function demandRegistered(remote: string, { remotes }: KnownNetwork): void {
  if (Object.hasOwn(remotes, remote)) return;
  throw apiError("invalid_multi_search_remote", `No remote of the name \`${remote}\` is known to this server.`);
}
