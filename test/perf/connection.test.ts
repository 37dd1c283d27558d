/** The client and the load generators of the measurements: what they send, and what they make of what comes back. */
import assert from "node:assert/strict";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { test } from "node:test";
import { Connection, postBytes } from "../../perf/lib/connection.ts";
import { load } from "../../perf/lib/load.ts";
import { luaText, readReport } from "../../perf/lib/load-wrk.ts";
import { withPlace } from "../../perf/lib/numbered.ts";
import { within } from "../lib/patience.ts";

interface TestServer {
  port: number;
  /** What came in, as it came. */
  received: string[];
  close(): void;
}

/** A server that answers every request with the next of the given pieces, written one by one. */
async function serve(answers: string[][]): Promise<TestServer> {
  let next = 0;
  const received: string[] = [];
  const server = net.createServer((socket) => {
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("data", async (bytes) => {
      received.push(bytes.toString());
      for (const piece of answers[next++ % answers.length]!) {
        socket.write(piece);
        await new Promise((resume) => setTimeout(resume, 2));
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, received, close: () => server.close() };
}

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n";

test("an answer is whole however it is cut, and the next one begins behind it", async () => {
  const server = await serve([
    [`${OK}{"a":1}`],
    ["HTTP/1.1 4", "04 No\r\ncontent-length:5\r", "\n\r\nno", "pe!"],
    [OK, '{"b":2}'],
  ]);
  const connection = await Connection.open({ host: "127.0.0.1", port: server.port });
  const request = postBytes({ host: "127.0.0.1", port: server.port }, "key", "/x", "{}");
  const replies: [number, string][] = [];
  for (let i = 0; i < 3; i++) {
    const { status, body } = await connection.ask(request);
    replies.push([status, body.toString()]);
  }
  assert.deepEqual(replies, [
    [200, '{"a":1}'],
    [404, "nope!"],
    [200, '{"b":2}'],
  ]);
  connection.close();
  server.close();
});

test("an answer without a length is refused", async () => {
  const server = await serve([["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"]]);
  const connection = await Connection.open({ host: "127.0.0.1", port: server.port });
  await assert.rejects(connection.ask(Buffer.from("GET / HTTP/1.1\r\n\r\n")), /without a length/);
  connection.close();
  server.close();
});

test("nobody waits for an answer over a connection that the server has closed meanwhile", async () => {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const accepted = once(server, "connection") as Promise<[net.Socket]>;
  const connection = await Connection.open({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
  const [socket] = await accepted;
  socket.end().resume();
  // That is when the client has closed its side, too.
  await once(socket, "close");
  const asked = connection.ask(Buffer.from("GET / HTTP/1.1\r\n\r\n"));
  await within(assert.rejects(asked, /the server closed the connection/), () => "an answer that cannot come", 10);
  assert.equal(connection.isOpen, false);
  server.close();
});

test("the load process asks as often as it was told to, never twice the same, and refusals are an error", async () => {
  const server = await serve([[`${OK}{"a":1}`]]);
  const plan = {
    address: { host: "127.0.0.1", port: server.port },
    key: "key",
    requests: [{ path: "/x", body: JSON.stringify(withPlace({ q: "é" })) }],
    connections: 3,
    until: { answers: 50 },
  };
  const { answers, refused } = await load(plan);
  assert.deepEqual({ answers, refused }, { answers: 50, refused: 0 });
  assert.equal(new Set(server.received).size, 50, "every request has a number of its own");
  for (const request of server.received) {
    const [head, body] = request.split("\r\n\r\n");
    assert.match(body!, /^\{"q":"é","cropMarker":"\d{8}"\}$/);
    assert.equal(/content-length: (\d+)/.exec(head!)?.[1], `${Buffer.byteLength(body!)}`);
  }
  server.close();
  const refusing = await serve([["HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n"]]);
  const address = { host: "127.0.0.1", port: refusing.port };
  await assert.rejects(load({ ...plan, address, until: { answers: 4 } }), /4 of 4 answers were refusals/);
  refusing.close();
});

test("a Lua text holds any query", () => {
  assert.equal(luaText('a "b" \\ ]==] é\n'), '"a \\034b\\034 \\092 ]==] \\195\\169\\010"');
});

test("the report of wrk is read", () => {
  const report = `Running 8s test @ http://127.0.0.1:7700
  1 threads and 32 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    63.27ms   20.70ms 199.97ms   74.03%
    Req/Sec   507.89     72.44   640.00     70.00%
  Latency Distribution
     50%  850.00us
     75%   75.00ms
     90%   90.00ms
     99%    1.25s
  4055 requests in 8.01s, 35.83MB read
  Socket errors: connect 0, read 1, write 0, timeout 2
  Non-2xx or 3xx responses: 5
Requests/sec:    506.25
Transfer/sec:      4.47MB
`;
  assert.deepEqual(readReport(report, 8), { answers: 4050, seconds: 8, p50Ms: 0.85, p99Ms: 1250, refused: 8 });
});
