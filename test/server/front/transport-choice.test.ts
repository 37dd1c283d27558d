import assert from "node:assert/strict";
import test from "node:test";
import { Log } from "../../../src/base/log/log.ts";
import { chooseTransport } from "../../../src/server/front/transport/choose.ts";
import { NodeTransport } from "../../../src/server/front/transport/node.ts";
import { UwsTransport } from "../../../src/server/front/transport/uws.ts";
import { uwsMissing } from "./transports.ts";

const failing = (): Promise<never> => Promise.reject(new Error("no build fits:\nsome library is missing"));

function logged(): { lines: string[]; log: Log } {
  const lines: string[] = [];
  return { lines, log: new Log("info", "human", (line) => lines.push(line)) };
}

test("where the library cannot be loaded, Node's own server answers, and one line says why", async () => {
  const { lines, log } = logged();
  const open = await chooseTransport("auto", log, failing);
  const transport = open(null, (exchange) => exchange.send(200, [], exchange.path, false, null));
  assert.ok(transport instanceof NodeTransport);
  const port = await transport.listen("127.0.0.1", 0);
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/here`)).text(), "/here");
  transport.stopListening();
  await transport.close(1000);
  assert.equal(lines.length, 1);
  assert.match(lines[0]!, /WARN front: node:http serves.*reason="no build fits:"\n$/);
});

test("where it is asked for by name, the reason is the answer", async () => {
  const { lines, log } = logged();
  await assert.rejects(chooseTransport("uws", log, failing), { message: "no build fits:" });
  assert.deepEqual(lines, []);
});

test("Node's own server can be asked for where the library is there, without a word", async () => {
  const { lines, log } = logged();
  const open = await chooseTransport("node", log, () => assert.fail("not to be loaded"));
  assert.ok(open(null, () => {}) instanceof NodeTransport);
  assert.deepEqual(lines, []);
});

test("the library serves wherever it can be loaded", { skip: uwsMissing }, async () => {
  const { lines, log } = logged();
  const open = await chooseTransport("auto", log);
  const transport = open(null, () => {});
  assert.ok(transport instanceof UwsTransport);
  await transport.close(0);
  assert.deepEqual(lines, []);
});
