/**
 * Asks servers for what parts of indexes have to say: one that holds a part, another one where that fails, and another one as well
 * where it takes longer than 95 of 100 of its last answers did.
 */
import { createHmac } from "node:crypto";
import { ApiError, apiError, type ErrorBody } from "../../../base/errors/errors.ts";
import { Latencies } from "../../../base/net/latencies.ts";
import type { Outgoing } from "../../../base/net/outgoing.ts";
import { Turnstile } from "../../../base/net/turnstile.ts";
import { encodeFramed } from "../../../engine/link/framed.ts";
import { OTHER_STATE } from "../../../engine/link/part-asks.ts";
import type { PartCall } from "../../../engine/parts/questions.ts";
import type { ReaderAnswer } from "../../../engine/reader/pool.ts";
import type { Member } from "../cluster-view.ts";
import { firstInTurn } from "../first-in-turn.ts";
import { gathered } from "../gathered.ts";
import { ANSWER_BYTES_MAX, CALLS_MAX, DEADLINE_MS, LATE_MS, WAITING_MAX } from "../server-calls.ts";

export const PARTS_PATH = "/cluster/parts";
/** What one server shows the other: nobody else knows it. */
export const PARTS_SECRET = "x-sabre-cluster-secret";
/** What is said of a part: all that a client can do wrong, and what is another state than that of whoever asks. */
const ANSWERS = new Set([200, 400, OTHER_STATE]);

/** Of all servers that have the same master key. */
export function partsSecret(masterKey: string | null): string {
  return createHmac("sha256", masterKey ?? "")
    .update("parts of indexes")
    .digest("hex");
}

export interface PartReply {
  status: number;
  body: Uint8Array;
  /** Whatever the answer has seen is not beyond this; 0 where it is from here. */
  sequence: number;
}

interface ServersSetup {
  /** Of this server. */
  name: string;
  secret: string;
  outgoing: Pick<Outgoing, "pass">;
  /** Asks a reader of this server. */
  here(call: PartCall, question: Uint8Array): Promise<ReaderAnswer>;
}

/** What is known of one server. */
class Line {
  readonly latencies = new Latencies();
  readonly turnstile = new Turnstile(CALLS_MAX, WAITING_MAX);
}

export class PartServers {
  readonly #setup: ServersSetup;
  readonly #lines = new Map<string, Line>();

  constructor(setup: ServersSetup) {
    this.#setup = setup;
  }

  /**
   * What one of the holders answers, or why none of them does. `sequence`: what it must have seen at least. Those that could not be
   * reached are asked again when all others have been asked.
   */
  async ask(
    holders: readonly (Member | null)[],
    call: PartCall,
    question: Uint8Array,
    sequence: number,
    gone: AbortSignal,
  ): Promise<PartReply | Record<string, ErrorBody>> {
    const over = new AbortController();
    const signal = AbortSignal.any([gone, over.signal]);
    const errors: Record<string, ErrorBody> = {};
    const unreached = new Set<Member | null>(holders);
    const ask = async (holder: Member | null): Promise<PartReply | null> => {
      const name = holder?.name ?? this.#setup.name;
      unreached.delete(holder);
      try {
        const reply = await (holder === null
          ? this.#here(call, question)
          : this.#there(holder, call, question, sequence, signal));
        if (ANSWERS.has(reply.status)) return reply;
        errors[name] = apiError("remote_remote_error", `The server answered with status ${reply.status}.`).body();
      } catch (problem) {
        errors[name] = errorOf(problem);
        unreached.add(holder);
      }
      return null;
    };
    try {
      const reply = await firstInTurn(holders, ask, {
        isOver: () => gone.aborted,
        mayAsk: (holder) => unreached.has(holder),
        lateMs: (holder) => (holder === null ? null : this.#lineOf(holder).latencies.lateAfterMs()) ?? LATE_MS,
      });
      return reply ?? errors;
    } finally {
      over.abort();
    }
  }

  async #here(call: PartCall, question: Uint8Array): Promise<PartReply> {
    const { body, status } = await this.#setup.here(call, question);
    return { status, body, sequence: 0 };
  }

  async #there(
    { name, url }: Member,
    call: PartCall,
    question: Uint8Array,
    sequence: number,
    signal: AbortSignal,
  ): Promise<PartReply> {
    const { outgoing, secret } = this.#setup;
    const { latencies, turnstile } = this.#lineOf({ name });
    const from = performance.now();
    const { chunks, headers, isCut, status } = await turnstile.run(signal, () =>
      outgoing.pass({
        method: "POST",
        url: `${url}${PARTS_PATH}`,
        headers: {
          "content-type": "application/octet-stream",
          "x-sabre-min-seq": String(sequence),
          [PARTS_SECRET]: secret,
        },
        body: encodeFramed(call, [question]),
        timeoutMs: DEADLINE_MS,
        signal,
        answerBytesMax: ANSWER_BYTES_MAX,
      }),
    );
    if (isCut) throw apiError("remote_bad_response", "The answer of the server is too long.");
    latencies.add(performance.now() - from);
    return { status, body: await gathered(chunks), sequence: Number(headers["x-sabre-seq"] ?? 0) };
  }

  #lineOf({ name }: Pick<Member, "name">): Line {
    let line = this.#lines.get(name);
    if (line === undefined) {
      line = new Line();
      this.#lines.set(name, line);
    }
    return line;
  }
}

function errorOf(problem: unknown): ErrorBody {
  if (problem instanceof ApiError) return problem.body();
  const message = problem instanceof Error ? problem.message : String(problem);
  const isLate = message.startsWith("no answer within");
  return apiError(
    isLate ? "remote_timeout" : "remote_could_not_send_request",
    `The server did not answer: ${message}`,
  ).body();
}
