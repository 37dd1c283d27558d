/**
 * One keep-alive connection that sends prepared requests and times nothing itself: several times cheaper than a general
 * HTTP client, so that the client is not what is measured. Understands answers with a length, and nothing else.
 */
import net from "node:net";

export interface Reply {
  status: number;
  /** Status line and headers. */
  head: string;
  body: Buffer;
}

export interface Address {
  host: string;
  port: number;
}

/** The bytes of a JSON request, to be sent any number of times. */
export function postBytes({ host, port }: Address, key: string, path: string, body: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${host}:${port}`,
    `authorization: Bearer ${key}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

interface Waiting {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

export class Connection {
  readonly #socket: net.Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: Waiting | null = null;
  /** Why nothing can be asked any more. */
  #end: Error | null = null;

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (bytes) => this.#receive(bytes));
    socket.on("error", (error) => this.#fail(error));
    socket.on("end", () => this.#fail(new Error("the server closed the connection")));
    socket.on("close", () => this.#fail(new Error("the server closed the connection")));
  }

  static open({ host, port }: Address): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = net.connect(port, host);
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(new Connection(socket));
      });
    });
  }

  /** Servers close connections that were not used for a while. */
  get isOpen(): boolean {
    return this.#end === null;
  }

  /** One request at a time: the next may be sent when this one is answered. */
  ask(request: Buffer): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#end !== null) throw this.#end;
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#waiting = null;
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    const headEnd = this.#received.indexOf("\r\n\r\n");
    if (headEnd < 0) return;
    const head = this.#received.toString("latin1", 0, headEnd);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    if (length === null) {
      this.#fail(new Error(`an answer without a length: ${head}`));
      return;
    }
    const start = headEnd + 4;
    const end = start + Number(length[1]);
    if (this.#received.length < end) return;
    const body = this.#received.subarray(start, end);
    this.#received = this.#received.subarray(end);
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve({ status: Number(head.slice(9, 12)), head, body });
  }

  #fail(error: Error): void {
    this.#end ??= error;
    this.#waiting?.reject(error);
    this.#waiting = null;
  }
}
