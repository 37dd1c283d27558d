/** What takes ten seconds and more: all of it at the same time. */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import test, { after, before, describe } from "node:test";
import { jsonAnswer } from "../../../src/server/front/answer.ts";
import type { TransportName } from "../../../src/server/front/transport/choose.ts";
import { within } from "../../lib/patience.ts";
import { echoRoutes, type Running, route, startServer } from "./fixture.ts";
import { heard, rawSocket } from "./raw-client.ts";
import { uwsMissing } from "./transports.ts";

/** The idle time is ten seconds; clocks are looked at every few seconds only. */
const PATIENCE_S = 50;
const POST = "POST /bytes HTTP/1.1\r\nHost: x\r\n";
const CRUMBS = "x".repeat(60).split("");

const thoughtful = route("GET", "/thoughtful", async () => {
  await new Promise((resolve) => setTimeout(resolve, 13_000));
  return jsonAnswer(200, { thought: true });
});

const running: Partial<Record<TransportName, Running>> = {};
before(async () => {
  for (const transport of ["uws", "node"] as const) {
    if (transport === "node" || uwsMissing === false) {
      running[transport] = await startServer(transport, [...echoRoutes, thoughtful]);
    }
  }
});
after(() => Promise.all(Object.values(running).map(({ server }) => server.stop())));

/** Says its parts one a second, the first at once. */
async function speak(socket: Socket, parts: readonly string[]): Promise<void> {
  for (const part of parts) {
    if (socket.destroyed) return;
    socket.write(part);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

const slow: Record<string, readonly string[]> = {
  "one who says nothing": [],
  "one who has had an answer and wants nothing more": ["GET / HTTP/1.1\r\nHost: x\r\n\r\n"],
  "one who stops in the middle of a head": ["GET / HTTP/1.1\r\nHo"],
  "one who stops in the middle of a body": [`${POST}Content-Length: 100\r\n\r\nabc`],
  "one who sends a body in crumbs": [`${POST}Content-Length: 100\r\n\r\n`, ...CRUMBS],
  "one who sends chunks of crumbs": [
    `${POST}Transfer-Encoding: chunked\r\n\r\n`,
    ...CRUMBS.map((x) => `1\r\n${x}\r\n`),
  ],
  "one who sends a body that nobody reads in crumbs": [
    "GET /things HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n",
    ...CRUMBS,
  ],
};
// The other transport lets go only of heads that do not grow.
const slowOnNode: Record<string, readonly string[]> = {
  ...slow,
  "one who sends a head in crumbs": ["GET / HTTP/1.1\r\nHost: x\r\nLong: ", ...CRUMBS],
};

describe("slow clients are let go, slow answers are not", { concurrency: true }, () => {
  for (const [transport, clients, skip] of [
    ["uws", slow, uwsMissing],
    ["node", slowOnNode, false],
  ] as const) {
    test(`on ${transport}`, { skip }, async () => {
      const { port, base } = running[transport]!;
      const outcomes = Object.entries(clients).map(async ([name, parts]) => {
        const socket = await rawSocket(port);
        const begun = performance.now();
        void speak(socket, parts);
        await within(heard(socket), () => `${name} is let go`, PATIENCE_S);
        const ms = performance.now() - begun;
        assert.ok(ms > 5_000, `${name}: ${ms} ms`);
      });
      const answer = fetch(`${base}/thoughtful`).then((response) => response.json());
      await Promise.all(outcomes);
      assert.deepEqual(await answer, { thought: true });
    });
  }
});
