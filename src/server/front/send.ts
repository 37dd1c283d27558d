/**
 * Answers as they are sent: headers, body, compressed if the client accepts it. Nothing here decides what to answer, or
 * knows how bytes get to a socket.
 */
import type { Coding } from "../../engine/link/coding.ts";
import { type Answer, type AnswerStream, errorAnswer } from "./answer.ts";
import type { AnswerRoom } from "./answer-room.ts";
import { codingFor, compress } from "./compress.ts";
import { type Exchange, type HeaderFields, WHOLE_BYTES_MAX } from "./transport/transport.ts";

/** What sending needs to know of the request. */
interface Receiver {
  head: { acceptEncoding: string };
  aborted: boolean;
  onAbort(stop: () => void): void;
}

const PREFLIGHT_MAX_AGE_S = "86400";
const ALLOWED_METHODS = "GET, POST, PUT, PATCH, DELETE, OPTIONS";
const RETRY_AFTER_S = "10";
const ANY_ORIGIN: HeaderFields = ["Access-Control-Allow-Origin", "*"];

/** The headers of nearly all answers, by coding and type. */
const usual = new Map<Coding | null, Map<string | null, HeaderFields>>();

/** Any origin may ask anything; the named headers are echoed because `*` would not cover Authorization. */
export function sendPreflight(exchange: Exchange): void {
  const headers = [
    ...ANY_ORIGIN,
    "Access-Control-Allow-Methods",
    ALLOWED_METHODS,
    "Access-Control-Allow-Headers",
    exchange.header("access-control-request-headers") || "*",
    "Access-Control-Max-Age",
    PREFLIGHT_MAX_AGE_S,
    "Vary",
    "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
  ];
  exchange.send(200, headers, null, false, null);
}

/** `allowed`: the methods there are, where only the method is wrong. */
export function sendEmpty(exchange: Exchange, status: number, allowed: string | null): void {
  exchange.send(status, allowed === null ? ANY_ORIGIN : [...ANY_ORIGIN, "Allow", allowed], null, false, null);
}

/**
 * `more`: headers that are not the answer's own. `done` is called once: when it is handed over, or could not be compressed. Where there is no
 * room for one more that its client may not read, that is told instead.
 */
export function sendAnswer(
  exchange: Exchange,
  receiver: Receiver,
  answer: Answer,
  more: HeaderFields,
  mustClose: boolean,
  unread: AnswerRoom,
  done: (error: Error | null) => void,
): void {
  const { body } = answer;
  const close = mustClose || answer.close === true;
  const coding = body === null || answer.coding ? null : codingFor(receiver.head.acceptEncoding, body.length);
  if (body === null || coding === null) {
    handOver(exchange, answer, body, answer.coding ?? null, more, close, unread);
    done(null);
    return;
  }
  const plain = typeof body === "string" ? Buffer.from(body) : body;
  const small = compress(plain, coding, (error, bytes) => {
    if (!receiver.aborted)
      handOver(exchange, answer, error ? plain : bytes, error ? null : coding, more, close, unread);
    done(error);
  });
  if (small !== null) {
    handOver(exchange, answer, small, coding, more, close, unread);
    done(null);
  }
}

function handOver(
  exchange: Exchange,
  answer: Answer,
  body: Answer["body"],
  coding: Coding | null,
  more: HeaderFields,
  close: boolean,
  unread: AnswerRoom,
): void {
  if (body === null || body.length <= WHOLE_BYTES_MAX || unread.admits(body.length)) {
    exchange.send(answer.status, headersOf(answer, coding, more), body, close, unread);
    return;
  }
  const refusal = errorAnswer(unread.refusal());
  exchange.send(refusal.status, headersOf(refusal, null, more), refusal.body, close, null);
}

function headersOf(answer: Answer, coding: Coding | null, more: HeaderFields): HeaderFields {
  const headers = usualHeaders(answer.contentType, coding);
  if (answer.status !== 503 && answer.headers === undefined) return more.length === 0 ? headers : headers.concat(more);
  const retry = answer.status === 503 ? ["Retry-After", RETRY_AFTER_S] : [];
  return [...headers, ...retry, ...(answer.headers ?? []).flat(), ...more];
}

function usualHeaders(contentType: string | null, coding: Coding | null): HeaderFields {
  let ofCoding = usual.get(coding);
  if (ofCoding === undefined) {
    ofCoding = new Map();
    usual.set(coding, ofCoding);
  }
  let headers = ofCoding.get(contentType);
  if (headers === undefined) {
    const type = contentType === null ? [] : ["Content-Type", contentType];
    const encoding = coding === null ? [] : ["Content-Encoding", coding];
    headers = [...type, ...encoding, ...ANY_ORIGIN, "Vary", "accept-encoding"];
    ofCoding.set(contentType, headers);
  }
  return headers;
}

/** Sends the head, then lets the answer write. Returns what ends the stream; `done` is called once, however it ends. */
export function sendStream(
  exchange: Exchange,
  receiver: Receiver,
  answer: Answer,
  more: HeaderFields,
  done: () => void,
): () => void {
  let open = true;
  let resume: (() => void) | null = null;
  const closers: (() => void)[] = [done];
  const close = (): void => {
    if (!open) return;
    open = false;
    for (const closed of closers) closed();
  };
  const end = (): void => {
    if (open) exchange.end();
    close();
  };
  receiver.onAbort(close);
  const out: AnswerStream = {
    write: (chunk) => open && exchange.write(chunk),
    end,
    onDrain(callback) {
      resume = callback;
    },
    onClose(closed) {
      closers.push(closed);
    },
  };
  exchange.begin(answer.status, headersOf(answer, null, more), () => resume?.());
  // Ends on the next turn at the earliest, so that the caller has the returned function before `done` runs.
  queueMicrotask(() => answer.stream?.(out));
  return end;
}
