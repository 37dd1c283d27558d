/** What a route gives back: status, bytes and headers, before compression. Knows nothing of sockets. */
import type { ApiError } from "../../base/errors/errors.ts";
import type { Coding } from "../../engine/link/coding.ts";
import type { Want } from "../../engine/link/requests.ts";

export interface Answer {
  status: number;
  contentType: string | null;
  body: Uint8Array | string | null;
  /** Of a body that is compressed already, with a coding the client accepts. */
  coding?: Coding | null;
  /** Documents that one search has found, for whoever counts searches; absent, or null, for all else. */
  found?: number | null;
  /** What is still to be done before it is sent; absent, or null, for one that is whole, or good enough as it is. */
  wants?: Want | null;
  /** Ends the connection after this answer. */
  close?: boolean;
  headers?: readonly (readonly [string, string])[];
  /** Whether another server of the cluster has answered, which says so itself. */
  isForwarded?: true;
  /** Whatever other servers of the cluster have seen for it is not beyond this; absent where none had a part in it. */
  sequence?: number;
  /** What is to be answered instead, when it is known; the request rests until then, and lets go of its body. */
  later?: Promise<Answer>;
  /** An answer without a known end: called once the head is on the wire. */
  stream?: (out: AnswerStream) => void;
}

export interface AnswerStream {
  /** False when the client reads too slowly: what is sent before `onDrain` may be dropped by the caller. */
  write(chunk: string | Uint8Array): boolean;
  end(): void;
  onDrain(resume: () => void): void;
  /** The client went away, or the server stops. */
  onClose(closed: () => void): void;
}

/** Of answers that nobody on the way is to keep back, or to keep. */
export const STREAM_HEADERS: NonNullable<Answer["headers"]> = [
  ["Cache-Control", "no-cache"],
  ["X-Accel-Buffering", "no"],
];

export const JSON_TYPE = "application/json";

export function jsonAnswer(status: number, value: unknown): Answer {
  return { status, contentType: JSON_TYPE, body: JSON.stringify(value) };
}

/**
 * For what is asked now and then: the HTTP library drops a connection after ten idle seconds, and a client that holds on to
 * it and uses it at that very moment fails. Told that it ends, the client opens another one next time.
 */
export function partingAnswer(answer: Answer): Answer {
  return { ...answer, close: true };
}

export function bytesAnswer(
  status: number,
  contentType: string,
  body: Uint8Array | string,
  coding: Coding | null = null,
  found: number | null = null,
): Answer {
  return { status, contentType, body, coding, found };
}

export function emptyAnswer(status: number): Answer {
  return { status, contentType: null, body: null };
}

export function errorAnswer(error: ApiError): Answer {
  return jsonAnswer(error.status, error.body());
}
