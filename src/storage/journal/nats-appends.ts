/**
 * Adds messages to a stream of NATS, and hears what became of each by one subscription. A request of the client makes an error
 * with its stack, a timer of its own and several promises for every answer that comes, which costs more than the rest of a record.
 */
import type { MsgHdrs, NatsConnection, Subscription } from "./nats-clients.ts";

interface NatsAppendsParts {
  connection: NatsConnection;
  stream: string;
  subject: string;
  /** Where answers go; nobody else has it. */
  inbox: string;
  headers: MsgHdrs;
}

interface Ack {
  seq?: number;
  error?: { err_code?: number; description?: string };
}

/** What is sent again is known by its number, so nobody waits long for one who may have died or been stopped. */
const ANSWER_MS_MAX = 1000;
const NO_RESPONDERS = 503;

export class NatsAppends {
  readonly #parts: NatsAppendsParts;
  readonly #answers: Subscription;
  readonly #waiting = new Map<string, (problem: Error | null, sequence: number) => void>();
  #sent = 0;

  constructor(parts: NatsAppendsParts) {
    this.#parts = parts;
    parts.headers.set("Nats-Expected-Stream", parts.stream);
    this.#answers = parts.connection.subscribe(`${parts.inbox}.*`, {
      callback: (problem, message) => {
        const settle = this.#waiting.get(message.subject);
        if (settle === undefined) return;
        if (problem !== null) settle(problem, 0);
        else if (message.headers?.code === NO_RESPONDERS) settle(new Error("no NATS server has the stream now"), 0);
        else hear(message.json<Ack>(), settle);
      },
    });
  }

  /** Resolves with the sequence that it has; refused, with the code of NATS, unless the one before it has `lastSequence`. */
  append(lastSequence: number, message: Uint8Array): Promise<number> {
    const { connection, subject, inbox, headers } = this.#parts;
    const reply = `${inbox}.${this.#sent++}`;
    headers.set("Nats-Expected-Last-Sequence", `${lastSequence}`);
    return new Promise((resolve, reject) => {
      const settle = (problem: Error | null, sequence: number): void => {
        clearTimeout(timer);
        this.#waiting.delete(reply);
        if (problem === null) resolve(sequence);
        else reject(problem);
      };
      const timer = setTimeout(() => settle(new Error("NATS has not answered in time"), 0), ANSWER_MS_MAX);
      this.#waiting.set(reply, settle);
      try {
        connection.publish(subject, message, { headers, reply });
      } catch (problem) {
        settle(problem as Error, 0);
      }
    });
  }

  close(): void {
    if (!this.#parts.connection.isClosed()) this.#answers.unsubscribe();
  }
}

function hear({ seq = 0, error }: Ack, settle: (problem: Error | null, sequence: number) => void): void {
  if (error === undefined) settle(null, seq);
  else settle(Object.assign(new Error(error.description ?? "NATS refuses the record"), { code: error.err_code }), 0);
}
