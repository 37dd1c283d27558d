import assert from "node:assert/strict";
import type { Socket } from "node:net";
import test, { after, before } from "node:test";
import { promisify } from "node:util";
import zlib from "node:zlib";
import { until } from "../../lib/patience.ts";
import { PAYLOAD_BYTES_MAX, type Running, startServer } from "./fixture.ts";
import { ask, midway, rawSocket } from "./raw-client.ts";
import { forEachTransport } from "./transports.ts";

forEachTransport((transport) => {
  let running: Running;
  before(async () => {
    running = await startServer(transport);
  });
  after(() => running.server.stop());

  const JSON_HEADERS = { "content-type": "application/json" };

  function post(path: string, body: string | Uint8Array, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(running.base + path, { method: "POST", body: body as string, headers });
  }

  async function codeOf(response: Response): Promise<[number, string]> {
    return [response.status, ((await response.json()) as { code: string }).code];
  }

  test("content type, presence and syntax of a JSON body are checked in that order", async () => {
    assert.deepEqual(await codeOf(await post("/json", new Uint8Array(0))), [415, "missing_content_type"]);
    assert.deepEqual(await codeOf(await post("/json", "{", { "content-type": "text/plain" })), [
      415,
      "invalid_content_type",
    ]);
    assert.deepEqual(await codeOf(await post("/json", "{", { "content-type": "" })), [415, "invalid_content_type"]);
    assert.deepEqual(await codeOf(await post("/json", "", JSON_HEADERS)), [400, "missing_payload"]);
    assert.deepEqual(await codeOf(await post("/json", "{", JSON_HEADERS)), [400, "malformed_payload"]);
    const invalidUtf8 = new Uint8Array([0x22, 0xff, 0x22]);
    assert.deepEqual(await codeOf(await post("/json", invalidUtf8, JSON_HEADERS)), [400, "malformed_payload"]);
    const good = await post("/json", '{"a":1}', { "content-type": "Application/JSON; charset=utf-8" });
    assert.deepEqual(await good.json(), { got: { a: 1 } });
  });

  test("a body of exactly the limit passes, one byte more does not", async () => {
    assert.equal((await post("/bytes", new Uint8Array(PAYLOAD_BYTES_MAX))).status, 200);
    assert.deepEqual(await codeOf(await post("/bytes", new Uint8Array(PAYLOAD_BYTES_MAX + 1))), [
      413,
      "payload_too_large",
    ]);
  });

  test("a body of unknown length is bounded too", async () => {
    const stream = (chunks: number): ReadableStream =>
      new ReadableStream({
        pull(controller) {
          if (chunks-- > 0) controller.enqueue(new Uint8Array(8192));
          else controller.close();
        },
      });
    const send = (chunks: number): Promise<Response> =>
      fetch(`${running.base}/bytes`, { method: "POST", body: stream(chunks), duplex: "half" } as RequestInit);
    assert.deepEqual(await (await send(4)).json(), { bytes: 4 * 8192 });
    assert.deepEqual(await codeOf(await send(9)), [413, "payload_too_large"]);
  });

  test("compressed bodies are decoded", async () => {
    const plain = Buffer.from(JSON.stringify({ text: "hello ".repeat(1000) }));
    const encoded: [string, Uint8Array][] = [
      ["gzip", zlib.gzipSync(plain)],
      ["deflate", zlib.deflateSync(plain)],
      ["deflate", zlib.deflateRawSync(plain)],
      ["br", zlib.brotliCompressSync(plain)],
      ["identity", plain],
    ];
    const zstd = (zlib as { zstdCompressSync?: (bytes: Uint8Array) => Uint8Array }).zstdCompressSync;
    if (zstd) encoded.push(["zstd", zstd(plain)]);
    for (const [encoding, bytes] of encoded) {
      const answer = await post("/json", bytes, { ...JSON_HEADERS, "content-encoding": encoding });
      assert.equal(answer.status, 200, encoding);
      assert.deepEqual(await answer.json(), { got: JSON.parse(plain.toString()) });
    }
  });

  test("the limit holds for what a compressed body unfolds into", async () => {
    const bomb = Buffer.alloc(64 * 1024 * 1024);
    // Beside what the thread does: stopped for seconds, the server closes what the client takes for a connection it may use again.
    const bombs: [string, Uint8Array][] = [
      ["gzip", await promisify(zlib.gzip)(bomb)],
      ["br", await promisify(zlib.brotliCompress)(bomb, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })],
      ["deflate", await promisify(zlib.deflate)(bomb)],
    ];
    for (const [encoding, bytes] of bombs) {
      assert.ok(bytes.length < PAYLOAD_BYTES_MAX * 2);
      const answer = await post("/bytes", bytes, { "content-encoding": encoding });
      assert.deepEqual(await codeOf(answer), [413, "payload_too_large"], encoding);
    }
  });

  test("cut or corrupt compressed bodies, and unknown encodings, are bad requests", async () => {
    const whole = zlib.gzipSync("some text that is long enough to be cut");
    const cut = await post("/bytes", whole.subarray(0, whole.length - 12), { "content-encoding": "gzip" });
    assert.deepEqual(await codeOf(cut), [400, "bad_request"]);
    assert.deepEqual(await codeOf(await post("/bytes", "no gzip", { "content-encoding": "gzip" })), [
      400,
      "bad_request",
    ]);
    for (const unknown of ["rot13", "constructor", "__proto__", "toString", "hasOwnProperty"]) {
      const answer = await post("/bytes", "x", { "content-encoding": unknown });
      assert.deepEqual(await codeOf(answer), [400, "bad_request"], unknown);
    }
  });

  const TWICE: Record<string, string> = {
    "two lengths": "Content-Length: 1\r\nContent-Length: 2\r\n",
    "the same length twice": "Content-Length: 2\r\nContent-Length: 2\r\n",
    "a length after an empty one": "Content-Length:\r\ncontent-length: 2\r\n",
    "an empty length": "Content-Length:\r\n",
    "chunks of another kind": "Transfer-Encoding: xchunked\r\n",
    "chunks of something compressed": "Transfer-Encoding: gzip, chunked\r\n",
    "two hosts": "hOst: y\r\n",
    "two kinds of chunks": "Transfer-Encoding: chunked\r\ntransfer-encoding: identity\r\n",
  };
  for (const [name, lengths] of Object.entries(TWICE)) {
    for (const line of ["POST /bytes", "GET /things", "GET /nowhere"]) {
      test(`refused, and nothing is read after it: ${name}, ${line}`, async () => {
        const said = `${line} HTTP/1.1\r\nHost: x\r\n${lengths}\r\n`;
        const alone = await ask(running.port, said);
        assert.match(alone.bytes.toString(), /^HTTP\/1\.1 400 /);
        assert.equal(alone.closed, true);
        // The second request hides in what a proxy that goes by another length takes for the body of the first.
        const { bytes, closed } = await ask(running.port, `${said}xGET /large/7 HTTP/1.1\r\nHost: x\r\n\r\n`);
        assert.doesNotMatch(bytes.toString(), /HTTP\/1\.1 (?:2|404)|x{7}/);
        assert.equal(closed, true);
      });
    }
  }

  test("routes that ignore the body do not wait for it", async () => {
    const socket = await rawSocket(running.port);
    socket.write("GET /things HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nonly a bit");
    const answer = await firstData(socket);
    assert.match(answer, /^HTTP\/1\.1 200/);
    socket.destroy();
  });

  test("a client that hangs up in the middle of a body harms nobody", async () => {
    const said = "POST /bytes HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nonly a bit";
    const socket = await midway(running.port, said);
    socket.destroy();
    await until(
      () => running.lines.some((line) => line.includes("request aborted")),
      () => "the server notices",
    );
    assert.equal((await fetch(`${running.base}/things`)).status, 200);
  });

  function firstData(socket: Socket): Promise<string> {
    return new Promise((resolve) => socket.once("data", (data) => resolve(data.toString())));
  }
});
