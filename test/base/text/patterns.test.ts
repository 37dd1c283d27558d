/** What cuts a text is kept once for all indexes that have the same of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Patterns } from "../../../src/base/text/patterns.ts";
import type { TokenizerOptions } from "../../../src/base/text/token.ts";

const UNITS = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit));

test("indexes that differ in their stop words share what takes room", () => {
  const [one, other] = [new Patterns({ stopWords: ["the"] }), new Patterns({ stopWords: ["a", "an"] })];
  assert.equal(one.classes, other.classes);
  assert.equal(one.classify("the"), "stop");
  assert.equal(other.classify("the"), "word");
  assert.notEqual(new Patterns({ separators: ["the"] }).classes, one.classes);
  assert.notEqual(new Patterns({ nonSeparators: ["-"] }).classes, one.classes);
  assert.notEqual(new Patterns({ dictionary: ["e-mail"] }).classes, one.classes);
});

test("what is shared is what each would have of its own", () => {
  const stops = [["the", "l'"], ["-"], [".", ". "], [" "], ["ﬁ"], ["；"], UNITS.slice(1, 0x100)];
  const settings: TokenizerOptions[] = [
    ...stops.map((stopWords) => ({ stopWords })),
    { separators: ["the", "--", ""], stopWords: ["-"] },
    { nonSeparators: ["-", ". ", " "], dictionary: ["e-mail", ". x", "; "] },
  ];
  for (const options of settings) {
    const [shared, own] = [new Patterns(options), new Patterns(options, null)];
    assert.deepEqual(shared.classes, own.classes, JSON.stringify(options));
    for (const unit of UNITS) {
      assert.equal(shared.match(`${unit} x`, 0, 3), own.match(`${unit} x`, 0, 3));
      assert.equal(shared.classify(unit), own.classify(unit));
    }
  }
});
