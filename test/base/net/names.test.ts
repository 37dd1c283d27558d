import assert from "node:assert/strict";
import dns from "node:dns";
import test, { type TestContext } from "node:test";
import { AddressPolicy } from "../../../src/base/net/address-policy.ts";
import { Names } from "../../../src/base/net/names.ts";
import { Outgoing } from "../../../src/base/net/outgoing.ts";

type Found = (problem: Error | null, addresses: dns.LookupAddress[]) => void;

test("a name is looked up once for all that ask meanwhile, and again later", async (t) => {
  const waiting = slowLookups(t);
  const names = new Names();
  const asked = Array.from({ length: 100 }, () => names.addresses("one.example"));
  assert.equal(waiting.length, 1);
  waiting[0]!(null, [{ address: "192.0.2.1", family: 4 }]);
  for (const addresses of await Promise.all(asked)) assert.deepEqual(addresses, [{ address: "192.0.2.1", family: 4 }]);
  const again = names.addresses("one.example");
  waiting[1]!(new Error("it is gone"), []);
  await assert.rejects(again, /it is gone/);
});

test("so many names are looked up and no more, until one of them is found", async (t) => {
  const waiting = slowLookups(t);
  const names = new Names();
  const asked = Array.from({ length: 256 }, (_, i) => names.addresses(`${i}.example`));
  await assert.rejects(names.addresses("one-more.example"), /too many other names/);
  waiting[7]!(null, []);
  await asked[7];
  void names.addresses("one-more.example");
  assert.equal(waiting.length, 257);
});

test("calls that nobody waits for any more leave one name in line, and each checks what it means", async (t) => {
  const waiting = slowLookups(t);
  const outgoing = new Outgoing(new AddressPolicy([]));
  const send = (timeoutMs: number) => outgoing.send({ method: "GET", url: "http://one.example/", timeoutMs });
  for (let i = 0; i < 20; i++) await assert.rejects(send(1), /no answer within/);
  const last = send(20_000);
  assert.equal(waiting.length, 1);
  waiting[0]!(null, [{ address: "127.0.0.1", family: 4 }]);
  await assert.rejects(last, /127\.0\.0\.1/);
  outgoing.close();
});

/** What waits to be found: nothing is, until it is called. */
function slowLookups(t: TestContext): Found[] {
  const waiting: Found[] = [];
  // A lookup keeps the process, and with it the clocks of those that wait for one.
  const lookup = setInterval(() => {}, 60_000);
  t.after(() => clearInterval(lookup));
  t.mock.method(dns, "lookup", (_name: string, _options: unknown, found: Found) => void waiting.push(found));
  return waiting;
}
