/** What goes over the wire is the same on both transports, byte for byte. */
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { echoRoutes, PAYLOAD_BYTES_MAX, type Running, route, startServer } from "./fixture.ts";
import { ask } from "./raw-client.ts";
import { uwsMissing } from "./transports.ts";

const routes = [
  ...echoRoutes,
  route("GET", "/stream", () => ({
    status: 200,
    contentType: "text/plain; charset=utf-8",
    body: null,
    headers: [["X-Accel-Buffering", "no"]],
    async stream(out) {
      out.write("first\n");
      await new Promise((resolve) => setTimeout(resolve, 5));
      out.write(Buffer.alloc(27, "x"));
      out.write("é".repeat(100));
      out.end();
    },
  })),
  route("GET", "/bytes/{count}", (request) => ({
    status: 200,
    contentType: "application/octet-stream",
    body: Buffer.alloc(Number(request.param("count")), "x"),
  })),
  route("GET", "/accents", () => ({ status: 200, contentType: "text/plain", body: "à é ü ☃ 𝄞" })),
  route("GET", "/parting", () => ({ status: 200, contentType: null, body: "bye", close: true })),
  route("POST", "/head", (request) => ({ status: 200, contentType: null, body: JSON.stringify(request.head) })),
];

/** A request on a connection that ends with its answer. */
function alone(line: string, headers: readonly string[] = [], body = ""): string {
  return [`${line} HTTP/1.1`, "Host: x", "Connection: close", ...headers, "", body].join("\r\n");
}

function posted(path: string, body: string, headers: readonly string[] = []): string {
  return alone(`POST ${path}`, [`Content-Length: ${body.length}`, ...headers], body);
}

const keptAlive = (line: string, headers = "", body = ""): string =>
  `${line} HTTP/1.1\r\nHost: x\r\n${headers}\r\n${body}`;
const chunked = (path: string, body: string, headers: readonly string[] = []): string =>
  alone(`POST ${path}`, ["Transfer-Encoding: chunked", ...headers], body);

const JSON_TYPE = "Content-Type: application/json";
const GZIP = "Accept-Encoding: gzip";

