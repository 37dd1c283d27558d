/** A line to another server that can be cut in either direction, and mended: bytes are swallowed, as a network does it. */

import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";

export type Direction = "there" | "back";

export class CuttableLine {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #cut: ReadonlySet<Direction> = new Set();
  /** Is told of bytes before they go on, and may cut the line before they do. */
  watch: (direction: Direction, bytes: Buffer) => void = () => {};

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(port: number): Promise<CuttableLine> {
    const server = createServer();
    const line = new CuttableLine(server);
    server.on("connection", (near) => line.#join(near, connect(port, "127.0.0.1")));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return line;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  cut(...directions: Direction[]): void {
    this.#cut = new Set(directions);
  }

  /** What was swallowed is gone, so the connections end. */
  mend(): void {
    this.#cut = new Set();
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.mend();
    this.#server.close();
  }

  #join(near: Socket, far: Socket): void {
    const pass = (from: Socket, to: Socket, direction: Direction): void => {
      this.#sockets.add(from);
      from.on("data", (bytes) => {
        this.watch(direction, bytes);
        if (!this.#cut.has(direction)) to.write(bytes);
      });
      from.on("error", () => from.destroy());
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    };
    pass(near, far, "there");
    pass(far, near, "back");
  }
}
