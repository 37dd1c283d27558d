/**
 * Searches that several servers answer, as bytes: a reader that has read a long body hands them to the front, which sends each
 * part where it belongs and looks into none of them.
 */
import { Buffer } from "node:buffer";
import type { ServersSearch } from "../ask/servers.ts";
import { decodeFramed, encodeFramed } from "./framed.ts";

export interface SharedSearchBytes {
  /** One of the indexes, or nothing: searches of an index wait behind each other. */
  indexUid: string;
  /** Of the route that remotes are asked at. */
  path: string;
  asks: { remote: string; body: Uint8Array }[];
  own: Uint8Array;
  /** Null for queries that nobody else answers: what is answered here is the answer. */
  plan: Uint8Array | null;
}

interface Lengths {
  indexUid: string;
  path: string;
  asks: [remote: string, bytes: number][];
  own: number;
  plan: number | null;
}

export function bytesOf(search: ServersSearch): SharedSearchBytes {
  const { indexUid, path, asks, own, plan } = search;
  return {
    indexUid,
    path,
    asks: asks.map(({ remote, body }) => ({ remote, body: Buffer.from(body) })),
    own: Buffer.from(JSON.stringify(own)),
    plan: plan === null ? null : Buffer.from(JSON.stringify(plan)),
  };
}

export function encodeSearches(searches: readonly SharedSearchBytes[]): Buffer {
  const lengths = searches.map(
    ({ indexUid, path, asks, own, plan }): Lengths => ({
      indexUid,
      path,
      asks: asks.map(({ remote, body }) => [remote, body.length]),
      own: own.length,
      plan: plan?.length ?? null,
    }),
  );
  const pieces = searches.flatMap(({ asks, own, plan }) => [...asks.map(({ body }) => body), own, plan ?? NOTHING]);
  return encodeFramed(lengths, pieces);
}

const NOTHING = new Uint8Array(0);

export function decodeSearches(bytes: Buffer): SharedSearchBytes[] {
  const { head, take } = decodeFramed<Lengths[]>(bytes);
  return head.map(({ indexUid, path, asks, own, plan }) => ({
    indexUid,
    path,
    asks: asks.map(([remote, length]) => ({ remote, body: take(length) })),
    own: take(own),
    plan: plan === null ? null : take(plan),
  }));
}
