/** A real proxy on this machine: `CONNECT` and absolute addresses, names as they are given, everything noted. */
import { createServer, request as forward, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";

export class TestProxy {
  /** What was asked of it: `CONNECT host:port`, or `METHOD http://…`. */
  readonly seen: string[] = [];
  readonly authorizations: (string | undefined)[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** `ports`: where names lead on this machine; a name that is not there is refused. */
  static async start(ports: Record<string, number>): Promise<TestProxy> {
    const server = createServer();
    const proxy = new TestProxy(server);
    server.on("request", (incoming, outgoing) => {
      proxy.seen.push(`${incoming.method} ${incoming.url}`);
      proxy.authorizations.push(incoming.headers["proxy-authorization"]);
      const url = new URL(incoming.url!);
      const port = ports[url.hostname];
      if (port === undefined) return outgoing.writeHead(502).end();
      const { "proxy-authorization": _own, ...headers } = incoming.headers;
      const passed = forward(
        { host: "127.0.0.1", port, method: incoming.method, path: url.pathname + url.search, headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(outgoing);
        },
      );
      passed.on("error", () => outgoing.destroy());
      incoming.pipe(passed);
      return outgoing;
    });
    server.on("connect", (incoming, socket, head) => {
      proxy.seen.push(`CONNECT ${incoming.url}`);
      proxy.authorizations.push(incoming.headers["proxy-authorization"]);
      const port = ports[incoming.url!.split(":")[0]!];
      if (port === undefined) return socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
      const through = connect(port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        through.write(head);
        through.pipe(socket).pipe(through);
      });
      through.on("error", () => socket.destroy());
      return socket.on("error", () => through.destroy());
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    return proxy;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
