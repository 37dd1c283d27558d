/**
 * The transport on Node's own HTTP server: it runs wherever Node does. Where the two transports could differ on the wire
 * (versions, expectations, limits, idle time, what is answered to nonsense), this one follows the other.
 */
import * as http from "node:http";
import * as https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { Connections } from "./node-connections.ts";
import { NodeExchange, NodeRequest } from "./node-exchange.ts";
import { mended, type ParseProblem, Relay } from "./node-relay.ts";
import { isStranger, readTls } from "./node-tls.ts";
import {
  type Exchange,
  HEAD_BYTES_MAX,
  IDLE_MS_MAX,
  isOddTransfer,
  type TlsFiles,
  type Transport,
} from "./transport.ts";

type HttpServer = http.Server<typeof NodeRequest>;

/** As many as the other transport takes. */
const HEADERS_MAX = 98;
/** How often it is looked for heads that take too long. */
const CHECK_MS = 2000;

const OPTIONS: http.ServerOptions<typeof NodeRequest> & { optimizeEmptyRequests: boolean } = {
  IncomingMessage: NodeRequest,
  maxHeaderSize: HEAD_BYTES_MAX,
  connectionsCheckingInterval: CHECK_MS,
  headersTimeout: IDLE_MS_MAX,
  // Bodies may take their time as long as they come at a least speed, see `Connection`.
  requestTimeout: 0,
  // The idle time of the socket is enough; a second clock would be set twice a request.
  keepAliveTimeout: 0,
  noDelay: true,
  // Is checked here, to be answered like everything else that is wrong.
  requireHostHeader: false,
  // Known to newer versions of Node: no stream is set up for a body that does not exist.
  optimizeEmptyRequests: true,
};

export class NodeTransport implements Transport {
  readonly name = "node:http";
  readonly #accept: (exchange: Exchange) => void;
  readonly #tls: https.ServerOptions | null;
  /** One for each address. */
  readonly #servers: HttpServer[] = [];
  readonly #connections = new Connections();

  constructor(tls: TlsFiles | null, accept: (exchange: Exchange) => void) {
    this.#tls = tls === null ? null : readTls(tls);
    this.#accept = accept;
  }

  listen(address: string, port: number): Promise<number | null> {
    const server = this.#server();
    return new Promise((resolve) => {
      // Stays for later: a connection that could not be accepted is no reason to end the process.
      server.on("error", () => resolve(null));
      server.listen({ host: address, port, exclusive: true }, () => {
        this.#servers.push(server);
        resolve((server.address() as AddressInfo).port);
      });
    });
  }

  stopListening(): void {
    for (const server of this.#servers.splice(0)) server.close();
  }

  close(withinMs: number): Promise<void> {
    return this.#connections.close(withinMs);
  }

  #server(): HttpServer {
    const connections = this.#connections;
    const server: HttpServer =
      this.#tls === null
        ? http.createServer(OPTIONS)
        : (https.createServer({ ...OPTIONS, ...this.#tls }) as unknown as HttpServer);
    server.timeout = IDLE_MS_MAX;
    server.on("request", (req, res) => this.#receive(req, res));
    // Expectations nobody knows are passed over.
    server.on("checkExpectation", (req, res) => this.#receive(req as NodeRequest, res));
    server.on("connect", (req) => connections.of(req.socket)?.refuse(errorPage(400)));
    server.on("timeout", (socket) => connections.of(socket)?.timedOut());
    server.on("clientError", (problem: ParseProblem, socket) => this.#mend(server, problem, socket as Socket));
    if (this.#tls === null) {
      server.prependListener("connection", (socket: Socket) => connections.add(socket));
    } else {
      server.on("connection", (socket: Socket) => connections.addCarrier(socket));
      server.prependListener("secureConnection", (socket: TLSSocket) => {
        if (isStranger(socket)) socket.destroy();
        else connections.add(socket);
      });
    }
    return server;
  }

  #receive(req: NodeRequest, res: http.ServerResponse): void {
    const connection = this.#connections.of(req.socket);
    if (connection === undefined || connection.isRefused) return;
    const exchange = new NodeExchange(req, res, connection);
    const status = refusalOf(req, exchange);
    if (status !== null) {
      connection.refuse(errorPage(status));
      return;
    }
    connection.latest = req;
    this.#accept(exchange);
    exchange.endTurn();
  }

  /** What Node could not read: put right where that is possible, refused otherwise. */
  #mend(server: HttpServer, problem: ParseProblem, socket: Socket): void {
    const connection = this.#connections.of(socket);
    // A head that takes too long, a broken connection: nothing to be said.
    if (connection === undefined || !problem.code?.startsWith("HPE_")) {
      socket.destroy();
      return;
    }
    if (connection.relay !== null) {
      // Without a packet it is the end of the connection that Node does not understand.
      if (problem.rawPacket) connection.relay.push(problem.rawPacket);
      else socket.destroy();
      return;
    }
    const packet = connection.waiting.size > 0 ? null : mended(problem);
    if (packet === null) {
      connection.refuse(errorPage(problem.code === "HPE_HEADER_OVERFLOW" ? 431 : 400));
      return;
    }
    connection.relay = new Relay(connection, packet);
    server.emit(this.#tls === null ? "connection" : "secureConnection", connection.relay);
  }
}

/** Null for a request that can be answered. */
function refusalOf(req: NodeRequest, exchange: NodeExchange): number | null {
  if (req.httpVersionMajor !== 1 || req.httpVersionMinor !== 1) return 505;
  if (req.rawHeaders.length > HEADERS_MAX * 2) return 431;
  const isEncoded = exchange.optionalHeader("transfer-encoding") !== null;
  if (isEncoded && isOddTransfer(exchange.joinedHeader("transfer-encoding"))) return 400;
  return exchange.path.startsWith("/") && hosts(req) === 1 ? null : 400;
}

/** Of several, Node would go by the first, and a server before it perhaps by the last. */
function hosts({ rawHeaders }: NodeRequest): number {
  return rawHeaders.filter((name, i) => i % 2 === 0 && name.length === 4 && name.toLowerCase() === "host").length;
}

/** For those who do not speak HTTP as it is spoken here. */
function errorPage(status: number): string {
  const reason = http.STATUS_CODES[status];
  const more = status === 505 ? "<p>This server does not support HTTP/1.0.</p>" : "";
  return `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n\r\n<h1>${reason}</h1>${more}`;
}
