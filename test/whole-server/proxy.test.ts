/** "`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY` for every outgoing call": every call of the server to others goes through the proxy that its environment names: webhooks, embedders, chats, remotes, exports. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecure } from "node:https";
import type { AddressInfo, Server } from "node:net";
import path from "node:path";
import test, { after, before } from "node:test";
import { selfSigned } from "../lib/certificate.ts";
import { until } from "../lib/patience.ts";
import { TestProxy } from "../lib/proxy.ts";
import { TestServer } from "../lib/server.ts";
import { temporaryDirectory } from "../lib/temporary.ts";

let plain: Server;
let secure: Server;
let proxy: TestProxy;
let server: TestServer;

const answer: RequestListener = (request, response) => {
  request.resume().on("end", () => response.end(request.url === "/embed" ? '{"embedding":[1,2]}' : "{}"));
};

const listening = async (started: Server): Promise<number> => {
  await new Promise<void>((ready) => started.listen(0, "127.0.0.1", ready));
  return (started.address() as AddressInfo).port;
};

before(async () => {
  const identity = selfSigned("chat.test");
  const authorities = path.join(temporaryDirectory(), "authorities.pem");
  writeFileSync(authorities, identity.cert);
  plain = createServer(answer);
  secure = createSecure(identity, answer);
  const port = await listening(plain);
  const names = ["hooks.test", "embed.test", "north.test", "export.test"].map((name) => [name, port]);
  proxy = await TestProxy.start({ ...Object.fromEntries(names), "chat.test": await listening(secure) });
  const env = {
    http_proxy: proxy.url,
    HTTPS_PROXY: proxy.url,
    NO_PROXY: "direct.test",
    NODE_EXTRA_CA_CERTS: authorities,
  };
  server = await TestServer.start({ env });
  await server.request("PATCH", "/experimental-features", { network: true, chatCompletions: true });
});

after(async () => {
  await server.dispose();
  proxy.stop();
  for (const each of [plain, secure]) each.close();
});

/** Waits until the proxy was asked for it. */
async function seen(wanted: string): Promise<void> {
  await until(
    () => proxy.seen.includes(wanted),
    () => `the proxy is asked for ${wanted}`,
  );
}

test("webhooks and embedders", async () => {
  await server.request("POST", "/webhooks", { url: "http://hooks.test/done" });
  const embedder = {
    source: "rest",
    url: "http://embed.test/embed",
    request: { input: "{{text}}" },
    response: { embedding: "{{embedding}}" },
    documentTemplate: "{{doc.name}}",
  };
  await server.write("PATCH", "/indexes/birds/settings", { embedders: { e: embedder } });
  const added = await server.write("POST", "/indexes/birds/documents", [{ id: 1, name: "heron" }]);
  assert.equal(added.status, "succeeded", JSON.stringify(added.error));
  await seen("POST http://hooks.test/done");
  await seen("POST http://embed.test/embed");
});

test("remotes and exports", async () => {
  await server.request("PATCH", "/network", { self: "here", remotes: { north: { url: "http://north.test" } } });
  const queries = [{ indexUid: "birds", federationOptions: { remote: "north" } }];
  const found = await server.request<{ remoteErrors: Record<string, { code: string }> }>("POST", "/multi-search", {
    federation: {},
    queries,
  });
  assert.equal(found.body.remoteErrors["north"]!.code, "remote_bad_response");
  await seen("POST http://north.test/multi-search");
  await server.write("POST", "/export", { url: "http://export.test" });
  assert.ok(
    proxy.seen.some((line) => line.includes("http://export.test/indexes")),
    proxy.seen.join(", "),
  );
});

test("chats, through a tunnel", async () => {
  await server.request("PATCH", "/chats/main/settings", { source: "vLlm", baseUrl: "https://chat.test/v1" });
  const completion = { model: "m", messages: [{ role: "user", content: "hello" }], stream: true };
  const told = await server.request<string>("POST", "/chats/main/chat/completions", completion);
  assert.equal(told.status, 200);
  assert.ok(!told.body.includes('"error"'), told.body);
  await seen("CONNECT chat.test:443");
  // Tunnels are kept as connections are.
  await server.request("PATCH", "/network", { remotes: { south: { url: "https://chat.test" } } });
  const queries = [{ indexUid: "birds", federationOptions: { remote: "south" } }];
  const before = proxy.seen.length;
  for (let i = 0; i < 5; i++) await server.request("POST", "/multi-search", { federation: {}, queries });
  assert.ok(proxy.seen.length <= before + 1, proxy.seen.join(", "));
});

test("what NO_PROXY names is called directly", async () => {
  await server.request("PATCH", "/network", { remotes: { direct: { url: "http://direct.test" } } });
  const queries = [{ indexUid: "birds", federationOptions: { remote: "direct" } }];
  await server.request("POST", "/multi-search", { federation: {}, queries });
  assert.ok(!proxy.seen.some((line) => line.includes("direct.test")));
});
