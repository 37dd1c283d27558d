/** Whatever is sent to Node's own server: it is refused or answered, and the next client is served. */
import assert from "node:assert/strict";
import { once } from "node:events";
import test, { after, before } from "node:test";
import fc from "fast-check";
import type { Answer } from "../../../src/server/front/answer.ts";
import { mended } from "../../../src/server/front/transport/node-relay.ts";
import { until } from "../../lib/patience.ts";
import { echoRoutes, type Running, route, startServer } from "./fixture.ts";
import { ask, heard, midway, rawSocket } from "./raw-client.ts";

let running: Running;
before(async () => {
  const slow = route("GET", "/slow", () => new Promise<Answer>(() => {}));
  running = await startServer("node", [...echoRoutes, slow]);
});
after(() => running.server.stop(0));

const refused: Record<string, string> = {
  "no HTTP": "hello\r\n\r\n",
  "a handshake": "\x16\x03\x01\x00\xa5\x01\x00\x00",
  "another version": "GET / HTTP/3.0\r\nHost: x\r\n\r\n",
  "a method nobody knows": "FOO /things HTTP/1.1\r\nHost: x\r\n\r\n",
  "a tunnel": "CONNECT a:80 HTTP/1.1\r\nHost: x\r\n\r\n",
  "a target elsewhere": "GET http://x/things HTTP/1.1\r\nHost: x\r\n\r\n",
  "no host": "GET / HTTP/1.1\r\n\r\n",
  "a name with a space": "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
  "a value with a zero": "GET / HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n",
  "two lengths": "POST /bytes HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
  "a coding that cannot end": "POST /bytes HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\nab",
  "a tab and bytes beyond ASCII": "GET /things/\t\xc3\xa9 HTTP/1.1\r\nHost: x\r\n\r\n",
};

for (const [name, said] of Object.entries(refused)) {
  test(`refused, and the connection closed: ${name}`, async () => {
    const { bytes, closed } = await ask(running.port, said);
    assert.match(bytes.toString(), /^HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n\r\n<h1>/);
    assert.equal(closed, true);
  });
}

test("a page that would be taken for the answer to an earlier request is not sent", async () => {
  const { bytes, closed } = await ask(running.port, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n");
  assert.deepEqual([bytes.toString(), closed], ["", true]);
});

test("what came before nonsense is answered, what comes after it is not", async () => {
  const good = "GET /large/1 HTTP/1.1\r\nHost: x\r\n\r\n";
  for (const nonsense of ["nonsense\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"]) {
    const { bytes } = await ask(running.port, good.repeat(3) + nonsense + good);
    assert.deepEqual(bytes.toString().match(/HTTP\/1\.1 \d+/g), [...Array(3).fill("HTTP/1.1 200"), "HTTP/1.1 400"]);
  }
});

test("one who asks for a tunnel, or leaves in the middle of something, harms nobody", async () => {
  const mended = "POST /bytes?q=\xe9 HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n";
  for (const said of ["CONNECT a:80 HTTP/1.1\r\nHost: x\r\n\r\n", mended, mended.replace("\xe9", "e")]) {
    for (const leave of ["end", "destroy", "resetAndDestroy"] as const) {
      const socket = await midway(running.port, said);
      const closed = once(socket.resume(), "close");
      socket[leave]();
      await closed;
    }
  }
  assert.equal((await fetch(`${running.base}/things`)).status, 200);
});

test("a body may follow a request line that had to be mended, and so may the client's leave", async () => {
  const head = "POST /json?q=\xe9 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n";
  const socket = await midway(running.port, head);
  socket.write('{"a"');
  // The server is in this process, and reads before the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  socket.write(":1}");
  assert.match((await heard(socket)).bytes.toString(), /200 OK.*\{"got":\{"a":1\}\}$/s);

  const unfinished = "POST /bytes?q=\xe9 HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n";
  const leaving = await midway(running.port, unfinished);
  leaving.destroy();
  await until(
    () => running.lines.some((line) => line.includes("request aborted")),
    () => "the server notices",
  );
});

test("a mended request line says the same as before, in letters that are allowed", () => {
  const target = fc.array(fc.integer({ min: 0x21, max: 0xff }), { maxLength: 40 });
  fc.assert(
    fc.property(target, fc.constantFrom("", "GET /before HTTP/1.1\r\nHost: x\r\n\r\n"), (letters, before) => {
      const raw = Buffer.from(letters).toString("latin1").replaceAll("\x7f", "");
      const packet = Buffer.from(`${before}GET /${raw} HTTP/1.1\r\nHost: \xe9\r\n\r\nbody`, "latin1");
      const at = raw.search(/[\x80-\xff]/);
      const bytesParsed = before.length + "GET /".length + Math.max(0, at);
      const result = mended({ code: "HPE_INVALID_URL", rawPacket: packet, bytesParsed });
      if (at < 0) {
        assert.equal(result, null);
        return;
      }
      const [line, ...rest] = result!.toString("latin1").split("\r\n");
      const [method, encoded, version] = line!.split(" ");
      assert.deepEqual([method, version], ["GET", "HTTP/1.1"]);
      assert.match(encoded!, /^[\x21-\x7e]*$/);
      const decoded = encoded!.replace(/%([89A-F][0-9A-F])/g, (_, hex) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      );
      const expected = `/${raw.replace(/%([89A-F][0-9A-F])/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))}`;
      assert.equal(decoded, expected);
      assert.deepEqual(rest, ["Connection: close", "Host: \xe9", "", "body"]);
    }),
  );
});

test("requests that are cut and garbled anywhere, by clients that leave at any time, harm nobody", async () => {
  const whole = Buffer.from(
    "POST /json?q=\xe9 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n" +
      '{"a":1}POST /bytes HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n' +
      "GET /large/400000 HTTP/1.1\r\nHost: x\r\n\r\n",
    "latin1",
  );
  const garbled = fc.record({
    from: fc.nat(whole.length),
    length: fc.nat(whole.length),
    changes: fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 3 }),
    patienceMs: fc.nat(5),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(garbled, { minLength: 1, maxLength: 20 }), async (clients) => {
      await Promise.all(
        clients.map(async ({ from, length, changes, patienceMs }) => {
          const bytes = Buffer.from(whole);
          for (const [at, value] of changes) bytes[at] = value;
          const socket = await rawSocket(running.port);
          socket.resume().write(bytes.subarray(from, from + length));
          await new Promise((resolve) => setTimeout(resolve, patienceMs));
          socket.destroy();
        }),
      );
      assert.equal((await fetch(`${running.base}/things`)).status, 200);
    }),
    { numRuns: 40 },
  );
});
