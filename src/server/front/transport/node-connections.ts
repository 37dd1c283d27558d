/**
 * The connections of the transport on Node's own server: which of them wait for an answer, which are too slow, and how all
 * of them are brought to an end.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Relay } from "./node-relay.ts";
import { Pending } from "./pending.ts";
import { IDLE_MS_MAX } from "./transport.ts";

/** A body that is slower than this over the idle time is given up, so that nobody can hold a connection by sending a byte now and then. */
const BODY_BYTES_A_SECOND_MIN = 16 * 1024;
const WINDOW_BYTES_MIN = (BODY_BYTES_A_SECOND_MIN * IDLE_MS_MAX) / 1000;
const SWEEP_MS = 2000;
/** How long a refused client may go on sending: closed at once, it might never read why. */
const LINGER_MS = 1000;

/** The part of a socket that is needed; a relay has it, too. */
type Carrier = Pick<Socket, "bytesRead" | "destroy" | "destroySoon" | "end" | "on" | "once" | "write"> &
  Pick<Socket, "writable" | "writableLength">;

/** An exchange that is not through yet. */
export interface Waiting {
  /** Whether it is about this request, of which a part is missing, and which has no answer yet. */
  isReceiving(request: IncomingMessage | null): boolean;
  /** Has an answer of which parts are still to be handed over. */
  readonly isSending: boolean;
  abort(): void;
}

export class Connection {
  readonly socket: Carrier;
  readonly waiting = new Set<Waiting>();
  /** The request that is being received, or was last. */
  latest: IncomingMessage | null = null;
  /** Takes what comes in, once Node's parser has given up. */
  relay: Relay | null = null;
  isRefused = false;
  #isClosing = false;
  /** The body whose speed is being measured, since when, and what had arrived by then. */
  #measured: IncomingMessage | null = null;
  #since = 0;
  #bytes = 0;

  constructor(socket: Carrier) {
    this.socket = socket;
  }

  get #isReceiving(): boolean {
    return this.latest !== null && !this.latest.complete;
  }

  /** The exchange is through. */
  settle(exchange: Waiting): void {
    this.waiting.delete(exchange);
    if (this.#isClosing) this.closeSoon();
  }

  /** Once all that is being sent has left. */
  closeSoon(): void {
    this.#isClosing = true;
    for (const exchange of this.waiting) if (exchange.isSending) return;
    this.socket.destroySoon();
  }

  /** Nothing has moved for the idle time: of no consequence only while an answer is being worked out. */
  timedOut(): void {
    const { writableLength } = this.socket;
    if (this.waiting.size === 0 || this.#isReceiving || writableLength > 0) this.socket.destroy();
  }

  /** Whether a body has come in too slowly over the whole of the last window. */
  isTooSlow(now: number): boolean {
    const known = this.#measured === this.latest;
    if (!this.#isReceiving || (known && now - this.#since < IDLE_MS_MAX)) return false;
    const { bytesRead } = this.socket;
    const slow = known && bytesRead - this.#bytes < WINDOW_BYTES_MIN;
    this.#measured = this.latest;
    this.#since = now;
    this.#bytes = bytesRead;
    return slow;
  }

  /** Says why and hangs up. */
  refuse(page: string): void {
    if (this.isRefused) return;
    this.isRefused = true;
    // Answers to requests before this one, pipelined, leave Node's queue within the turn.
    setImmediate(() => this.#hangUp(page));
  }

  /** Without a word where it would be taken for the answer to another request. */
  #hangUp(page: string): void {
    const due = [...this.waiting];
    if (!this.socket.writable || due.some((exchange) => !exchange.isReceiving(this.latest))) {
      this.socket.destroy();
      return;
    }
    for (const exchange of due) exchange.abort();
    this.socket.end(page);
    setTimeout(() => this.socket.destroy(), LINGER_MS).unref();
  }
}

export class Connections {
  readonly #bySocket = new Map<Carrier, Connection>();
  readonly #open = new Pending();
  /** What lies below those with TLS, and is there before them. */
  readonly #carriers = new Set<Socket>();
  readonly #sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref();

  of(socket: Carrier): Connection | undefined {
    return this.#bySocket.get(socket);
  }

  add(socket: Carrier): void {
    const connection = new Connection(socket);
    this.#bySocket.set(socket, connection);
    this.#open.add();
    // Node takes its own listener away in places, and an error nobody listens to ends the process.
    socket.on("error", () => {});
    socket.once("close", () => {
      this.#bySocket.delete(socket);
      for (const exchange of [...connection.waiting]) exchange.abort();
      this.#open.remove();
    });
  }

  addCarrier(socket: Socket): void {
    this.#carriers.add(socket);
    socket.once("close", () => this.#carriers.delete(socket));
  }

  async close(withinMs: number): Promise<void> {
    clearInterval(this.#sweeper);
    for (const connection of [...this.#bySocket.values()]) connection.closeSoon();
    await this.#open.none(withinMs);
    for (const socket of [...this.#bySocket.keys(), ...this.#carriers]) socket.destroy();
  }

  #sweep(): void {
    const now = performance.now();
    for (const connection of this.#bySocket.values()) if (connection.isTooSlow(now)) connection.socket.destroy();
  }
}
