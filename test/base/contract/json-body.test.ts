import assert from "node:assert/strict";
import test from "node:test";
import { parseJson, readBoundedJson } from "../../../src/base/contract/json-body.ts";
import { workedMs } from "../../lib/worked.ts";
import { refusal } from "./refusal.ts";

const VALUES = 10;

/** What is read, and the longest that was worked between two pauses, in milliseconds of this process. */
async function read(body: Buffer): Promise<{ value: unknown; longestMs: number }> {
  let longestMs = 0;
  let before = process.cpuUsage();
  const worked = (): void => {
    const { user, system } = process.cpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1000);
    before = process.cpuUsage();
  };
  const value = await readBoundedJson(body, VALUES, async () => worked());
  worked();
  return { value, longestMs };
}

test("a long text is decoded in steps, wherever they part a letter", async () => {
  for (const lead of ["", "a", "ab"]) {
    const value = { text: `${lead}${"é€😀".repeat(200_000)}` };
    const body = Buffer.from(JSON.stringify(value));
    const seen = [await read(body), await read(body), await read(body)];
    for (const each of seen) assert.deepEqual(each.value, value);
    const best = Math.min(...seen.map(({ longestMs }) => longestMs));
    const atOnce = Math.min(...[1, 2, 3].map(() => workedMs(() => parseJson(body))));
    // In steps a quarter of it at most; decoded at once, more than 0.4.
    assert.ok(best < atOnce * 0.4, `${best} of ${atOnce} ms`);
  }
});

test("what is no text is refused in whichever step it comes", async () => {
  const bytes = Buffer.from(JSON.stringify({ text: "é".repeat(300_000) }));
  for (const at of [20, 300_000, bytes.length - 1]) {
    const broken = Buffer.from(bytes);
    broken[at] = 0xff;
    const problem = await readBoundedJson(broken, VALUES, async () => {}).then(
      () => null,
      (error: unknown) => error,
    );
    const { code } = refusal(() => {
      throw problem;
    });
    assert.equal(code, "malformed_payload");
  }
});

test("halves of a letter are refused, whole ones and what only looks like them are not", async () => {
  for (const text of ["\\ud83d\\ude00", "\\uD83D\\uDE00 \\ud83d\\ude00", "\\\\ud800", "\\ud7ff"]) {
    const body = Buffer.from(`{"q":"${text}"}`);
    assert.deepEqual(parseJson(body), JSON.parse(body.toString()));
    assert.deepEqual(await readBoundedJson(body, VALUES, async () => {}), JSON.parse(body.toString()));
  }
  for (const text of ["\\ud800", "\\uDC00", "a\\ud83d b", "\\ud83d\\u0041", "\\\\\\ud800", "\\ude00\\ud83d"]) {
    const { code } = refusal(() => parseJson(Buffer.from(`{"q":"${text}"}`)));
    assert.equal(code, "malformed_payload", text);
    assert.equal(refusal(() => parseJson(Buffer.from(`{"${text}":1}`))).code, "malformed_payload", text);
  }
});
