/**
 * Writing answers to a socket: status, headers, body, compressed if the client accepts it. All writes are corked into
 * as few system calls as possible; nothing here decides what to answer.
 */
import { STATUS_CODES } from "node:http";
import type { Coding } from "../link/coding.ts";
import type { Answer, AnswerStream } from "./answer.ts";
import { codingFor, compress } from "./compress.ts";
import type { HttpResponse } from "./uws.ts";

/** What sending needs to know of the request. */
export interface Receiver {
  head: { acceptEncoding: string };
  aborted: boolean;
  onAbort(stop: () => void): void;
}

type HeaderList = readonly (readonly [string, string])[];

/** Bodies above this are handed over piece by piece as the socket drains, instead of being copied whole. */
const WHOLE_BYTES_MAX = 256 * 1024;
const PREFLIGHT_MAX_AGE_S = "86400";
const ALLOWED_METHODS = "GET, POST, PUT, PATCH, DELETE, OPTIONS";
const RETRY_AFTER_S = "10";

const statusLines = new Map<number, string>();

function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? "Unknown"}`;
    statusLines.set(status, line);
  }
  return line;
}

/** Any origin may ask anything; the named headers are echoed because `*` would not cover Authorization. */
export function sendPreflight(res: HttpResponse, requestedHeaders: string): void {
  res.writeStatus("200 OK");
  res.writeHeader("Access-Control-Allow-Origin", "*");
  res.writeHeader("Access-Control-Allow-Methods", ALLOWED_METHODS);
  res.writeHeader("Access-Control-Allow-Headers", requestedHeaders === "" ? "*" : requestedHeaders);
  res.writeHeader("Access-Control-Max-Age", PREFLIGHT_MAX_AGE_S);
  res.writeHeader("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers");
  res.end();
}

export function sendEmpty(res: HttpResponse, status: number, headers: HeaderList): void {
  res.writeStatus(statusLine(status));
  res.writeHeader("Access-Control-Allow-Origin", "*");
  for (const [name, value] of headers) res.writeHeader(name, value);
  res.end();
}

/** `done` is called once: when the answer is handed over to the socket, or could not be compressed. */
export function sendAnswer(
  res: HttpResponse,
  receiver: Receiver,
  answer: Answer,
  mustClose: boolean,
  done: (error: Error | null) => void,
): void {
  const body = answer.body;
  const close = mustClose || answer.close === true;
  if (answer.coding) {
    sendPlain(res, receiver, answer, body, answer.coding, close);
    done(null);
    return;
  }
  const coding = body === null ? null : codingFor(receiver.head.acceptEncoding, body.length);
  if (body === null || coding === null) {
    sendPlain(res, receiver, answer, body, null, close);
    done(null);
    return;
  }
  const plain = typeof body === "string" ? Buffer.from(body) : body;
  const small = compress(plain, coding, (error, bytes) => {
    if (!receiver.aborted) sendPlain(res, receiver, answer, error ? plain : bytes, error ? null : coding, close);
    done(error);
  });
  if (small !== null) {
    sendPlain(res, receiver, answer, small, coding, close);
    done(null);
  }
}

function sendPlain(
  res: HttpResponse,
  receiver: Receiver,
  answer: Answer,
  body: Uint8Array | string | null,
  coding: Coding | null,
  close: boolean,
): void {
  res.cork(() => {
    writeHead(res, answer, coding);
    if (body === null) res.end(undefined, close);
    else if (typeof body === "string" || body.length <= WHOLE_BYTES_MAX) res.end(body, close);
    else sendPieces(res, receiver, body);
  });
}

function writeHead(res: HttpResponse, answer: Answer, coding: Coding | null): void {
  res.writeStatus(statusLine(answer.status));
  if (answer.contentType !== null) res.writeHeader("Content-Type", answer.contentType);
  if (coding !== null) res.writeHeader("Content-Encoding", coding);
  res.writeHeader("Access-Control-Allow-Origin", "*");
  res.writeHeader("Vary", "accept-encoding");
  if (answer.status === 503) res.writeHeader("Retry-After", RETRY_AFTER_S);
  if (answer.headers !== undefined) for (const [name, value] of answer.headers) res.writeHeader(name, value);
}

function sendPieces(res: HttpResponse, receiver: Receiver, body: Uint8Array): void {
  const [sent] = res.tryEnd(body, body.length);
  if (sent) return;
  res.onWritable((offset) => {
    if (receiver.aborted) return true;
    const [ok] = res.tryEnd(body.subarray(offset), body.length);
    return ok;
  });
}

/** Sends the head, then lets the answer write. Returns what ends the stream; `done` is called once, however it ends. */
export function sendStream(res: HttpResponse, receiver: Receiver, answer: Answer, done: () => void): () => void {
  let open = true;
  let resume: (() => void) | null = null;
  const closers: (() => void)[] = [done];
  const close = (): void => {
    if (!open) return;
    open = false;
    for (const closed of closers) closed();
  };
  const end = (): void => {
    if (open) res.cork(() => res.end());
    close();
  };
  receiver.onAbort(close);
  const out: AnswerStream = {
    write(chunk) {
      let flowing = open;
      if (open) {
        res.cork(() => {
          flowing = res.write(chunk);
        });
      }
      return flowing;
    },
    end,
    onDrain(callback) {
      resume = callback;
    },
    onClose(closed) {
      closers.push(closed);
    },
  };
  res.onWritable(() => {
    resume?.();
    return true;
  });
  res.cork(() => writeHead(res, answer, null));
  // Ends on the next turn at the earliest, so that the caller has the returned function before `done` runs.
  queueMicrotask(() => answer.stream?.(out));
  return end;
}
