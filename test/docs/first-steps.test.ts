import assert from "node:assert/strict";
import test from "node:test";
import { TestServer } from "../lib/server.ts";
import { codeBlocks } from "./code-blocks.ts";
import { pasted } from "./pasted.ts";

const GETTING_STARTED = new URL("../../docs/getting-started.md", import.meta.url);
const README = new URL("../../README.md", import.meta.url);

test("the first steps of the README work when they are pasted", { timeout: 60_000 }, async () => {
  const steps = codeBlocks(README).filter(({ heading, language }) => heading === "First steps" && language === "sh");
  assert.equal(steps.length, 1);
  const server = await TestServer.start();
  const { status, printed, said } = await pasted([steps[0]!.code], server.base);
  assert.equal(status, 0, said);
  const answers = printed[0]!.split("\n").map((answer) => JSON.parse(answer));
  assert.equal(answers.length, 4, said);
  assert.deepEqual([answers[0].status, answers[1].status], ["succeeded", "succeeded"]);
  assert.deepEqual(
    answers[2].hits.map(({ title }: { title: string }) => title),
    ["Middlemarch"],
  );
  assert.deepEqual(
    answers[3].results.map(({ title }: { title: string }) => title),
    ["Middlemarch"],
  );
  await server.dispose();
});

test("what the page for beginners shows can be pasted", { timeout: 60_000 }, async () => {
  const server = await TestServer.start();
  const blocks = codeBlocks(GETTING_STARTED);
  for (const { language } of blocks) assert.equal(language, "sh");
  const { status, printed, said } = await pasted(
    blocks.map(({ code }) => code),
    server.base,
  );
  assert.equal(status, 0, said);
  assert.match(printed[0]!, /"status":"succeeded"/);
  assert.match(printed[1]!, /"status":"succeeded"/);
  assert.match(printed[2]!, /<em>Metropoli/);
  await server.dispose();
});
