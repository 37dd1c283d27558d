import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import test from "node:test";
import { shortened, tableText } from "../../../src/server/client/table.ts";

function shown(rows: string[][], columns: number): string[] {
  const output = Object.assign(new PassThrough(), { isTTY: true, columns });
  const terminal = { input: new PassThrough(), output, notes: output, env: { NO_COLOR: "1" }, program: "sabre" };
  return tableText(["id", "name", "about"], rows, terminal).trimEnd().split("\n");
}

test("what fits is whole, and short columns leave their room to long ones", () => {
  const about = "a sentence that is much longer than any of the others in its row";
  assert.deepEqual(shown([["1", "Emma", about]], 100), ["id  name  about", `1   Emma  ${about}`]);
  const [, row] = shown([["1", "Emma", about]], 40);
  assert.equal(row, `1   Emma  ${about.slice(0, 29)}…`);
});

test("colours take no room, and none is left open where a text is cut", () => {
  const marked = "\x1b[33mHeart\x1b[39m with an \x1b[33marrow\x1b[39m";
  assert.equal(shortened(marked, 19), marked);
  assert.equal(shortened(marked, 10), "\x1b[33mHeart\x1b[39m wit…\x1b[33m\x1b[39m");
  assert.equal(shortened(marked, 4), "\x1b[33mHea…\x1b[39m\x1b[33m\x1b[39m");
  assert.equal(shortened("plain", 5), "plain");
});