const requests: Record<string, string> = {
  root: alone("GET /"),
  "a query": alone("GET /things?a=%20&b?c#d"),
  "an empty query": alone("GET /things?"),
  "a parameter": alone("GET /things/a%20b%2Fc"),
  "odd letters in a path": alone('GET /things/<>"{}|\\^`'),
  "bytes beyond ASCII in a path and a query": alone("GET /things/\xc3\xa9?q=\xc3\xa9"),
  "doubled slashes": alone("GET //things//7/"),
  "unknown path": alone("GET /nowhere"),
  "wrong method": alone("DELETE /things"),
  "body for an unknown path": posted("/nowhere", "abc"),
  HEAD: alone("HEAD /things"),
  "HEAD of an unknown path": alone("HEAD /nowhere"),
  TRACE: alone("TRACE /things"),
  preflight: alone("OPTIONS /guarded", ["Access-Control-Request-Method: POST", "Access-Control-Request-Headers: A,b"]),
  "preflight without headers": alone("OPTIONS /nowhere"),
  "no content": posted("/things/special", ""),
  "no content, no length": alone("POST /things/special"),
  JSON: posted("/json", '{"a":1}', [JSON_TYPE]),
  "JSON in chunks": chunked("/json", '3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n', [JSON_TYPE]),
  "JSON without a type": posted("/json", '{"a":1}'),
  "JSON with an empty type": posted("/json", '{"a":1}', ["Content-Type:"]),
  "broken JSON": posted("/json", "{", [JSON_TYPE]),
  "unknown content coding": posted("/json", "{}", [JSON_TYPE, "Content-Encoding: rot13"]),
  "a body of the limit": posted("/bytes", "x".repeat(PAYLOAD_BYTES_MAX)),
  "a body beyond the limit": posted("/bytes", "x".repeat(PAYLOAD_BYTES_MAX + 1)),
  "a body far beyond the limit": posted("/bytes", "").replace("Length: 0", `Length: ${PAYLOAD_BYTES_MAX * 5}`),
  "chunks beyond the limit": chunked("/bytes", `${`8000\r\n${"x".repeat(0x8000)}\r\n`.repeat(3)}0\r\n\r\n`),
  "refused without a key": posted("/guarded", "abc"),
  "let in with a key": posted("/guarded", "", ["X-Service-Api-Key: let-me-in"]),
  "what is read of a head": posted("/head?x=%20", "{}", [
    "AUTHORIZATION:   Bearer \xc3\xa9 x  ",
    "Authorization: second",
    "Content-Type:",
    "Accept-Encoding: identity",
    "Accept-Encoding: gzip",
    "Meili-Include-Metadata: TRUE",
  ]),
  busy: alone("GET /busy"),
  "a bug": alone("GET /broken"),
  "short and compressed": alone("GET /large/20", [GZIP]),
  "compressed at once": alone("GET /large/3000", [GZIP]),
  "compressed elsewhere": alone("GET /large/500000", [GZIP]),
  "a long text": alone("GET /large/500000"),
  "nothing to send": alone("GET /bytes/0"),
  "large, whole": alone("GET /bytes/262144"),
  "large, in pieces": alone("GET /bytes/262145"),
  "large, in many pieces": alone("GET /bytes/9000000"),
  "letters of several bytes": alone("GET /accents"),
  "a stream": alone("GET /stream"),
  "an answer that ends the connection": keptAlive("GET /parting"),
  pipelined: keptAlive("GET /large/1") + keptAlive("GET /nowhere") + keptAlive("HEAD /things") + alone("GET /large/3"),
  "pipelined with bodies":
    keptAlive("POST /json", `${JSON_TYPE}\r\nContent-Length: 7\r\n`, '{"a":1}') +
    keptAlive("GET /things", "Content-Length: 3\r\n", "abc") +
    alone("GET /large/3"),
  "expected to go on": posted("/json", '{"a":1}', [JSON_TYPE, "Expect: 100-continue"]),
  "expected to go on where nothing is": posted("/nowhere", "abc", ["Expect: 100-continue"]),
  "an expectation nobody knows": posted("/json", '{"a":1}', [JSON_TYPE, "Expect: wonders"]),
  "an older version": "GET / HTTP/1.0\r\nHost: x\r\n\r\n",
  "a long head": alone(`GET /things?q=${"a".repeat(60_000)}`),
  "a head beyond the limit": alone(`GET /things?q=${"a".repeat(66_000)}`),
  "many headers": alone("GET /things", Array(96).fill("A: b")),
  "too many headers": alone("GET /things", Array(97).fill("A: b")),
  "two ways to tell a length": chunked("/json", "0\r\n\r\n", ["Content-Length: 7"]),
  "a length that is none": alone("POST /bytes", ["Content-Length: abc"]),
  "a length beyond all numbers": alone("POST /bytes", ["Content-Length: 99999999999999999999999"]),
  "chunks that are none": chunked("/bytes", "zz\r\n"),
};

/** What belongs to the transport: the time of an answer, and the name under the page of an error. */
function common(bytes: Buffer): string {
  return bytes
    .toString("latin1")
    .replace(/\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/g, "\r\nDate: now\r\n")
    .replace("<hr><i>uWebSockets/20 Server</i>", "");
}

let onUws: Running;
let onNode: Running;
before(async () => {
  if (uwsMissing !== false) return;
  onUws = await startServer("uws", routes);
  onNode = await startServer("node", routes);
});
after(async () => {
  await onUws?.server.stop();
  await onNode?.server.stop();
});

for (const [name, said] of Object.entries(requests)) {
  test(`the same answer to: ${name}`, { skip: uwsMissing }, async () => {
    const [uws, node] = await Promise.all([ask(onUws.port, said), ask(onNode.port, said)]);
    assert.equal(common(node.bytes), common(uws.bytes));
    assert.match(common(node.bytes), /^HTTP\/1\.1 \d{3} /);
  });
}

test("nothing is taken for a request that follows a body in chunks", { skip: uwsMissing }, async () => {
  for (const path of ["/bytes", "/things/special", "/nowhere", "/guarded"]) {
    // The library passes over the two bytes that should end a chunk, whatever they are.
    for (const end of ["abcXX0\r\n\r\n", "abc\r\n0\r\n\r\n"]) {
      const first = keptAlive(`POST ${path}`, "Transfer-Encoding: chunked\r\n", `3\r\n${end}`);
      const together = await ask(onUws.port, first + keptAlive("GET /large/1"));
      assert.deepEqual([together.bytes.toString(), together.closed], ["", true]);
      const alone = await ask(onUws.port, first);
      assert.match(alone.bytes.toString(), /^HTTP\/1\.1 \d{3} [\s\S]*\r\nConnection: close\r\n/, path);
      assert.equal(alone.closed, true);
    }
  }
});
