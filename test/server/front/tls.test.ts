import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Agent, type RequestOptions, request } from "node:https";
import test, { type TestContext } from "node:test";
import type { TransportName } from "../../../src/server/front/transport/choose.ts";
import { echoRoutes, type Running, startServer } from "./fixture.ts";
import { rawSocket } from "./raw-client.ts";
import { forEachTransport } from "./transports.ts";

const path = (name: string): string => new URL(`tls/${name}.pem`, import.meta.url).pathname;
const file = (name: string): Buffer => readFileSync(path(name));
const FILES = { cert: path("server.cert"), key: path("server.key"), authorities: null };
const CHECKING = { ...FILES, authorities: path("authority") };

function ask(port: number, options: RequestOptions, body = ""): Promise<{ status?: number; text: string }> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ keepAlive: false });
    const ca = file("authority");
    const sent = request({ host: "127.0.0.1", port, ca, agent, ...options }, async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode, text });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

forEachTransport((transport: TransportName) => {
  async function started(t: TestContext, files: typeof CHECKING | typeof FILES): Promise<Running> {
    const running = await startServer(transport, echoRoutes, files);
    t.after(() => running.server.stop());
    return running;
  }

  test("requests and answers go through TLS, large ones too", async (t) => {
    const { port } = await started(t, FILES);
    assert.deepEqual(await ask(port, { path: "/" }), { status: 200, text: '{"status":"here"}' });
    assert.equal((await ask(port, { path: "/large/3000000" })).text.length, 3_000_000);
    const headers = { "content-type": "application/json" };
    const posted = await ask(port, { method: "POST", path: "/json", headers }, '{"a":1}');
    assert.equal(posted.text, '{"got":{"a":1}}');
  });

  test("a certificate is checked where one is shown", async (t) => {
    const { port } = await started(t, CHECKING);
    const shown = (name: string): RequestOptions => ({
      path: "/",
      cert: file(`${name}.cert`),
      key: file(`${name}.key`),
    });
    assert.equal((await ask(port, shown("friend"))).status, 200);
    await assert.rejects(ask(port, shown("stranger")));
    assert.equal((await ask(port, { path: "/" })).status, 200);
  });

  test("who does not speak TLS is let go, and harms nobody", async (t) => {
    const { port } = await started(t, FILES);
    const mute = await rawSocket(port);
    const plain = await rawSocket(port);
    plain.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await new Promise((resolve) => plain.once("close", resolve).resume());
    assert.equal((await ask(port, { path: "/" })).status, 200);
    mute.destroy();
  });

  test("files that are of no use are said at the start", async () => {
    const refused = /TLS cannot start with certificate `.*` and key `.*`/;
    await assert.rejects(startServer(transport, echoRoutes, { ...FILES, cert: path("missing") }), refused);
    await assert.rejects(startServer(transport, echoRoutes, { ...FILES, key: path("authority") }), refused);
  });
});
