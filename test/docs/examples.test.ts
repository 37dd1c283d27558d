// The first steps of the README and every example of the guides: it runs when it is pasted, no task of it fails, and the answer that the page shows below
// it is part of the one that the server gives.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { TestServer } from "../lib/server.ts";
import { type CodeBlock, codeBlocks, isForShell, pages, textOf } from "./code-blocks.ts";
import { pasted } from "./pasted.ts";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Pages that speak of keys are tried on a server that has them. */
const MASTER_KEY = "a master key of some length";

interface Example {
  code: string;
  /** As the page shows it; null where it shows none. */
  answer: Json;
}

/** Blocks for a shell that do not say why they are not run; a block of `json` right below one is what came back last. */
function examples(blocks: readonly CodeBlock[]): Example[] {
  const found: Example[] = [];
  for (const [i, block] of blocks.entries()) {
    const { heading, code } = block;
    if (!isForShell(block) || block.notRun !== null) continue;
    const next = blocks[i + 1];
    found.push({
      code,
      answer: next?.language === "json" && next.heading === heading ? (JSON.parse(next.code) as Json) : null,
    });
  }
  return found;
}

/** Objects may have more than is expected of them, lists may not. */
function assertPart(answer: Json | undefined, expected: Json, at = "$"): void {
  if (Array.isArray(expected)) {
    assert.ok(Array.isArray(answer), `${at}: ${JSON.stringify(answer)}`);
    assert.equal(answer.length, expected.length, `${at}: ${JSON.stringify(answer)}`);
    for (const [i, item] of expected.entries()) assertPart(answer[i], item, `${at}[${i}]`);
  } else if (expected !== null && typeof expected === "object") {
    assert.ok(
      answer !== null && typeof answer === "object" && !Array.isArray(answer),
      `${at}: ${JSON.stringify(answer)}`,
    );
    for (const [name, value] of Object.entries(expected)) assertPart(answer[name], value, `${at}.${name}`);
  } else {
    assert.deepEqual(answer, expected, at);
  }
}

/** What the blocks printed. */
async function check(found: readonly Example[], base: string): Promise<string[]> {
  const { status, printed, said } = await pasted(
    found.map(({ code }) => code),
    base,
    { MEILI_MASTER_KEY: MASTER_KEY },
  );
  assert.equal(status, 0, said);
  assert.equal(printed.length, found.length);
  for (const [i, { code, answer }] of found.entries()) {
    assert.doesNotMatch(printed[i]!, /"status":"(failed|enqueued)"/, code);
    if (answer !== null) assertPart(JSON.parse(printed[i]!.split("\n").at(-1)!) as Json, answer, code);
  }
  return printed;
}

suite("The guides", { timeout: 300_000 }, () => {
  let open: TestServer;
  let locked: TestServer;
  before(async () => {
    const args = ["--analytics-local"];
    [open, locked] = await Promise.all([TestServer.start({ args }), TestServer.start({ key: MASTER_KEY, args })]);
  });
  after(() => Promise.all([open.dispose(), locked.dispose()]));

  test("the README: its first steps run", async () => {
    const steps = codeBlocks("README.md").filter(({ heading }) => heading === "First steps");
    assert.equal(steps.length, 1);
    const [printed] = await check([{ code: steps[0]!.code, answer: null }], open.base);
    const answers = printed!.split("\n").map((answer) => JSON.parse(answer));
    assert.deepEqual([answers[0].status, answers[1].status], ["succeeded", "succeeded"]);
    const middlemarch = [{ id: 2, title: "Middlemarch", author: "George Eliot", year: 1871 }];
    assert.deepEqual([answers[2].hits, answers[3].results], [middlemarch, middlemarch]);
  });

  for (const page of pages().filter((name) => name !== "README.md")) {
    const found = examples(codeBlocks(page));
    if (found.length === 0) continue;
    const isLocked = textOf(page).includes("$MEILI_MASTER_KEY");
    test(`${page}: its examples run`, async () => {
      await check(found, (isLocked ? locked : open).base);
    });
  }
});
