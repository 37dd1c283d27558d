/**
 * A second chance for requests whose line holds bytes beyond ASCII, as `curl` sends a query typed with accents: Node's parser
 * gives up on them, the other transport does not. The request is put right and given to the server as a connection of its
 * own, which ends with the answer.
 */
import { Duplex } from "node:stream";
import type { Connection, Waiting } from "./node-connections.ts";

const REQUEST_LINE = /^[A-Z]+ \/[^ ]* HTTP\/1\.1\r$/;
const LINE_FEED = 10;

/** What Node says of a request it could not read. */
export interface ParseProblem {
  code?: string;
  rawPacket?: Buffer;
  /** Where in the packet it gave up. */
  bytesParsed?: number;
}

/** The packet from the faulty line on, percent-encoded as it should have been; null when that would not help. */
export function mended({ code, rawPacket: packet, bytesParsed: at }: ParseProblem): Buffer | null {
  if (code !== "HPE_INVALID_URL" || packet === undefined || at === undefined) return null;
  const start = packet.lastIndexOf(LINE_FEED, at) + 1;
  const end = packet.indexOf(LINE_FEED, at);
  const line = packet.toString("latin1", start, Math.max(start, end));
  if (!REQUEST_LINE.test(line)) return null;
  const encoded = line.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
  if (encoded === line) return null;
  return Buffer.concat([Buffer.from(`${encoded}\nConnection: close\r\n`), packet.subarray(end + 1)]);
}

/** The client's side is the socket of the connection; what comes after the mended packet is to be pushed. */
export class Relay extends Duplex implements Waiting {
  readonly #connection: Connection;
  /** As far as the relay can tell; it has nothing to send of its own. */
  readonly isSending = true;

  constructor(connection: Connection, packet: Buffer) {
    super();
    this.#connection = connection;
    connection.waiting.add(this);
    this.push(packet);
  }

  get bytesRead(): number {
    return this.#connection.socket.bytesRead;
  }

  isReceiving(): boolean {
    return false;
  }

  abort(): void {
    this.destroy();
  }

  destroySoon(): void {
    this.end();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#connection.socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#connection.settle(this);
    this.#connection.socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#connection.settle(this);
    this.#connection.socket.destroy();
    done(error);
  }
}
