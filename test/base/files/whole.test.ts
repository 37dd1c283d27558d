import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { removeWhole, writeWholeSync } from "../../../src/base/files/whole.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

for (const durable of ["no", "content", "entry"] as const) {
  test(`a file is replaced by all pieces, and nothing lies beside it (durable: ${durable})`, () => {
    const folder = temporaryDirectory();
    const file = path.join(folder, "file");
    writeFileSync(file, "what was there, and longer");
    writeWholeSync(file, ["a", new Uint8Array(0), Buffer.from("bc"), ""], { durable });
    assert.equal(readFileSync(file, "utf8"), "abc");
    assert.deepEqual(readdirSync(folder), ["file"]);
  });
}

test("what a killed process left is replaced, and its bytes are gone", () => {
  const file = path.join(temporaryDirectory(), "file");
  writeFileSync(`${file}.new`, "the beginning of something long");
  writeWholeSync(file, ["short"], { durable: "no" });
  assert.equal(readFileSync(file, "utf8"), "short");
});

test("only those may read it who are meant to", { skip: process.platform === "win32" }, () => {
  const file = path.join(temporaryDirectory(), "file");
  writeWholeSync(file, ["secret"], { durable: "no", mode: 0o600 });
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test("where it fails half-way, the old file stays and the new one goes", () => {
  const folder = temporaryDirectory();
  const file = path.join(folder, "file");
  writeFileSync(file, "old");
  function* pieces(): Generator<string> {
    yield "new";
    throw new Error("no more");
  }
  assert.throws(() => writeWholeSync(file, pieces(), { durable: "content" }), /no more/);
  assert.equal(readFileSync(file, "utf8"), "old");
  assert.deepEqual(readdirSync(folder), ["file"]);
});

test("what cannot be put in place goes, too", () => {
  const folder = temporaryDirectory();
  const taken = path.join(folder, "taken");
  mkdirSync(path.join(taken, "inside"), { recursive: true });
  assert.throws(() => writeWholeSync(taken, ["new"], { durable: "entry" }));
  assert.deepEqual(readdirSync(folder), ["taken"]);
});

test("a file is removed with what was left beside it, or was never there", () => {
  const folder = temporaryDirectory();
  const file = path.join(folder, "file");
  writeFileSync(file, "");
  writeFileSync(`${file}.new`, "");
  removeWhole(file);
  removeWhole(file);
  assert.deepEqual(readdirSync(folder), []);
});
