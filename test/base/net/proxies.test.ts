import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createServer as createSecure } from "node:https";
import type { AddressInfo } from "node:net";
import test from "node:test";
import { AddressPolicy, AddressRefused } from "../../../src/base/net/address-policy.ts";
import { Outgoing } from "../../../src/base/net/outgoing.ts";
import { Proxies } from "../../../src/base/net/proxies.ts";
import { selfSigned } from "../../lib/certificate.ts";
import { TestProxy } from "../../lib/proxy.ts";

const through = (env: Record<string, string>, url: string): string | null =>
  new Proxies(env).proxyFor(new URL(url))?.url.href ?? null;

test("each scheme has its proxy, small letters go first, nothing is nothing", () => {
  const env = { HTTP_PROXY: "http://a:1", HTTPS_PROXY: "b:2", http_proxy: "http://c:3" };
  assert.equal(through(env, "http://example.org"), "http://c:3/");
  assert.equal(through(env, "https://example.org"), "http://b:2/");
  assert.equal(through({ HTTP_PROXY: "http://a:1" }, "https://example.org"), null);
  assert.equal(through({ HTTP_PROXY: "" }, "http://example.org"), null);
  assert.equal(through({ https_proxy: "https://a" }, "https://example.org"), "https://a/");
  for (const wrong of ["socks5://a:1", "http://", "http://a b"]) {
    assert.throws(() => new Proxies({ HTTP_PROXY: wrong }), /HTTP_PROXY/, wrong);
  }
});

test("what NO_PROXY lists is called directly, and this machine always", () => {
  const direct = (list: string, url: string) =>
    through({ HTTP_PROXY: "a", HTTPS_PROXY: "a", NO_PROXY: list }, url) === null;
  for (const url of ["http://localhost", "http://x.localhost:80", "https://127.9.9.9", "http://[::1]:7700"]) {
    assert.equal(direct("", url), true, url);
  }
  const cases: [list: string, isDirect: string[], isNot: string[]][] = [
    ["*", ["http://a.org", "http://10.0.0.1"], []],
    [
      "example.org",
      ["http://example.org", "https://a.b.example.org:8443", "http://EXAMPLE.org"],
      ["http://myexample.org"],
    ],
    [" .example.org , other", ["http://example.org", "http://a.example.org", "http://other"], ["http://example.com"]],
    ["example.org other", ["http://example.org", "http://other"], ["http://example.com"]],
    ["*.example.org", ["http://a.example.org"], ["http://example.com"]],
    ["example.org:8080", ["http://example.org:8080"], ["http://example.org", "https://example.org"]],
    ["example.org:443", ["https://example.org"], ["http://example.org"]],
    ["10.0.0.0/8,192.168.1.1", ["http://10.9.8.7", "http://192.168.1.1:99"], ["http://11.0.0.1", "http://192.168.1.2"]],
    ["fd00::/8,2001:db8::1", ["http://[fd00::5]", "http://[2001:db8::1]"], ["http://[2001:db8::2]"]],
    ["[2001:db8::1]:80", ["http://[2001:db8::1]"], ["https://[2001:db8::1]"]],
  ];
  for (const [list, isDirect, isNot] of cases) {
    for (const url of isDirect) assert.equal(direct(list, url), true, `${list} ${url}`);
    for (const url of isNot) assert.equal(direct(list, url), false, `${list} ${url}`);
  }
  assert.equal(through({ HTTP_PROXY: "a", no_proxy: "b.org" }, "http://b.org"), null);
});

test("http goes through in absolute form, with the password of the proxy for it alone", async (t) => {
  const heard: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers.host, request.headers["proxy-authorization"], request.headers.authorization);
    response.end(`${request.url}`);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const proxy = await TestProxy.start({ "model.test": (server.address() as AddressInfo).port });
  const withName = proxy.url.replace("http://", "http://us%65r:p%40ss@");
  const outgoing = new Outgoing(new AddressPolicy([]), new Proxies({ HTTP_PROXY: withName }));
  t.after(() => {
    outgoing.close();
    proxy.stop();
    server.closeAllConnections();
    server.close();
  });
  const headers = { authorization: "Bearer own" };
  const url = "http://model.test:8080/a/b?c=d";
  const answer = await outgoing.send({ method: "POST", url, headers, body: "x", timeoutMs: 5000 });
  assert.equal(answer.body.toString(), "/a/b?c=d");
  assert.deepEqual(proxy.seen, ["POST http://model.test:8080/a/b?c=d"]);
  assert.deepEqual(proxy.authorizations, [`Basic ${Buffer.from("user:p@ss").toString("base64")}`]);
  assert.deepEqual(heard, ["model.test:8080", undefined, "Bearer own"]);
});

test("https goes through a tunnel, and only to whom the certificate names", async (t) => {
  const server = createSecure(selfSigned("other.test"), (_request, response) => response.end());
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const proxy = await TestProxy.start({ "model.test": (server.address() as AddressInfo).port });
  const outgoing = new Outgoing(new AddressPolicy([]), new Proxies({ https_proxy: proxy.url }));
  t.after(() => {
    outgoing.close();
    proxy.stop();
    server.closeAllConnections();
    server.close();
  });
  const get = (url: string) => outgoing.send({ method: "GET", url, timeoutMs: 5000 });
  await assert.rejects(get("https://model.test/v1"), /self.signed/);
  assert.deepEqual(proxy.seen, ["CONNECT model.test:443"]);
  await assert.rejects(get("https://unknown.test:8443/v1"), /proxy answered with status 502/);
  assert.equal(proxy.seen[1], "CONNECT unknown.test:8443");
});

test("a proxy that is down or silent fails the call in its time", async (t) => {
  const silent = createServer().on("connect", (_request, socket) =>
    socket
      .on("close", () => {})
      .resume()
      .on("end", () => socket.end()),
  );
  await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
  const { port } = silent.address() as AddressInfo;
  const outgoing = new Outgoing(
    new AddressPolicy([]),
    new Proxies({ https_proxy: `127.0.0.1:${port}`, http_proxy: "127.0.0.1:1" }),
  );
  t.after(() => {
    outgoing.close();
    silent.closeAllConnections();
    silent.close();
  });
  await assert.rejects(outgoing.send({ method: "GET", url: "https://model.test/", timeoutMs: 300 }), /within 0.3 s/);
  await assert.rejects(outgoing.send({ method: "GET", url: "http://model.test/", timeoutMs: 5000 }), /ECONNREFUSED/);
});

test("addresses that are not public are refused behind a proxy too, before it is asked", async (t) => {
  const proxy = await TestProxy.start({});
  const outgoing = new Outgoing(new AddressPolicy([]), new Proxies({ http_proxy: proxy.url, https_proxy: proxy.url }));
  t.after(() => {
    outgoing.close();
    proxy.stop();
  });
  for (const url of [
    "http://10.0.0.1/",
    "https://192.168.0.1/",
    "http://[fd00::1]/",
    "http://localhost:1/",
    "https://127.0.0.1:1/",
  ]) {
    await assert.rejects(outgoing.send({ method: "GET", url, timeoutMs: 5000 }), AddressRefused, url);
  }
  assert.deepEqual(proxy.seen, []);
});
