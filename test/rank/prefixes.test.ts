/** What readers keep of the words that begin with a common prefix makes answers quicker and never different. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { IndexView } from "../../src/index/view.ts";
import { doChore, hasChores, hasUrgentChores } from "../../src/query/chores.ts";
import type { RankResult } from "../../src/rank/result.ts";
import { detailsView } from "../../src/rank/score.ts";
import { askInSteps as ask, rows, viewOf } from "./support.ts";

const WORDS = 400;
const DOCUMENTS = 300;
/** As many as readers have with any summaries, and more. */
const FIELD_COUNTS = [2, 9];

/** Words with two beginnings, both common, and a few that every other document has. */
function word(number: number): string {
  const letters = String.fromCharCode(97 + (number % 26), 97 + (Math.floor(number / 26) % 26));
  return number % 5 === 0 ? "often" : `${number % 2 === 0 ? "s" : "t"}${letters}`;
}

function library(fieldCount: number, numbers: readonly number[]): IndexView {
  const fields = Array.from({ length: fieldCount }, (_, i) => `field${i}`);
  let next = 0;
  const docs = Array.from({ length: DOCUMENTS }, () =>
    Object.fromEntries(
      fields
        .slice(0, 1 + (numbers[next++ % numbers.length]! % fields.length))
        .map((field) => [field, Array.from({ length: 5 }, () => word(numbers[next++ % numbers.length]!)).join(" ")]),
    ),
  );
  return viewOf({ searchableAttributes: fields }, [rows(docs)]);
}

function shown({ hits, total }: RankResult): unknown {
  return { hits: hits.map(({ docid, details }) => [docid, detailsView(details, () => true)]), total };
}

const QUERIES = ["s", "t", "often s", "often t", "often sa t", "s t", "often often s"];

test("answers are the same before and after chores are done", () => {
  const numbers = fc.array(fc.nat(WORDS * 26), { minLength: 800, maxLength: 1000 });
  fc.assert(
    fc.property(numbers, fc.constantFrom(...FIELD_COUNTS), (list, fieldCount) => {
      const view = library(fieldCount, list);
      const first = QUERIES.map((q) => shown(ask(view, { q })));
      const again = QUERIES.map((q) => shown(ask(view, { q })));
      assert.ok(hasChores());
      while (hasChores()) doChore([view]);
      const later = QUERIES.map((q) => shown(ask(view, { q })));
      assert.deepEqual(again, first);
      assert.deepEqual(later, first);
    }),
    { numRuns: 20 },
  );
});

test("what is wanted time and again becomes urgent, and is done first", () => {
  const view = library(
    2,
    Array.from({ length: 1000 }, (_, i) => i * 37),
  );
  for (let i = 0; i < 3; i++) ask(view, { q: "often s" });
  assert.equal(hasUrgentChores(), false);
  for (let i = 0; i < 100; i++) ask(view, { q: "often t" });
  assert.ok(hasUrgentChores());
  doChore([view]);
  assert.equal(hasUrgentChores(), false);
  assert.ok(hasChores());
  while (hasChores()) doChore([view]);
});

test("a chore whose segment is gone is forgotten", () => {
  const view = library(
    2,
    Array.from({ length: 1000 }, (_, i) => i * 37),
  );
  for (let i = 0; i < 3; i++) ask(view, { q: "often s" });
  assert.ok(hasChores());
  while (hasChores()) doChore([]);
  assert.equal(hasChores(), false);
});
