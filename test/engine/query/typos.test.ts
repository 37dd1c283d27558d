/** Words found for a mistyped one, against comparing it with every word. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Corpus } from "../../../src/engine/query/corpus.ts";
import { compareText } from "../../../src/engine/query/order.ts";
import { typoWords } from "../../../src/engine/query/typos.ts";
import { rows, viewOf } from "../rank/support.ts";

/** Edits from one text to another, swapping neighbours counting one. */
function distance(a: readonly string[], b: readonly string[]): number {
  const table: number[][] = a.concat("").map((_, i) => b.concat("").map((_, j) => (i === 0 ? j : j === 0 ? i : 0)));
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      let best = Math.min(
        table[i - 1]![j]! + 1,
        table[i]![j - 1]! + 1,
        table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, table[i - 2]![j - 2]! + 1);
      }
      table[i]![j] = best;
    }
  }
  return table[a.length]![b.length]!;
}

/** The distance of the beginning of `candidate` at which it is judged; see the ranking rules for prefixes. */
function prefixDistance(word: readonly string[], candidate: readonly string[], limit: number): number {
  for (let length = 0; length <= candidate.length; length++) {
    const start = candidate.slice(0, length);
    const whole = distance(word, start);
    if (whole > limit) continue;
    if (word.every((_, j) => distance(word.slice(0, j), start) >= whole)) return whole;
  }
  return distance(word, candidate);
}

/** What the ranking rules say, with their limits: 150 words with one typo and 50 with two, taken in byte order. */
function expected(word: string, vocabulary: readonly string[], allowed: number, isPrefix: boolean) {
  const one: string[] = [];
  const two: string[] = [];
  for (const candidate of [...vocabulary].sort(compareText)) {
    if (one.length === 150 && (allowed === 1 || two.length === 50)) break;
    const a = [...word];
    const b = [...candidate];
    const sameFirst = a[0] === b[0];
    const limit = allowed === 2 && sameFirst ? 2 : 1;
    const typos = isPrefix ? prefixDistance(a, b, limit) : distance(a, b);
    if (typos === 0 || typos > limit || (allowed === 1 && !sameFirst)) continue;
    const countsTwo = allowed === 2 && (typos === 2 || (!sameFirst && two.length < 50));
    if (countsTwo && two.length < 50) two.push(candidate);
    else if (!countsTwo && one.length < 150) one.push(candidate);
  }
  return { one, two };
}

const letters = fc.array(fc.constantFrom("a", "b", "c", "é", "д", "😀"), { minLength: 1, maxLength: 7 });
const word = letters.map((parts) => parts.join("").normalize("NFC"));

/** Finds words near `typed` in an index of as many segments as `parts`, and compares with every word. */
function check(vocabulary: readonly string[], typed: string, allowed: number, isPrefix: boolean, parts: number): void {
  const all = rows(vocabulary.map((text) => ({ text })));
  const groups = Array.from({ length: parts }, (_, part) => all.filter((_, i) => i % parts === part));
  const corpus = new Corpus(viewOf({ searchableAttributes: ["text"] }, groups), null);
  const known = new Set<string>();
  for (const { dictionary } of corpus.segments) {
    for (let ordinal = 0; ordinal < dictionary.count; ordinal++) known.add(dictionary.term(ordinal));
  }
  const target = typed.normalize("NFKD");
  const { one, two } = typoWords(corpus.vocabulary, target, allowed, isPrefix);
  const found = { one: one.map(({ text }) => text), two: two.map(({ text }) => text) };
  assert.deepEqual(found, expected(target, [...known], allowed, isPrefix));
}

const parts = fc.constantFrom(1, 3);
const typos = fc.constantFrom(1, 2);

test("the vocabulary of all segments is searched as if it were compared word by word", () => {
  const words = fc.uniqueArray(word, { minLength: 1, maxLength: 60 });
  fc.assert(fc.property(words, word, typos, fc.boolean(), parts, check), { numRuns: 150 });
});

test("limits hold in byte order over all segments", () => {
  const short = fc
    .array(fc.constantFrom("a", "b", "c", "д"), { minLength: 1, maxLength: 4 })
    .map((own) => own.join(""));
  const crowd = fc.uniqueArray(
    fc.array(fc.constantFrom("a", "b", "c", "д"), { minLength: 3, maxLength: 6 }).map((own) => own.join("")),
    { minLength: 500, maxLength: 700 },
  );
  fc.assert(fc.property(crowd, short, typos, fc.boolean(), parts, check), { numRuns: 15 });
});

test("no more than 150 words with one typo are taken, in byte order", () => {
  const list = Array.from({ length: 300 }, (_, i) => `houze${1000 + i}`);
  const view = viewOf({ searchableAttributes: ["text"] }, [rows(list.map((text) => ({ text })))]);
  const { one } = typoWords(new Corpus(view, null).vocabulary, "house", 1, true);
  assert.deepEqual(
    one.map(({ text }) => text),
    list.slice(0, 150),
  );
});
