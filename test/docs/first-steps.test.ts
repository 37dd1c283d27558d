import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import test from "node:test";
import { TestServer } from "../lib/server.ts";
import { codeBlocks } from "./code-blocks.ts";

/** As somebody would paste it, but for the address. */
async function pasted(code: string, server: TestServer): Promise<{ status: number | null; said: string }> {
  const text = code.replaceAll("localhost:7700", new URL(server.base).host);
  const shell = spawn("bash", ["-e", "-o", "pipefail"], { stdio: ["pipe", "pipe", "pipe"] });
  let said = "";
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      said += chunk;
    });
  }
  shell.stdin.end(text.replaceAll("curl ", "curl --silent --show-error --fail-with-body "));
  const [status] = (await once(shell, "close")) as [number | null];
  return { status, said };
}

const GETTING_STARTED = new URL("../../docs/getting-started.md", import.meta.url);
const README = new URL("../../README.md", import.meta.url);

test("the first steps of the README work when they are pasted", { timeout: 60_000 }, async () => {
  const steps = codeBlocks(README).filter(({ heading, language }) => heading === "First steps" && language === "sh");
  assert.equal(steps.length, 1);
  const server = await TestServer.start();
  const { status, said } = await pasted(steps[0]!.code, server);
  assert.equal(status, 0, said);
  const answers = said.split(/(?<=\})(?=\{)/).map((answer) => JSON.parse(answer));
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

test("what the page for beginners shows can be pasted, block by block", { timeout: 60_000 }, async () => {
  const server = await TestServer.start();
  const said: string[] = [];
  for (const { code, language } of codeBlocks(GETTING_STARTED)) {
    assert.equal(language, "sh");
    const outcome = await pasted(code, server);
    assert.equal(outcome.status, 0, `${code}\n${outcome.said}`);
    said.push(outcome.said);
  }
  assert.match(said[0]!, /"status":"succeeded"/);
  assert.match(said[1]!, /"status":"succeeded"/);
  assert.match(said[2]!, /<em>Metropoli/);
  await server.dispose();
});
