/**
 * Calls to a running server, by node:http alone: it loads quickly, and bodies go out piece by piece. What the server refuses is
 * an error with its own words; a server that is not there, or asks to come back, can be tried again.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { setTimeout as pause } from "node:timers/promises";
import { serverUrl } from "../options/server-url.ts";

export interface Call {
  /** Bytes as they are, or a value to be written as JSON. */
  body?: readonly Uint8Array[] | object;
  /** Of bytes. */
  contentType?: string;
  headers?: Record<string, string>;
  /** How long the server may take; none when it may take as long as it likes. */
  timeoutMs?: number;
}

export class ServerError extends Error {
  readonly status: number;
  readonly code: string;
  /** Which server said so. */
  readonly connection: Connection;

  constructor(status: number, code: string, message: string, connection: Connection) {
    super(message);
    this.status = status;
    this.code = code;
    this.connection = connection;
  }
}

/** The server could not be reached, or the connection broke. */
export class NoAnswer extends Error {
  /** Where nobody listens; null when something else was wrong. */
  readonly nobodyAt: string | null;

  constructor(message: string, nobodyAt: string | null) {
    super(message);
    this.nobodyAt = nobodyAt;
  }
}

/** Worth another try in a moment. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof NoAnswer || (error instanceof ServerError && [429, 500, 502, 503, 504].includes(error.status))
  );
}

const BACKOFF_MS_MIN = 100;
const BACKOFF_MS_MAX = 5000;
const ANSWER_MS_MAX = 600_000;

export class Connection {
  readonly base: URL;
  readonly #key: string | null;
  readonly #agent: HttpAgent;

  constructor(url: string, key: string | null) {
    this.base = serverUrl(url);
    this.#key = key;
    // The server drops a connection after ten idle seconds.
    const options = { keepAlive: true, timeout: 8000 };
    this.#agent = this.base.protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options);
  }

  get hasKey(): boolean {
    return this.#key !== null;
  }

  async json<T>(method: string, path: string, call: Call = {}): Promise<T> {
    const bytes = await this.bytes(method, path, call);
    return (bytes.length === 0 ? null : JSON.parse(bytes.toString("utf8"))) as T;
  }

  async bytes(method: string, path: string, call: Call = {}): Promise<Buffer> {
    const response = await this.open(method, path, call);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of response) chunks.push(chunk as Buffer);
    } catch (error) {
      throw this.#noAnswer(error as Error);
    }
    const bytes = Buffer.concat(chunks);
    if ((response.statusCode ?? 0) >= 400) throw refusal(response.statusCode ?? 0, bytes, this);
    return bytes;
  }

  /** The answer as it begins, whatever it says. */
  open(
    method: string,
    path: string,
    { body, contentType, headers = {}, timeoutMs }: Call = {},
  ): Promise<IncomingMessage> {
    const isBytes = Array.isArray(body);
    const pieces = isBytes
      ? (body as readonly Uint8Array[])
      : body === undefined
        ? []
        : [Buffer.from(JSON.stringify(body))];
    const fields: Record<string, string | number> = { ...headers };
    if (this.#key !== null) fields["authorization"] = `Bearer ${this.#key}`;
    if (body !== undefined) {
      fields["content-type"] = isBytes ? (contentType ?? "application/json") : "application/json";
      fields["content-length"] = pieces.reduce((sum, { length }) => sum + length, 0);
    }
    const url = new URL(this.base.pathname.replace(/\/$/, "") + path, this.base);
    const send = url.protocol === "https:" ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const request = send(url, { method, headers: fields, agent: this.#agent }, resolve);
      request.setTimeout(timeoutMs ?? ANSWER_MS_MAX, () => request.destroy(new Error("it took too long")));
      request.once("error", (error) => reject(this.#noAnswer(error)));
      for (const piece of pieces) request.write(piece);
      request.end();
    });
  }

  #noAnswer(error: NodeJS.ErrnoException): NoAnswer {
    // Where a name has several addresses, all of which failed, the message is empty.
    const { origin } = this.base;
    const nobodyAt = error.code === "ECONNREFUSED" ? origin : null;
    return new NoAnswer(`no answer from ${origin}: ${error.message || error.code}`, nobodyAt);
  }

  close(): void {
    this.#agent.destroy();
  }
}

function refusal(status: number, bytes: Buffer, from: Connection): ServerError {
  try {
    const { message, code } = JSON.parse(bytes.toString("utf8")) as { message: string; code: string };
    return new ServerError(status, code, message ?? `the server answered with ${status}`, from);
  } catch {
    return new ServerError(status, "", `the server answered with ${status}`, from);
  }
}

/** Tries again, ever more slowly, what may work in a moment. `onRetry` is told what was wrong. */
export async function persistently<T>(
  action: () => Promise<T>,
  { seconds, onRetry }: { seconds: number; onRetry: (problem: Error) => void },
): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (let waitMs = BACKOFF_MS_MIN; ; waitMs = Math.min(waitMs * 2, BACKOFF_MS_MAX)) {
    try {
      return await action();
    } catch (error) {
      if (!isPassing(error) || Date.now() + waitMs > end) throw error;
      onRetry(error as Error);
      // Not all at the same moment, where there are many.
      await pause(waitMs * (0.75 + Math.random() / 2));
    }
  }
}
