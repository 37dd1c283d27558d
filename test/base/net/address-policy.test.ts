import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { AddressPolicy, AddressRefused } from "../../../src/base/net/address-policy.ts";
import { Outgoing } from "../../../src/base/net/outgoing.ts";

/** For answers that come. */
const PATIENCE_MS = 30_000;

test("only public addresses are allowed unless others are named", () => {
  const policy = new AddressPolicy([]);
  for (const address of ["8.8.8.8", "1.1.1.1", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]) {
    assert.equal(policy.allows(address), true, address);
  }
  for (const address of ["2001:4860:4860::8888", "2a00:1450::1", "2002:808:808::1"]) {
    assert.equal(policy.allows(address), true, address);
  }
  for (const address of [
    "127.0.0.1",
    "0.0.0.0",
    "10.1.2.3",
    "172.31.255.255",
    "192.168.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1%eth0",
    "fd00::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "0:0:0:0:0:ffff:a00:1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "::127.0.0.1",
    "::7f00:1",
    "::169.254.169.254",
    "::ffff:0:127.0.0.1",
    "64:ff9b:1::7f00:1",
    "2001:0:7f00:1::",
    "2001:db8::1",
    "fec0::1",
    "3fff::1",
    "4000::1",
    "1fff::1",
    "192.88.99.1",
    "localhost",
    "",
  ]) {
    assert.equal(policy.allows(address), false, address);
  }
});

test("named networks are allowed, and `any` allows all", () => {
  const policy = new AddressPolicy(["10.1.0.0/16", "127.0.0.1", "fd00::/8"]);
  for (const address of ["10.1.200.3", "127.0.0.1", "::ffff:127.0.0.1", "fd12::1"]) {
    assert.equal(policy.allows(address), true, address);
  }
  assert.equal(new AddressPolicy(["::1"]).allows("::1"), true);
  for (const address of ["10.2.0.1", "127.0.0.2", "::1"]) assert.equal(policy.allows(address), false, address);
  assert.equal(new AddressPolicy(["any"]).allows("127.0.0.1"), true);
  for (const wrong of ["10.0.0.0/33", "example.com", "10.0.0.0/x", "10.0.0.0/"]) {
    assert.throws(() => new AddressPolicy([wrong]), /is no network/, wrong);
  }
});

test("calls reach allowed addresses only, by number or by name, and follow no redirect", async (t) => {
  let calls = 0;
  const server = createServer((request, response) => {
    calls++;
    if (request.url === "/away") response.writeHead(302, { location: "/" }).end();
    else if (request.url === "/slow") return;
    else if (request.url === "/long") response.end("x".repeat(5000));
    else request.pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const closed = new Outgoing(new AddressPolicy([]));
  for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "2130706433"]) {
    const call = closed.send({ method: "GET", url: `http://${host}:${port}/`, timeoutMs: PATIENCE_MS });
    await assert.rejects(call, AddressRefused, host);
  }
  assert.equal(calls, 0);
  const open = new Outgoing(new AddressPolicy(["127.0.0.1"]));
  t.after(() => open.close());
  const url = `http://127.0.0.1:${port}`;
  const answer = await open.send({ method: "POST", url, body: "hello", timeoutMs: PATIENCE_MS });
  assert.deepEqual({ ...answer, body: answer.body.toString() }, { status: 200, body: "hello" });
  assert.equal((await open.send({ method: "GET", url: `${url}/away`, timeoutMs: PATIENCE_MS })).status, 302);
  const long = await open.send({ method: "GET", url: `${url}/long`, timeoutMs: PATIENCE_MS, answerBytesMax: 100 });
  assert.equal(long.body.length, 100);
  await assert.rejects(open.send({ method: "GET", url: `${url}/slow`, timeoutMs: 50 }), /no answer within/);
  await assert.rejects(open.send({ method: "GET", url: "ftp://example.com", timeoutMs: 50 }), /not supported/);
});
