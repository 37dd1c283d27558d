/** Templates and scripts come from clients: the front never works on them, and they have bounds. */
import assert from "node:assert/strict";
import test from "node:test";
import { mainThreadMs } from "../lib/cpu.ts";
import { TestServer } from "../lib/server.ts";

const FRONT_MS_MAX = 150;
const INPUT = { kind: "inlineDocument", inline: { a: "é".repeat(500_000), b: 1 } };
const inline = (template: string): object => ({
  template: { kind: "inlineDocumentTemplate", inline: template },
  input: INPUT,
});

const RENDERED: Record<string, [body: object, status: number]> = {
  "one that is much too long": [inline("{{doc.b}}".repeat(20_000)), 400],
  "one that is as long as may be": [inline(`{{doc.b}}${"x".repeat(65_000)}`), 200],
  "one that turns much into more": [inline("{{ doc.a | url_encode | url_encode }}"), 200],
  "one that never ends": [inline("{% for i in (1..100000000) %}{{ i }}{% endfor %}"), 400],
  "one that is nested without end": [inline("{% if doc.b %}".repeat(4000)), 400],
};

test("whatever templates do, the front goes on", async () => {
  const server = await TestServer.start();
  try {
    await server.request("PATCH", "/experimental-features", { renderRoute: true });
    for (const [name, [body, status]] of Object.entries(RENDERED)) {
      const before = mainThreadMs(server.pid);
      const answer = await server.request("POST", "/render-template", body);
      const worked = mainThreadMs(server.pid) - before;
      assert.equal(answer.status, status, `${name}: ${JSON.stringify(answer.body).slice(0, 200)}`);
      assert.ok(worked < FRONT_MS_MAX, `${name}: the front worked ${worked} ms`);
    }
  } finally {
    await server.dispose();
  }
});
