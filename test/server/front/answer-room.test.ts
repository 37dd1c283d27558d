/** Answers that nobody reads take a bounded room together, and who reads slowly loses it to others. */
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { connect, type Socket } from "node:net";
import test from "node:test";
import { bytesAnswer } from "../../../src/server/front/answer.ts";
import { AnswerRoom } from "../../../src/server/front/answer-room.ts";
import { until } from "../../lib/patience.ts";
import { route, startServer } from "./fixture.ts";
import { forEachTransport } from "./transports.ts";

const MB = 1_000_000;

test("who reads slowly makes room, who reads does not", () => {
  let now = 0;
  const room = new AnswerRoom(10 * MB, () => now);
  const cut: string[] = [];
  const answer = (name: string) => ({ cut: () => cut.push(name) });
  const [quick, slow, silent] = ["quick", "slow", "silent"].map(answer) as [
    ReturnType<typeof answer>,
    ReturnType<typeof answer>,
    ReturnType<typeof answer>,
  ];
  assert.ok(room.admits(50 * MB), "one alone may be as long as any");
  for (const held of [quick, slow, silent]) room.hold(held, 3 * MB);
  assert.ok(!room.admits(2 * MB), "nobody has been watched for long enough");
  now = 2500;
  room.hold(quick, 1 * MB);
  room.hold(slow, 2.9 * MB);
  assert.equal(room.bytes, 6.9 * MB);
  assert.ok(room.admits(5 * MB));
  assert.deepEqual(cut, ["silent"]);
  assert.ok(room.admits(8 * MB));
  assert.deepEqual(cut, ["silent", "slow"]);
  assert.ok(!room.admits(9.5 * MB));
  room.release(quick);
  room.release(slow);
  assert.equal(room.bytes, 0);
  assert.ok(room.admits(9.5 * MB));
});

/** Asks, and never reads. */
async function deafClient(port: number, head: string): Promise<{ socket: Socket; isGone: () => boolean }> {
  const socket = connect(port, "127.0.0.1").pause();
  let isGone = false;
  socket.on("error", () => {});
  socket.on("close", () => {
    isGone = true;
  });
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.write(head);
  return { socket, isGone: () => isGone };
}

/** Over a connection of its own. */
async function asked(url: string): Promise<{ status: number; retryAfter: string | undefined; bytes: number }> {
  const [response] = (await once(http.get(url, { agent: false }), "response")) as [http.IncomingMessage];
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  return { status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"], bytes };
}

forEachTransport((transport) => {
  for (const [how, head] of [
    ["asked for", "GET /much HTTP/1.1\r\nHost: x\r\n\r\n"],
    [
      "after which the connection ends",
      "POST /much HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
  ] as const) {
    test(`answers ${how}, and not read, do not fill the memory`, async () => {
      const body = Buffer.alloc(40 * MB, 0x78);
      let answered = 0;
      const much = (): ReturnType<typeof bytesAnswer> => {
        answered++;
        return bytesAnswer(200, "text/plain", body);
      };
      const { server, port, base } = await startServer(
        transport,
        [route("GET", "/much", much), route("POST", "/much", much)],
        null,
        {
          unreadBytesMax: 100 * MB,
        },
      );
      const clients: Awaited<ReturnType<typeof deafClient>>[] = [];
      try {
        for (let i = 0; i < 3; i++) clients.push(await deafClient(port, head));
        await until(
          () => answered === 3,
          () => "all have been answered",
        );
        // Whoever asks now comes back later, or, once it is known who does not read, has what he asked for.
        const statuses = new Set<number>();
        await until(
          async () => {
            const answer = await asked(`${base}/much`);
            statuses.add(answer.status);
            if (answer.status === 503) assert.equal(answer.retryAfter, "10");
            else assert.equal(answer.bytes, body.length);
            return answer.status === 200;
          },
          () => "somebody who reads has an answer",
        );
        assert.ok(statuses.has(503), `${[...statuses]}`);
        for (const { socket } of clients) socket.resume();
        await until(
          () => clients.some(({ isGone }) => isGone()),
          () => "one who does not read is let go",
        );
      } finally {
        for (const { socket } of clients) socket.destroy();
        await server.stop(0);
      }
    });
  }
});
