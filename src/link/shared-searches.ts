/**
 * Searches that several servers answer, as bytes: a reader that has read a long body hands them to the front, which sends each
 * part where it belongs and looks into none of them.
 *
 * ```
 * u32 head bytes | head: JSON, lengths of what follows | per search: the body for each remote, what is answered here, the plan
 * ```
 */
import { Buffer } from "node:buffer";
import type { SharedSearch } from "../ask/shares.ts";

export interface SharedSearchBytes {
  /** One of the indexes, or nothing: searches of an index wait behind each other. */
  indexUid: string;
  asks: { remote: string; body: Uint8Array }[];
  own: Uint8Array;
  /** Null for queries that nobody else answers: what is answered here is the answer. */
  plan: Uint8Array | null;
}

interface Lengths {
  indexUid: string;
  asks: [remote: string, bytes: number][];
  own: number;
  plan: number | null;
}

export function bytesOf({ asks, own, plan }: Pick<SharedSearch, "own"> & Partial<SharedSearch>): SharedSearchBytes {
  return {
    indexUid: own.queries[0]?.indexUid ?? "",
    asks: (asks ?? []).map(({ remote, body }) => ({ remote, body: Buffer.from(body) })),
    own: Buffer.from(JSON.stringify(own)),
    plan: plan === undefined ? null : Buffer.from(JSON.stringify(plan)),
  };
}

export function encodeSearches(searches: readonly SharedSearchBytes[]): Buffer {
  const lengths = searches.map(
    ({ indexUid, asks, own, plan }): Lengths => ({
      indexUid,
      asks: asks.map(({ remote, body }) => [remote, body.length]),
      own: own.length,
      plan: plan?.length ?? null,
    }),
  );
  const head = Buffer.from(JSON.stringify(lengths));
  const size = Buffer.allocUnsafe(4);
  size.writeUInt32LE(head.length, 0);
  const parts = searches.flatMap(({ asks, own, plan }) => [...asks.map(({ body }) => body), own, plan ?? NOTHING]);
  return Buffer.concat([size, head, ...parts]);
}

const NOTHING = new Uint8Array(0);

export function decodeSearches(bytes: Buffer): SharedSearchBytes[] {
  let at = 4 + bytes.readUInt32LE(0);
  const take = (length: number): Uint8Array => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  const lengths = JSON.parse(bytes.toString("utf8", 4, at)) as Lengths[];
  return lengths.map(({ indexUid, asks, own, plan }) => ({
    indexUid,
    asks: asks.map(([remote, length]) => ({ remote, body: take(length) })),
    own: take(own),
    plan: plan === null ? null : take(plan),
  }));
}
