/**
 * Searches that several servers answer, as bytes: a reader that has read a long body hands them to the front, which sends each
 * part where it belongs and looks into none of them.
 */
import { Buffer } from "node:buffer";
import type { ServersSearch } from "../ask/servers.ts";
import { encodeFrame, framesIn } from "./framed.ts";

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

/** A frame each. */
export function encodeSearches(searches: readonly SharedSearchBytes[]): Buffer {
  return Buffer.concat(
    searches.flatMap(({ indexUid, path, asks, own, plan }) => {
      const lengths: Lengths = {
        indexUid,
        path,
        asks: asks.map(({ remote, body }) => [remote, body.length]),
        own: own.length,
        plan: plan?.length ?? null,
      };
      const pieces = [...asks.map(({ body }) => body), own, plan ?? NOTHING];
      return encodeFrame(lengths, Buffer.concat(pieces));
    }),
  );
}

const NOTHING = new Uint8Array(0);

/** Each is read when it is its turn: there may be thousands. */
export function* decodeSearches(bytes: Buffer): Generator<SharedSearchBytes> {
  for (const { head, piece } of framesIn<Lengths>(bytes)) {
    const { indexUid, path, asks, own, plan } = head;
    let at = 0;
    const take = (length: number): Uint8Array => {
      at += length;
      return piece.subarray(at - length, at);
    };
    yield {
      indexUid,
      path,
      asks: asks.map(([remote, length]) => ({ remote, body: take(length) })),
      own: take(own),
      plan: plan === null ? null : take(plan),
    };
  }
}
