/** Authorities that the operator names: read late where Node would read them early, and trusted all the same. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { test } from "node:test";
import { AddressPolicy } from "../../../src/base/net/address-policy.ts";
import { readLate } from "../../../src/base/net/extra-authorities.ts";
import { Outgoing } from "../../../src/base/net/outgoing.ts";
import { selfSigned } from "../../lib/certificate.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

const FILE = { NODE_EXTRA_CA_CERTS: "/some/file.pem" };

test("older versions of Node are not told of the file, and the server is", () => {
  assert.deepEqual(readLate({ ...FILE, HOME: "/" }, "20.20.2"), { SABRE_EXTRA_CA_CERTS: "/some/file.pem", HOME: "/" });
});

test("the environment stays as it is where Node reads the file late, or other authorities are wanted", () => {
  for (const [env, version] of [
    [FILE, "22.15.0"],
    [FILE, "24.0.0"],
    [{ HOME: "/" }, "20.20.2"],
    [{ ...FILE, NODE_OPTIONS: "--use-openssl-ca" }, "20.20.2"],
  ] as const) {
    assert.deepEqual(readLate({ ...env }, version), env);
  }
});

test("who is vouched for in that file is called, and nobody else", async (t) => {
  const known = selfSigned("localhost");
  const file = path.join(temporaryDirectory(), "authorities.pem");
  writeFileSync(file, known.cert);
  process.env["SABRE_EXTRA_CA_CERTS"] = file;
  const outgoing = new Outgoing(new AddressPolicy(["any"]));
  t.after(() => {
    outgoing.close();
    delete process.env["SABRE_EXTRA_CA_CERTS"];
  });
  for (const [identity, isTrusted] of [
    [known, true],
    [selfSigned("localhost"), false],
  ] as const) {
    const server = createServer(identity, (_, response) => response.end("well"));
    await new Promise<void>((listening) => server.listen(0, "localhost", listening));
    const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
    const call = outgoing.send({ method: "GET", url, timeoutMs: 10_000 });
    if (isTrusted) assert.equal((await call).body.toString(), "well");
    else await assert.rejects(call, /self.signed/i);
    server.closeAllConnections();
    server.close();
  }
});
