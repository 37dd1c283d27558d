/**
 * One request of Node's own HTTP server. An answer that is there at once costs one write and no listener; only exchanges
 * that outlive their first turn are kept in mind for the case that the client leaves.
 */
import { IncomingMessage, type ServerResponse } from "node:http";
import type { Connection, Waiting } from "./node-connections.ts";
import { type Exchange, type HeaderFields, type UnreadAnswers, WHOLE_BYTES_MAX } from "./transport.ts";

const NOTHING = new Uint8Array(0);
/** What the socket did not take of the last one is not counted. */
const PIECE_BYTES = 64 * 1024;

/** Hands its body over as it is parsed; to go through the buffer of a stream first would take several more turns. */
export class NodeRequest extends IncomingMessage {
  /** Null at the end of the body. */
  receive: ((chunk: Uint8Array | null) => void) | null = null;

  override push(chunk: Uint8Array | null): boolean {
    if (this.receive === null) return super.push(chunk);
    this.receive(chunk);
    return chunk === null ? super.push(null) : true;
  }
}

export class NodeExchange implements Exchange, Waiting {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #req: NodeRequest;
  readonly #res: ServerResponse;
  readonly #connection: Connection;
  #gone: (() => void) | null = null;
  #unread: UnreadAnswers | null = null;
  /** All of the answer is handed over, or nobody is there to take it. */
  #isDone = false;
  isSending = false;

  constructor(req: NodeRequest, res: ServerResponse, connection: Connection) {
    const url = req.url!;
    const mark = url.indexOf("?");
    this.method = req.method!;
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? "" : url.slice(mark + 1);
    this.#req = req;
    this.#res = res;
    this.#connection = connection;
  }

  header(name: string): string {
    return this.optionalHeader(name) ?? "";
  }

  /** The first of its name. Looked for in what came, which is quicker than having all of it put in order for a few. */
  optionalHeader(name: string): string | null {
    const at = this.#headerAt(name, 0);
    return at < 0 ? null : this.#req.rawHeaders[at + 1]!;
  }

  joinedHeader(name: string): string {
    const values: string[] = [];
    for (let at = this.#headerAt(name, 0); at >= 0; at = this.#headerAt(name, at + 2)) {
      values.push(this.#req.rawHeaders[at + 1]!);
    }
    return values.join(", ");
  }

  #headerAt(name: string, from: number): number {
    const raw = this.#req.rawHeaders;
    for (let i = from; i < raw.length; i += 2) {
      const key = raw[i]!;
      if (key.length === name.length && (key === name || key.toLowerCase() === name)) return i;
    }
    return -1;
  }

  onAbort(gone: () => void): void {
    this.#gone = gone;
  }

  onBody(receive: (chunk: Uint8Array, isLast: boolean) => void): void {
    const announced = this.optionalHeader("content-length");
    let missing = announced === null ? Number.POSITIVE_INFINITY : Number(announced);
    if (missing === 0 || (announced === null && this.optionalHeader("transfer-encoding") === null)) {
      receive(NOTHING, true);
      return;
    }
    this.#req.receive = (chunk) => {
      missing -= chunk?.length ?? 0;
      // The last piece of an announced body is known without waiting for its end.
      if (chunk !== null) receive(chunk, missing === 0);
      else if (announced === null) receive(NOTHING, true);
    };
  }

  send(
    status: number,
    headers: HeaderFields,
    body: Uint8Array | string | null,
    close: boolean,
    unread: UnreadAnswers | null,
  ): void {
    this.#unread = unread;
    const isOwn = body instanceof Uint8Array && body.length > WHOLE_BYTES_MAX;
    const bytes = isOwn ? body : Buffer.from((body ?? NOTHING) as Uint8Array);
    this.#writeHead(status, headers, close, "Content-Length", String(bytes.length));
    if (bytes.length <= WHOLE_BYTES_MAX) this.#finish(bytes);
    else this.#sendPieces(bytes, 0);
  }

  begin(status: number, headers: HeaderFields, drained: () => void): void {
    this.#res.on("drain", drained);
    this.#writeHead(status, headers, false, "Transfer-Encoding", "chunked");
  }

  write(chunk: Uint8Array | string): boolean {
    return this.#res.write(chunk);
  }

  end(): void {
    this.#finish(undefined);
  }

  /** Called when the exchange's first turn is over. */
  endTurn(): void {
    if (!this.#isDone) this.#connection.waiting.add(this);
  }

  isReceiving(request: IncomingMessage | null): boolean {
    return request === this.#req && !this.#req.complete && !this.#res.headersSent;
  }

  abort(): void {
    this.#isDone = true;
    this.#unread?.release(this);
    this.#connection.settle(this);
    this.#gone?.();
  }

  #writeHead(status: number, headers: HeaderFields, close: boolean, lengthName: string, length: string): void {
    // Otherwise Node would add headers about the connection that the other transport does not send.
    this.#res.removeHeader("connection");
    const isNews = close && this.#res.shouldKeepAlive;
    const fields = isNews ? [...headers, "Connection", "close"] : [...headers];
    fields.push("Date", dateNow(), lengthName, length);
    this.#res.writeHead(status, fields);
  }

  #sendPieces(body: Uint8Array, from: number): void {
    for (let at = from; ; at += PIECE_BYTES) {
      const next = at + PIECE_BYTES;
      if (next >= body.length) {
        this.#finish(body.subarray(at));
        return;
      }
      if (!this.#res.write(body.subarray(at, next))) {
        this.isSending = true;
        this.#unread?.hold(this, body.length - at);
        this.#res.once("drain", () => this.#sendPieces(body, next));
        return;
      }
    }
  }

  cut(): void {
    this.#res.destroy();
  }

  #finish(last: Uint8Array | undefined): void {
    this.#unread?.release(this);
    this.#res.end(last);
    this.#isDone = true;
    this.#connection.settle(this);
  }
}

let date = "";
let dateUntil = 0;

/** Written anew once a second. */
function dateNow(): string {
  const now = Date.now();
  if (now >= dateUntil || now < dateUntil - 1000) {
    date = new Date(now).toUTCString();
    dateUntil = now - (now % 1000) + 1000;
  }
  return date;
}
