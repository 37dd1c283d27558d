/** A real server on a free port and on either transport, with routes made up by the test. */

import { apiError } from "../../../src/base/errors/errors.ts";
import { Log } from "../../../src/base/log/log.ts";
import { type Answer, bytesAnswer, emptyAnswer, jsonAnswer } from "../../../src/server/front/answer.ts";
import { RequestMetrics } from "../../../src/server/front/metrics.ts";
import { Opening } from "../../../src/server/front/opening.ts";
import type { ClientRequest } from "../../../src/server/front/request.ts";
import { Router, type RouteSpec } from "../../../src/server/front/router.ts";
import { Server } from "../../../src/server/front/server.ts";
import { chooseTransport, type TransportName } from "../../../src/server/front/transport/choose.ts";
import type { TlsFiles } from "../../../src/server/front/transport/transport.ts";

interface TestGrant {
  name: string;
}

export interface Running {
  base: string;
  port: number;
  server: Server<TestGrant>;
  lines: string[];
  metrics: RequestMetrics;
}

export const PAYLOAD_BYTES_MAX = 64 * 1024;

type Handle = (request: ClientRequest<TestGrant>) => Answer | Promise<Answer>;

export function route(method: RouteSpec<TestGrant>["method"], path: string, handle: Handle): RouteSpec<TestGrant> {
  return { method, path, action: null, body: method === "GET" ? "ignored" : "wanted", handle };
}

export const echoRoutes: RouteSpec<TestGrant>[] = [
  route("GET", "/", () => jsonAnswer(200, { status: "here" })),
  route("GET", "/things", (request) => jsonAnswer(200, { query: request.query })),
  route("GET", "/things/{id}", (request) => jsonAnswer(200, { id: request.param("id") })),
  route("POST", "/things/special", () => emptyAnswer(204)),
  route("POST", "/json", (request) => jsonAnswer(200, { got: request.json() })),
  route("POST", "/bytes", (request) => jsonAnswer(200, { bytes: request.body.length })),
  route("GET", "/large/{bytes}", (request) =>
    bytesAnswer(200, "text/plain", "x".repeat(Number(request.param("bytes")))),
  ),
  route("GET", "/busy", () => {
    throw apiError("too_many_search_requests", "come back later");
  }),
  route("GET", "/broken", async () => {
    throw new TypeError("a bug");
  }),
  { ...route("POST", "/guarded", (request) => jsonAnswer(200, { name: request.grant.name })), action: "search" },
];

export async function startServer(
  transport: TransportName,
  routes: RouteSpec<TestGrant>[] = echoRoutes,
  tls: TlsFiles | null = null,
  more: { unreadBytesMax?: number } = {},
): Promise<Running> {
  const lines: string[] = [];
  const log = new Log("debug", "json", (line) => lines.push(line));
  const router = new Router<TestGrant>(routes);
  const metrics = new RequestMetrics(router.routes);
  const server = new Server<TestGrant>({
    opening: Opening.past(),
    transport: await chooseTransport(transport, log),
    router,
    authorize(request) {
      if (request.head.authorization !== "Bearer let-me-in" && request.head.serviceKey !== "let-me-in")
        throw apiError("invalid_api_key", "no");
      return { name: "visitor" };
    },
    payloadBytesMax: PAYLOAD_BYTES_MAX,
    ...more,
    tls,
    cluster: null,
    forwarding: null,
    metrics,
    log,
  });
  const port = await server.listen("127.0.0.1", 0);
  return { base: `${tls === null ? "http" : "https"}://127.0.0.1:${port}`, port, server, lines, metrics };
}
