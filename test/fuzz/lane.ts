/**
 * One client of the server that is tried: sends one made-up request after the other, and tells what came back. Most go over a bare
 * connection, since a general client works as much as the server does; one of ten goes through that, which reads answers more strictly.
 */
import http from "node:http";
import { type Address, Connection, type Reply } from "../../perf/lib/connection.ts";
import type { Made } from "./generate.ts";

interface Came {
  /** 0: nothing. */
  status: number;
  text: string;
}

const ANSWER_S_MAX = 30;
const REQUESTS_PER_GENERAL_CLIENT = 10;

export class Lane {
  readonly #address: Address;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  #connection: Connection | null = null;
  #sent = 0;
  /** Since it was sent. On a machine that stops everything for a while, the clock goes on and the server does not. */
  #beats = 0;
  #giveUp: ((reason: Error) => void) | null = null;
  readonly #watch = setInterval(() => {
    if (++this.#beats === ANSWER_S_MAX) this.#giveUp?.(new Error(`no answer in ${ANSWER_S_MAX} s`));
  }, 1000);

  constructor(base: string) {
    const { hostname, port } = new URL(base);
    this.#address = { host: hostname, port: Number(port) };
  }

  async send(made: Made): Promise<Came> {
    this.#beats = 0;
    const isGeneral = made.isStream || this.#sent++ % REQUESTS_PER_GENERAL_CLIENT === 0;
    try {
      return await (isGeneral ? this.#sendGenerally(made) : this.#sendBare(made));
    } catch (error) {
      this.#connection?.close();
      this.#connection = null;
      return { status: 0, text: String(error) };
    } finally {
      this.#giveUp = null;
    }
  }

  close(): void {
    clearInterval(this.#watch);
    this.#connection?.close();
    this.#agent.destroy();
  }

  /** A server may close a connection that nobody used for a while, also as a request is on its way: any client asks anew then, once. */
  async #sendBare(made: Made): Promise<Came> {
    const used = this.#connection;
    if (used?.isOpen === true) {
      const reply = await this.#ask(used, made).catch((error: Error) => {
        if (used.isOpen) throw error;
        return null;
      });
      if (reply !== null) return this.#cameOf(used, reply);
    }
    this.#connection = await Connection.open(this.#address);
    return this.#cameOf(this.#connection, await this.#ask(this.#connection, made));
  }

  #ask(connection: Connection, made: Made): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      connection.ask(this.#bytesOf(made)).then(resolve, reject);
    });
  }

  #cameOf(connection: Connection, reply: Reply): Came {
    if (/\r\nconnection: *close/i.test(reply.head)) {
      connection.close();
      this.#connection = null;
    }
    return { status: reply.status, text: reply.body.toString() };
  }

  #bytesOf({ method, path, type, body }: Made): Buffer {
    const head = [`${method} ${path} HTTP/1.1`, `host: ${this.#address.host}:${this.#address.port}`];
    if (type !== null) head.push(`content-type: ${type}`);
    if (body !== null) head.push(`content-length: ${body.length}`);
    const bytes = Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1");
    return body === null ? bytes : Buffer.concat([bytes, body]);
  }

  #sendGenerally({ method, path, type, body }: Made): Promise<Came> {
    return new Promise((resolve, reject) => {
      const headers: Record<string, string | number> = type === null ? {} : { "content-type": type };
      if (body !== null) headers["content-length"] = body.length;
      const request = http.request({ ...this.#address, path, method, agent: this.#agent, headers }, (answer) => {
        const chunks: Buffer[] = [];
        // A stream goes on for ever: its beginning is the answer.
        if (answer.headers["content-type"]?.startsWith("text/event-stream")) {
          resolve({ status: answer.statusCode ?? 0, text: "" });
          answer.destroy();
          return;
        }
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
        answer.on("error", reject);
      });
      this.#giveUp = (reason) => request.destroy(reason);
      request.on("error", reject);
      request.end(body ?? undefined);
    });
  }
}
