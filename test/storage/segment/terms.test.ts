import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TermEntry, TermWalk } from "../../../src/storage/segment/terms/reader.ts";
import { sortTerms } from "./oracle/term-order.ts";
import { build, open, rowsOf, write } from "./support.ts";

const spelling = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 40 }),
  fc.string({ unit: fc.constantFrom("1", "2"), minLength: 1, maxLength: 12 }),
  fc.constantFrom("x".repeat(200), `${"x".repeat(200)}y`, "д", "дом", "中", "z"),
);

function vocabulary(words: readonly string[]) {
  const reader = open(write(build(rowsOf([{ t: words.slice(0, 500).join(" ") }, { t: words.slice(500).join(" ") }]))));
  const walk = new TermWalk(reader.terms);
  const terms: Buffer[] = [];
  for (let more = walk.moveTo(0); more; more = walk.next()) terms.push(Buffer.from(walk.bytes.slice(0, walk.length)));
  return { reader, terms };
}

function lengthsOf(words: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(words, ({ length }) => length);
}

test("spellings are sorted by bytes", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.uint8Array({ minLength: 1, maxLength: 20, min: 1 }), { maxLength: 300, selector: String }),
      (words) => {
        const pool = Buffer.concat(words);
        const starts = new Uint32Array(words.length + 1);
        words.forEach((word, i) => {
          starts[i + 1] = starts[i]! + word.length;
        });
        const expected = words.map((_, i) => i).sort((a, b) => Buffer.compare(words[a]!, words[b]!));
        assert.deepEqual([...sortTerms(pool, starts, lengthsOf(words), words.length)], expected);
      },
    ),
  );
  const many = Array.from({ length: 5000 }, (_, i) => Buffer.from(`prefix${i % 50}${"same".repeat(3)}${i}`));
  const starts = new Uint32Array(many.length + 1);
  many.forEach((word, i) => {
    starts[i + 1] = starts[i]! + word.length;
  });
  const expected = many.map((_, i) => i).sort((a, b) => Buffer.compare(many[a]!, many[b]!));
  assert.deepEqual([...sortTerms(Buffer.concat(many), starts, lengthsOf(many), many.length)], expected);
});

test("every word is found, in order, and its prefixes span what begins with them", () => {
  fc.assert(
    fc.property(fc.array(spelling, { maxLength: 150 }), spelling, (words, other) => {
      const { reader, terms } = vocabulary(words);
      const expected = [...new Set(words.flatMap((word) => word.split(" ")))].map((word) => Buffer.from(word));
      expected.sort(Buffer.compare);
      // Chinese and the like may be cut further; for these words they are not.
      assert.deepEqual(terms, expected);
      terms.forEach((term, ordinal) => {
        assert.equal(reader.terms.find(term), ordinal);
        assert.equal(reader.terms.term(ordinal), term.toString());
      });
      const probe = Buffer.from(other);
      assert.equal(
        reader.terms.find(probe),
        expected.findIndex((term) => term.equals(probe)),
      );
      for (let length = 1; length <= probe.length; length++) {
        const prefix = probe.subarray(0, length);
        const { from, to } = reader.terms.prefixRange(prefix);
        const members = expected.filter((term) => term.subarray(0, length).equals(prefix));
        assert.deepEqual(expected.slice(from, to), members);
      }
    }),
    { numRuns: 60 },
  );
});

test("a walk tells what a term shares with the one before", () => {
  const words = Array.from({ length: 4000 }, (_, i) => `t${(i * 7919) % 4096}x`);
  const { reader, terms } = vocabulary(words);
  const walk = new TermWalk(reader.terms);
  let before: Uint8Array = Buffer.alloc(0);
  for (let more = walk.moveTo(0); more; more = walk.next()) {
    const term = terms[walk.ordinal]!;
    assert.ok(walk.equals(term, term.length));
    let shared = 0;
    while (shared < before.length && before[shared] === term[shared]) shared++;
    assert.equal(walk.shared, shared);
    before = term;
  }
});

test("entries can be read in any order", () => {
  const docs = Array.from({ length: 300 }, (_, i) => ({ t: `a${i % 100} b${i} all`, u: `b${i}` }));
  const { terms } = open(write(build(rowsOf(docs))));
  const counts = Array.from({ length: terms.count }, (_, ordinal) => {
    const entry = new TermEntry();
    terms.entry(ordinal, entry);
    return entry.docCount;
  });
  const term = (ordinal: number) => terms.term(ordinal);
  counts.forEach((count, ordinal) => {
    assert.equal(count, term(ordinal) === "all" ? 300 : term(ordinal).startsWith("a") ? 3 : 1);
  });
  const entry = new TermEntry();
  for (let i = 0; i < 1000; i++) {
    const ordinal = (i * 7919) % terms.count;
    terms.entry(ordinal, entry);
    assert.equal(entry.docCount, counts[ordinal]);
  }
});
