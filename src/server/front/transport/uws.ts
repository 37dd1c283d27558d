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
      const { isOdd, transfer, empty } = headersOf(req);
      if (isOdd || empty.includes("content-length") || isOddTransfer(transfer)) refuse(res);
      else accept(new UwsExchange(res, req, { empty, isLast: transfer !== null }, this.#sending));
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

const NONE: readonly string[] = [];
/** Of an answer after which the connection is closed. */
const LAST_PIECE_BYTES = 64 * 1024;
/**
 * Handed over in one turn. The system takes more of a client that reads as fast as it is sent to, and to copy that
 * keeps everybody else waiting.
 */
const TURN_BYTES = 1024 * 1024;

interface Wire {
  /** Names of headers that came without a value. */
  empty: readonly string[];
  /**
   * Nothing that follows on the connection is taken for a request. So it is after a body in chunks: the library does not look at
   * the two bytes that end each, and what another server before it takes for a part of the body would be the next client's request.
   */
  isLast: boolean;
}

/**
 * What the library does not tell of headers by name: which of them are empty, not absent, all of one that comes several times, and
 * (odd) whether one comes several times that may come only once.
 */
function headersOf(req: UwsRequest): { isOdd: boolean; transfer: string | null; empty: readonly string[] } {
  let lengths = 0;
  let hosts = 0;
  let transfer: string | null = null;
  let empty = NONE;
  req.forEach((name, value) => {
    if (name === "content-length") lengths++;
    else if (name === "host") hosts++;
    if (name === "transfer-encoding") transfer = transfer === null ? value : `${transfer},${value}`;
    if (value === "") empty = [...empty, name];
  });
  return { isOdd: lengths > 1 || hosts > 1, transfer, empty };
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
  /** Valid in the first turn only. */
  readonly #req: UwsRequest;
  readonly #wire: Wire;
  readonly #sending: Pending;
  #unread: UnreadAnswers | null = null;
  #isSending = false;
  #isGone = false;

  constructor(res: UwsResponse, req: UwsRequest, wire: Wire, sending: Pending) {
    this.#res = res;
    this.#req = req;
    this.#wire = wire;
    this.#sending = sending;
    if (wire.isLast) this.onAbort(() => {});
    this.method = req.getMethod().toUpperCase();
    this.path = req.getUrl();
    this.query = req.getQuery() ?? "";
  }

  header(name: string): string {
    return this.#req.getHeader(name);
  }

  optionalHeader(name: string): string | null {
    const value = this.#req.getHeader(name);
    return value !== "" || this.#wire.empty.includes(name) ? value : null;
  }

  joinedHeader(name: string): string {
    if (this.#req.getHeader(name) === "" && !this.#wire.empty.includes(name)) return "";
    const values: string[] = [];
    this.#req.forEach((key, value) => {
      if (key === name) values.push(value);
    });
    return values.join(", ");
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
    if (!this.#wire.isLast) {
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
    this.#res.cork(() => this.#res.end(undefined, this.#wire.isLast));
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
