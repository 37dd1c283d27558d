import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { PatternGroup } from "../../../src/base/text/pattern-group.ts";

/** Few letters, so that patterns begin alike and with one another; the last has two units. */
const words = fc.string({ unit: fc.constantFrom("a", "b", "\uffff", "𝒳"), maxLength: 6 });

test("finds the longest pattern that begins at a place, as looking at each does", () => {
  fc.assert(
    fc.property(fc.uniqueArray(words, { minLength: 1, maxLength: 40 }), words, fc.nat(3), (endings, rest, cut) => {
      const patterns = endings.map((ending) => `x${ending}`);
      const group = new PatternGroup();
      for (const pattern of patterns) group.add(pattern);
      const text = `..x${rest}`;
      const end = Math.max(3, text.length - cut);
      const fitting = patterns.filter((pattern) => text.slice(0, end).startsWith(pattern, 2));
      const longest = Math.max(-1, ...fitting.map(({ length }) => 2 + length));
      assert.equal(group.longestEnd(text, 2, end), longest);
    }),
  );
});

test("a million patterns that begin alike cost a text no more than a few", () => {
  const group = new PatternGroup();
  for (let i = 0; i < 1_000_000; i++) group.add(`x${i}`);
  const text = "x77 x999999999 xy ".repeat(2000);
  group.longestEnd(text, 0, text.length);
  const before = process.cpuUsage();
  let found = 0;
  for (let at = 0; at < text.length; at++) if (text[at] === "x" && group.longestEnd(text, at, text.length) > 0) found++;
  const { user, system } = process.cpuUsage(before);
  assert.equal(found, 4000);
  assert.ok(user + system < 1_000_000, `${(user + system) / 1000} ms`);
});
