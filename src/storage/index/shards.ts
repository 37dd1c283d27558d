/**
 * The shards of an index that is divided among servers: each document belongs to one of them, by its id alone, from when it comes
 * until it goes. How many there are is settled when an index is made, so no document ever moves from one to another.
 */
import type { IdList } from "../../base/document/id-list.ts";
import { hashBytes } from "../segment/ids/format.ts";

/** Shards of one index. */
export const SHARDS_MAX = 64;

/** The shard of the document whose id is `bytes[start, end)`. What is stored goes by this: it must never give another one. */
export function shardOf(bytes: Uint8Array, start: number, end: number, shards: number): number {
  return shards === 1 ? 0 : hashBytes(bytes, start, end) % shards;
}

/** Places in `entries`, which are numbers of ids, by the shards of those; each list ascends. */
export function placesByShard({ bytes, offsets }: IdList, entries: Uint32Array, shards: number): Uint32Array[] {
  const shardAt = new Uint8Array(entries.length);
  const counts = new Uint32Array(shards);
  for (let i = 0; i < entries.length; i++) {
    const shard = shardOf(bytes, offsets[entries[i]!]!, offsets[entries[i]! + 1]!, shards);
    shardAt[i] = shard;
    counts[shard]!++;
  }
  const lists = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  for (let i = 0; i < entries.length; i++) {
    const shard = shardAt[i]!;
    lists[shard]![counts[shard]!++] = i;
  }
  return lists;
}

/** One shard of one index as a number; indexes that are not divided have one. */
export function pieceOf(index: number, shard: number): number {
  return index * SHARDS_MAX + shard;
}

export function indexOfPiece(piece: number): number {
  return Math.floor(piece / SHARDS_MAX);
}

export function shardOfPiece(piece: number): number {
  return piece % SHARDS_MAX;
}

/** All pieces of an index. */
export function piecesOf(index: number, shards: number): number[] {
  return Array.from({ length: shards }, (_, shard) => pieceOf(index, shard));
}
