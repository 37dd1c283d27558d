import assert from "node:assert/strict";
import { once } from "node:events";
import test, { after, before } from "node:test";
import { type Running, startServer } from "./fixture.ts";
import { heard, rawSocket } from "./raw-client.ts";
import { forEachTransport } from "./transports.ts";

forEachTransport((transport) => {
  let running: Running;
  before(async () => {
    running = await startServer(transport);
  });
  after(() => running.server.stop());

  const get = (path: string, init?: RequestInit): Promise<Response> => fetch(running.base + path, init);

  // The interface: "Unknown path → 404, **empty body**. Known path with another verb → 405, empty body"
  test("an unknown path is 404 and a known one with another verb 405, both empty", async () => {
    const missing = await get("/nowhere");
    assert.equal(missing.status, 404);
    assert.equal(await missing.text(), "");
    const wrongVerb = await get("/things", { method: "DELETE" });
    assert.equal(wrongVerb.status, 405);
    assert.equal(await wrongVerb.text(), "");
    assert.equal(wrongVerb.headers.get("allow"), "GET");
  });

  test("a fixed word wins over a parameter, whatever the verb", async () => {
    assert.equal((await get("/things/special")).status, 405);
    assert.equal((await get("/things/special", { method: "POST" })).status, 204);
  });

  test("trailing and doubled slashes do not matter", async () => {
    assert.equal((await get("/things/")).status, 200);
    assert.equal((await get("//things//7/")).status, 200);
    assert.equal((await get("/")).status, 200);
  });

  test("path parameters are percent-decoded, query strings are left raw", async () => {
    assert.deepEqual(await (await get("/things/a%20b%2Fc")).json(), { id: "a b/c" });
    assert.deepEqual(await (await get("/things/100%")).json(), { id: "100%" });
    assert.deepEqual(await (await get("/things?a=%20&b")).json(), { query: "a=%20&b" });
  });

  test("every origin is allowed, and preflights are answered with their headers echoed", async () => {
    assert.equal((await get("/things")).headers.get("access-control-allow-origin"), "*");
    assert.equal((await get("/nowhere")).headers.get("access-control-allow-origin"), "*");
    const preflight = await get("/guarded", {
      method: "OPTIONS",
      headers: { "access-control-request-method": "POST", "access-control-request-headers": "authorization,x-own" },
    });
    assert.equal(preflight.status, 200);
    assert.equal(preflight.headers.get("access-control-allow-origin"), "*");
    assert.equal(preflight.headers.get("access-control-allow-headers"), "authorization,x-own");
    assert.equal(preflight.headers.get("access-control-max-age"), "86400");
    assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /PATCH/);
  });

  test("authorization comes before anything else", async () => {
    const refused = await get("/guarded", {
      method: "POST",
      body: "{",
      headers: { "content-type": "application/json" },
    });
    assert.equal(refused.status, 403);
    assert.deepEqual(Object.keys((await refused.json()) as object), ["message", "code", "type", "link"]);
    const carriers: Record<string, string>[] = [
      { authorization: "Bearer let-me-in" },
      { "x-service-api-key": "let-me-in" },
    ];
    for (const headers of carriers) {
      const admitted = await get("/guarded", { method: "POST", headers });
      assert.deepEqual(await admitted.json(), { name: "visitor" });
    }
  });

  test("503 tells when to come back", async () => {
    const busy = await get("/busy");
    assert.equal(busy.status, 503);
    assert.equal(busy.headers.get("retry-after"), "10");
  });

  test("a bug is a 500 with an error body, and is logged", async () => {
    const broken = await get("/broken");
    assert.equal(broken.status, 500);
    assert.equal(((await broken.json()) as { code: string }).code, "internal");
    assert.ok(running.lines.some((line) => line.includes("a bug") && line.includes('"ERROR"')));
  });

  test("each request leaves a line at debug and counts under its pattern", async () => {
    await get("/things/42");
    const line = running.lines.find((candidate) => candidate.includes('"path":"/things/42"'));
    assert.ok(line);
    assert.equal(JSON.parse(line).fields.status, 200);
  });

  test("answers are compressed as the client accepts it, if they are worth it", async () => {
    const forms: [string, string | null][] = [
      ["gzip", "gzip"],
      ["br", "br"],
      ["deflate", "deflate"],
      ["br;q=1, gzip;q=0.5", "br"],
      ["gzip;q=0", null],
      ["identity", null],
      ["zstd", null],
    ];
    for (const bytes of [3000, 500_000]) {
      for (const [accepted, coding] of forms) {
        const answer = await get(`/large/${bytes}`, { headers: { "accept-encoding": accepted } });
        assert.equal(answer.headers.get("content-encoding"), coding, accepted);
        assert.equal(answer.headers.get("vary"), "accept-encoding");
        assert.equal((await answer.text()).length, bytes);
      }
    }
  });

  test("short answers are left plain, except for a client that names one coding and nothing else", async () => {
    const forms: [string, string | null][] = [
      ["gzip", "gzip"],
      ["br", "br"],
      ["deflate", "deflate"],
      ["gzip, deflate", null],
      ["gzip, deflate, br", null],
      ["gzip;q=1", null],
      ["*", null],
      ["identity", null],
      ["zstd", null],
    ];
    for (const [accepted, coding] of forms) {
      for (const bytes of [0, 1, 100, 1023]) {
        const answer = await get(`/large/${bytes}`, { headers: { "accept-encoding": accepted } });
        assert.equal(answer.headers.get("content-encoding"), coding, accepted);
        assert.equal((await answer.text()).length, bytes);
      }
      const refused = await get("/things/unknown/way", { headers: { "accept-encoding": accepted } });
      assert.equal(refused.status, 404);
      assert.equal(await refused.text(), "");
    }
  });

  test("a long query string is no problem, an endless head is refused", async () => {
    assert.equal((await get(`/things?q=${"a".repeat(30_000)}`)).status, 200);
    assert.equal((await get(`/things?q=${"a".repeat(300_000)}`)).status, 431);
  });

  test("an upgrade nobody offers is passed over, with a body too, and the connection goes on", async () => {
    const socket = await rawSocket(running.port);
    const upgrade = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";
    socket.write(`POST /bytes HTTP/1.1\r\nHost: x\r\n${upgrade}Content-Length: 3\r\n\r\nabc`);
    const [first] = (await once(socket, "data")) as [Buffer];
    assert.match(first.toString(), /200 OK.*\{"bytes":3\}$/s);
    socket.write("GET /things HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert.match((await heard(socket)).bytes.toString(), /200 OK.*\{"query":""\}$/s);
  });
});
