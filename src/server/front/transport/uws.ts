/**
 * The transport on uWebSockets.js, by far the quicker one. All writes are corked into as few system calls as possible.
 * The library keeps the idle time and a least speed of bodies by itself.
 */
import { builtIn } from "../../../base/net/built-in.ts";
import { Pending } from "./pending.ts";
import {
  type Exchange,
  type HeaderFields,
  isOddTransfer,
  type TlsFiles,
  type Transport,
  tlsProblem,
  type UnreadAnswers,
  WHOLE_BYTES_MAX,
} from "./transport.ts";
import type { ListenSocket, UwsApp, UwsModule, UwsRequest, UwsResponse } from "./uws-types.ts";

/** Of the answers that nearly every start gives: Node's own list comes with all of its HTTP. */
const REASONS: Record<number, string> = { 200: "OK", 202: "Accepted" };

const statusLines = new Map<number, string>();

function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) {
    line = `${status} ${REASONS[status] ?? builtIn("node:http").STATUS_CODES[status] ?? "Unknown"}`;
    statusLines.set(status, line);
  }
  return line;
}

export class UwsTransport implements Transport {
  readonly name = "uWebSockets.js";
  readonly #uws: UwsModule;
  readonly #app: UwsApp;
  readonly #sockets: ListenSocket[] = [];
  /** Answers that wait for their socket to drain. */
  readonly #sending = new Pending();

  constructor(uws: UwsModule, tls: TlsFiles | null, accept: (exchange: Exchange) => void) {
    this.#uws = uws;
    this.#app = tls === null ? uws.App() : secureApp(uws, tls);
    this.#app.any("/*", (res, req) => {
      const headers = new Headers(req);
      if (headers.areOdd) refuse(res);
      else accept(new UwsExchange(res, req, headers, this.#sending));
    });
  }

  listen(address: string, port: number): Promise<number | null> {
    return new Promise((resolve) => {
      // By default two servers on one port would each get a part of the requests.
      this.#app.listen(address, port, this.#uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
        if (socket) this.#sockets.push(socket);
        resolve(socket ? this.#uws.us_socket_local_port(socket) : null);
      });
    });
  }

  stopListening(): void {
    for (const socket of this.#sockets.splice(0)) this.#uws.us_listen_socket_close(socket);
  }

  async close(withinMs: number): Promise<void> {
    await this.#sending.none(withinMs);
    // What is answered in the turn in which a request is read leaves at the end of that turn.
    await new Promise((resolve) => setImmediate(resolve));
    this.#app.close();
  }
}

/** Of an answer after which the connection is closed. */
const LAST_PIECE_BYTES = 64 * 1024;
/**
 * Handed over in one turn. The system takes more of a client that reads as fast as it is sent to, and to copy that
 * keeps everybody else waiting.
 */
const TURN_BYTES = 1024 * 1024;

/** The library takes values that it visits for UTF-8; asked by name it gives one byte by byte, as everything here expects it. */
const NOT_ASCII = /[^\x00-\x7f]/;

/**
 * All that came, read at once: to ask the library for one by its name takes longer than to look through them here. Besides, it does not
 * tell by name which of them are empty, not absent, and all of one that comes several times.
 */
class Headers {
  /** Names, in lower case, and values in turn. */
  readonly #fields: string[] = [];

  constructor(req: UwsRequest) {
    req.forEach((name, value) => {
      this.#fields.push(name, NOT_ASCII.test(value) ? req.getHeader(name) : value);
    });
  }

  /** The first of this name; null where there is none. */
  first(name: string): string | null {
    const fields = this.#fields;
    for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return fields[i + 1]!;
    return null;
  }

  all(name: string): string[] {
    return this.#fields.filter((_, i) => i % 2 === 1 && this.#fields[i - 1] === name);
  }

  /** Whether one comes several times that may come only once, or a body in a way that nobody uses. */
  get areOdd(): boolean {
    const lengths = this.all("content-length");
    if (lengths.length > 1 || lengths[0] === "" || this.all("host").length > 1) return true;
    return this.isChunked && isOddTransfer(this.all("transfer-encoding").join());
  }

  /**
   * Nothing that follows on the connection is taken for a request after a body in chunks: the library does not look at the two bytes
   * that end each, and what another server before it takes for a part of the body would be the next client's request.
   */
  get isChunked(): boolean {
    return this.first("transfer-encoding") !== null;
  }
}

/**
 * Of two lengths the library goes by the first. A proxy before it may go by the other, and take for the next client's
 * request what one has put into a body. So nothing is read after such a request: until it is answered, which it is in the
 * next turn, the library closes the connection over whatever follows.
 */
function refuse(res: UwsResponse): void {
  let isGone = false;
  res.onAborted(() => {
    isGone = true;
  });
  setImmediate(() => {
    if (isGone) return;
    res.cork(() => {
      res.writeStatus(statusLine(400));
      res.end("<h1>Bad Request</h1>", true);
    });
  });
}

class UwsExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #res: UwsResponse;
  readonly #headers: Headers;
  /** Whether the connection ends with the answer. */
  readonly #isLast: boolean;
  readonly #sending: Pending;
  #unread: UnreadAnswers | null = null;
  #isSending = false;
  #isGone = false;

  constructor(res: UwsResponse, req: UwsRequest, headers: Headers, sending: Pending) {
    this.#res = res;
    this.#headers = headers;
    this.#isLast = headers.isChunked;
    this.#sending = sending;
    if (this.#isLast) this.onAbort(() => {});
    this.method = req.getMethod().toUpperCase();
    this.path = req.getUrl();
    this.query = req.getQuery() ?? "";
  }

  header(name: string): string {
    return this.#headers.first(name) ?? "";
  }

  optionalHeader(name: string): string | null {
    return this.#headers.first(name);
  }

  joinedHeader(name: string): string {
    return this.#headers.first(name) === null ? "" : this.#headers.all(name).join(", ");
  }

  onAbort(gone: () => void): void {
    this.#res.onAborted(() => {
      this.#isGone = true;
      this.#sent();
      gone();
    });
  }

  onBody(receive: (chunk: Uint8Array, isLast: boolean) => void): void {
    this.#res.onData((chunk, isLast) => receive(new Uint8Array(chunk), isLast));
  }

  send(
    status: number,
    headers: HeaderFields,
    body: Uint8Array | string | null,
    close: boolean,
    unread: UnreadAnswers | null,
  ): void {
    this.#unread = unread;
    if (!this.#isLast) {
      this.#send(status, headers, body, close);
      return;
    }
    const own = body instanceof Uint8Array && body.length <= WHOLE_BYTES_MAX ? new Uint8Array(body) : body;
    // While an answer is due the library closes the connection over whatever else came in the same packet.
    setImmediate(() => {
      if (!this.#isGone) this.#send(status, headers, own, true);
    });
  }

  begin(status: number, headers: HeaderFields, drained: () => void): void {
    this.#res.onWritable(() => {
      drained();
      return true;
    });
    this.#res.cork(() => this.#writeHead(status, headers));
  }

  write(chunk: Uint8Array | string): boolean {
    let flowing = true;
    this.#res.cork(() => {
      flowing = this.#res.write(chunk);
    });
    return flowing;
  }

  end(): void {
    this.#res.cork(() => this.#res.end(undefined, this.#isLast));
  }

  #send(status: number, headers: HeaderFields, body: Uint8Array | string | null, close: boolean): void {
    const res = this.#res;
    res.cork(() => {
      this.#writeHead(status, headers);
      if (body === null) res.end(undefined, close);
      else if (body.length <= WHOLE_BYTES_MAX) res.end(body, close);
      else {
        const bytes = typeof body === "string" ? Buffer.from(body) : body;
        if (close) this.#sendLast(bytes);
        else this.#sendPieces(bytes);
      }
    });
  }

  #writeHead(status: number, headers: HeaderFields): void {
    this.#res.writeStatus(statusLine(status));
    for (let i = 0; i < headers.length; i += 2) this.#res.writeHeader(headers[i]!, headers[i + 1]!);
  }

  #sendPieces(body: Uint8Array): void {
    const res = this.#res;
    let isDue = false;
    const sendFrom = (offset: number): boolean => {
      const [isTaken, isWhole] = res.tryEnd(body.subarray(offset, offset + TURN_BYTES), body.length);
      if (isWhole) {
        this.#sent();
        return true;
      }
      this.#wait(body.length - offset);
      if (isTaken) later();
      return isTaken;
    };
    const later = (): void => {
      if (isDue) return;
      isDue = true;
      setImmediate(() => {
        isDue = false;
        if (!this.#isGone) res.cork(() => sendFrom(res.getWriteOffset()));
      });
    };
    res.onWritable((offset) => (isDue ? true : sendFrom(offset)));
    sendFrom(0);
  }

  /** The same where the connection is to be closed after it, which only an answer without a known length can do in pieces. */
  #sendLast(body: Uint8Array): void {
    const res = this.#res;
    let at = 0;
    let isDue = false;
    const later = (): void => {
      isDue = true;
      setImmediate(() => {
        isDue = false;
        if (!this.#isGone) res.cork(sendOn);
      });
    };
    const sendOn = (): void => {
      for (const end = at + TURN_BYTES; at < body.length; ) {
        if (at >= end) {
          this.#wait(body.length - at);
          later();
          return;
        }
        const isTaken = res.write(body.subarray(at, at + LAST_PIECE_BYTES));
        at += LAST_PIECE_BYTES;
        if (isTaken || at >= body.length) continue;
        this.#wait(body.length - at);
        return;
      }
      this.#sent();
      res.end(undefined, true);
    };
    res.onWritable(() => {
      if (!isDue) res.cork(sendOn);
      return true;
    });
    sendOn();
  }

  #wait(bytes: number): void {
    this.#unread?.hold(this, bytes);
    if (this.#isSending) return;
    this.#isSending = true;
    this.#sending.add();
  }

  #sent(): void {
    if (!this.#isSending) return;
    this.#isSending = false;
    this.#unread?.release(this);
    this.#sending.remove();
  }

  /** Not in the middle of what another connection is being told. */
  cut(): void {
    setImmediate(() => {
      if (this.#isSending && !this.#isGone) this.#res.close();
    });
  }
}

function secureApp(uws: UwsModule, tls: TlsFiles): UwsApp {
  const { cert, key, authorities } = tls;
  try {
    const ca = authorities === null ? {} : { ca_file_name: authorities };
    return uws.SSLApp({ cert_file_name: cert, key_file_name: key, ...ca });
  } catch {
    throw tlsProblem(tls);
  }
}
