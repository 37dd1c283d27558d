// The files from which the dictionaries are made.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readMecab } from "../../../scripts/dictionaries/mecab.ts";

test("a file of another form is refused", () => {
  for (const bytes of [0, 100, 5000]) {
    const file = Buffer.alloc(bytes);
    assert.throws(() => readMecab({ words: file, unknowns: file, matrix: file, characters: file }));
  }
});
