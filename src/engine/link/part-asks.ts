/** What a reader wants to be asked of parts of an index, and what it is told of their answers, as bytes that the front passes on. */
import type { Buffer } from "node:buffer";
import type { ErrorBody } from "../../base/errors/errors.ts";
import { decodeFramed, encodeFrame, encodeFramed, framesIn } from "./framed.ts";

/** The status of what is asked about an index that is another one, or has other settings, than whoever asks believes. */
export const OTHER_STATE = 409;

/** Shards of an index that the same servers hold. */
export interface Group {
  shards: number[];
  /** By server, why there is no answer to be had; null while there is. */
  missing: Record<string, ErrorBody> | null;
}

/** What has come of a request so far, beside the answers. */
export interface Told {
  /** By id of the index. */
  groups: Record<string, Group[]>;
  /** How often it was begun anew. */
  tries: number;
}

/** What an answer is to. */
interface AnswerTo {
  key: string;
  status: number;
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
  /** There may be thousands: each is read when it is its turn. */
  asks: Iterable<PartAsk>;
}

export function encodeWanted({ asks, ...wanted }: WantedOfParts): Buffer {
  return encodeFramed(wanted, Array.from(asks, ({ body, ...ask }) => encodeFrame(ask, body)).flat());
}

export function decodeWanted(bytes: Buffer): WantedOfParts {
  const { head, rest } = decodeFramed<Omit<WantedOfParts, "asks">>(bytes);
  return { ...head, asks: asksIn(rest()) };
}

function* asksIn(bytes: Buffer): Generator<PartAsk> {
  for (const { head, piece } of framesIn<Omit<PartAsk, "body">>(bytes)) yield { ...head, body: piece };
}

/** As pieces that follow each other, with those of other answers. */
export function encodeAnswer(to: AnswerTo, body: Uint8Array): Uint8Array[] {
  return encodeFrame(to, body);
}

export function* answersIn(bytes: Buffer): Generator<AnswerTo & { body: Uint8Array }> {
  for (const { head, piece } of framesIn<AnswerTo>(bytes)) yield { ...head, body: piece };
}
