/**
 * One question to a provider until it is answered or given up: which failures are worth another try, how long to wait,
 * and what the user is told. Knows HTTP, not what is asked.
 */

import { setTimeout as wait } from "node:timers/promises";
import type { Json } from "../../../base/json/value.ts";
import { AddressRefused } from "../../../base/net/address-policy.ts";
import type { OutgoingAnswer } from "../../../base/net/outgoing.ts";
import { clockMs } from "../../../base/time/clock.ts";

import { type EmbedEnvironment, EmbedError, type EmbedOptions, type EmbedPurpose } from "./embedder.ts";

interface Question {
  url: string;
  headers: Record<string, string>;
  /** What to do when the key is refused. */
  keyAdvice: string;
  body: string;
}

/** The provider found fault with what it was sent. */
export class BadInput extends EmbedError {
  constructor(problem: string) {
    super("user", problem, false, "vector_embedding_error", true);
  }
}

/** A search has no time for more. */
const RETRIES_MAX: Record<EmbedPurpose, number> = { documents: 10, search: 3 };
const WAIT_MS_MAX = 10_000;
/** A provider that counts requests needs more time than one that stumbled. */
const BUSY_WAIT_MS = 100;
const ANSWER_BYTES_MAX = 8 << 20;
const REPLY_CHARS_SHOWN = 500;

/** Settings that no request can be made of. */
const UNSENDABLE = new Set(["ERR_INVALID_CHAR", "ERR_INVALID_HTTP_TOKEN", "ERR_UNESCAPED_CHARACTERS"]);

type Attempt<T> = { value: T } | { error: EmbedError; waitMsMin: number };

/** What `read` makes of the answer. Rejects with an `EmbedError`, or with the reason of the signal. */
export async function exchange<T>(
  question: Question,
  read: (answer: Json) => T,
  options: EmbedOptions,
  environment: EmbedEnvironment,
): Promise<T> {
  const { purpose, signal, deadline } = options;
  const end = Math.min(deadline ?? Number.POSITIVE_INFINITY, clockMs() + environment.retryMsMax);
  for (let attempt = 0; ; attempt++) {
    const result = await ask(question, read, options, environment);
    options.onRequest?.("error" in result ? result.error.problem : null);
    if ("value" in result) return result.value;
    const { error, waitMsMin } = result;
    const waitMs = waitMsMin + jittered(Math.min(10 ** attempt, WAIT_MS_MAX));
    const again = error.retryable && attempt < RETRIES_MAX[purpose] && clockMs() + waitMs < end;
    if (!again) throw error;
    await wait(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Many that failed together must not come back together. */
function jittered(ms: number): number {
  return ms * (0.5 + Math.random() / 2);
}

async function ask<T>(
  { url, headers, keyAdvice, body }: Question,
  read: (answer: Json) => T,
  { signal, deadline }: EmbedOptions,
  { outgoing, requestTimeoutMs }: EmbedEnvironment,
): Promise<Attempt<T>> {
  const leftMs = deadline === null ? requestTimeoutMs : Math.max(1, Math.ceil(deadline - clockMs()));
  const timeoutMs = Math.min(requestTimeoutMs, leftMs);
  const answerBytesMax = ANSWER_BYTES_MAX;
  try {
    const answer = await outgoing.send({ method: "POST", url, headers, body, timeoutMs, signal, answerBytesMax });
    return understand(answer, { url, keyAdvice }, read);
  } catch (problem) {
    signal.throwIfAborted();
    return { error: problem instanceof EmbedError ? problem : unreached(url, problem), waitMsMin: 0 };
  }
}

type Asked = Pick<Question, "url" | "keyAdvice">;

function understand<T>(answer: OutgoingAnswer, asked: Asked, read: (answer: Json) => T): Attempt<T> {
  const { status, body } = answer;
  const { url } = asked;
  if (status < 200 || status > 299) return refused(answer, asked);
  if (body.length >= ANSWER_BYTES_MAX) {
    throw new EmbedError("runtime", `${shown(url)} answered with more than ${ANSWER_BYTES_MAX} bytes`);
  }
  let parsed: Json;
  try {
    parsed = JSON.parse(body.toString()) as Json;
  } catch {
    throw new EmbedError("runtime", `${shown(url)} did not answer with JSON${reply(answer)}`, true);
  }
  return { value: read(parsed) };
}

function refused(answer: OutgoingAnswer, { url, keyAdvice }: Asked): { error: EmbedError; waitMsMin: number } {
  const { status } = answer;
  const from = shown(url);
  const end = reply(answer);
  const error =
    status === 429
      ? new EmbedError("runtime", `${from} received too many requests (status 429)${end}`, true)
      : status >= 500
        ? new EmbedError("runtime", `${from} failed (status ${status})${end}`, true)
        : status === 401 || status === 403
          ? new EmbedError("user", `${from} refused the API key (status ${status}); ${keyAdvice}${end}`)
          : status === 400
            ? new BadInput(`${from} found the request invalid (status 400)${end}`)
            : status >= 300 && status < 400
              ? new EmbedError("user", `${from} redirects elsewhere (status ${status}), which is not followed`)
              : new EmbedError("user", `${from} refused the request (status ${status})${end}`);
  return { error, waitMsMin: Math.max(status === 429 ? BUSY_WAIT_MS : 0, askedWaitMs(answer)) };
}

/** Servers name seconds or a date; a date is left to our own waits. */
function askedWaitMs({ retryAfter }: OutgoingAnswer): number {
  return retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1000 : 0;
}

function unreached(url: string, problem: unknown): EmbedError {
  const { code, message } = problem as { code?: unknown; message?: unknown };
  // What failed at several addresses has a message for each, and none of its own.
  const cause = message || code || "the connection failed";
  if (problem instanceof AddressRefused) return new EmbedError("user", `${shown(url)} cannot be called: ${cause}`);
  if (typeof code === "string" && UNSENDABLE.has(code)) {
    return new EmbedError("user", `no request can be made to ${shown(url)}: ${cause}`);
  }
  return new EmbedError("runtime", `${shown(url)} could not be reached: ${cause}`, true);
}

/** Without what may be secret. */
function shown(url: string): string {
  const { origin, pathname } = new URL(url);
  return `\`${origin}${pathname}\``;
}

function reply({ body }: OutgoingAnswer): string {
  const text = body.subarray(0, 4 * REPLY_CHARS_SHOWN).toString();
  if (text.trim() === "") return "";
  return `; it said: ${text.length > REPLY_CHARS_SHOWN ? `${text.slice(0, REPLY_CHARS_SHOWN)}…` : text}`;
}
