/** What a reader wants to be asked of parts of an index, and what it is told of their answers, as bytes that the front passes on. */
import type { Buffer } from "node:buffer";
import type { ErrorBody } from "../../base/errors/errors.ts";
import { decodeFramed, encodeFramed } from "./framed.ts";

/** The status of what is asked about an index that is another one, or has other settings, than whoever asks believes. */
export const OTHER_STATE = 409;

/** Shards of an index that the same servers hold. */
export interface Group {
  shards: number[];
  /** By server, why there is no answer to be had; null while there is. */
  missing: Record<string, ErrorBody> | null;
}

/** What has come of a request so far. */
export interface Told {
  /** By id of the index. */
  groups: Record<string, Group[]>;
  /** In the order of their bytes. */
  answers: { key: string; status: number; bytes: number }[];
  /** How often it was begun anew. */
  tries: number;
}

export interface PartAsk {
  key: string;
  indexUid: string;
  id: string;
  settingsVersion: number;
  group: number;
  leftMs: number | null;
  body: Uint8Array;
}

interface WantedOfParts {
  /** What was answered so far is of no use. */
  beginsAnew: boolean;
  /** Indexes of which it is to be told how they are divided. */
  groups: { id: string; indexUid: string }[];
  asks: PartAsk[];
}

type SentAsk = Omit<PartAsk, "body"> & { bytes: number };

export function encodeWanted({ asks, ...wanted }: WantedOfParts): Buffer {
  const sent = asks.map(({ body, ...ask }): SentAsk => ({ ...ask, bytes: body.length }));
  return encodeFramed(
    { ...wanted, asks: sent },
    asks.map(({ body }) => body),
  );
}

export function decodeWanted(bytes: Buffer): WantedOfParts {
  const { head, take } = decodeFramed<Omit<WantedOfParts, "asks"> & { asks: SentAsk[] }>(bytes);
  return { ...head, asks: head.asks.map(({ bytes: length, ...ask }) => ({ ...ask, body: take(length) })) };
}
