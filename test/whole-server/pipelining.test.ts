import assert from "node:assert/strict";
import net from "node:net";
import test from "node:test";
import { within } from "../lib/patience.ts";
import { TestServer } from "../lib/server.ts";

function request(method: string, path: string, body: unknown, close = false): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    "Host: x",
    "Content-Type: application/json",
    `Content-Length: ${text.length}`,
  ];
  return `${[...head, ...(close ? ["Connection: close"] : [])].join("\r\n")}\r\n\r\n${text}`;
}

/** What comes back until the connection is closed. */
function send(base: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(base);
  const answer = new Promise<string>((resolve, reject) => {
    let told = "";
    const socket = net.connect(Number(port), hostname, () => socket.write(bytes));
    socket.on("data", (chunk) => {
      told += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(told));
  });
  return within(answer, () => "the end of a connection");
}

/** The first has to wait for a reader, the second is a write. */
const PAIR =
  request("POST", "/indexes/a/search", { q: "sea" }) + request("POST", "/indexes/a/documents", [{ id: 2 }], true);

for (const { transport, answers, tasks } of [
  { transport: "node", answers: ["200", "202"], tasks: 2 },
  { transport: "uws", answers: [], tasks: 1 },
]) {
  test(`of requests in one packet, on ${transport}, none is answered for another, or done unseen`, async () => {
    const server = await TestServer.start({ args: ["--http-transport", transport] });
    try {
      await server.write("POST", "/indexes/a/documents", [{ id: 1, text: "sea" }]);
      const told = await send(server.base, PAIR);
      assert.deepEqual(
        [...told.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
        answers,
      );
      const { body } = await server.request<{ total: number }>("GET", "/tasks");
      assert.equal(body.total, tasks);
      const kept = await send(
        server.base,
        request("GET", "/health", undefined) + request("GET", "/health", undefined, true),
      );
      assert.equal(kept.split('{"status":"available"}').length, 3);
    } finally {
      await server.dispose();
    }
  });
}
