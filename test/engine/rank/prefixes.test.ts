/** What readers keep of the words that begin with a common prefix makes answers quicker and never different. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hasIdleJobs, hasUrgentIdleJobs, runIdleJob } from "../../../src/engine/query/idle-work.ts";
import type { RankResult } from "../../../src/engine/rank/result.ts";
import { detailsView } from "../../../src/engine/rank/score.ts";
import type { IndexView } from "../../../src/storage/index/view.ts";
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

test("answers are the same before and after idle jobs are done", () => {
  const numbers = fc.array(fc.nat(WORDS * 26), { minLength: 800, maxLength: 1000 });
  fc.assert(
    fc.property(numbers, fc.constantFrom(...FIELD_COUNTS), (list, fieldCount) => {
      const view = library(fieldCount, list);
      const first = QUERIES.map((q) => shown(ask(view, { q })));
      const again = QUERIES.map((q) => shown(ask(view, { q })));
      assert.ok(hasIdleJobs());
      while (hasIdleJobs()) runIdleJob([view]);
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
  assert.equal(hasUrgentIdleJobs(), false);
  for (let i = 0; i < 100; i++) ask(view, { q: "often t" });
  assert.ok(hasUrgentIdleJobs());
  runIdleJob([view]);
  assert.equal(hasUrgentIdleJobs(), false);
  assert.ok(hasIdleJobs());
  while (hasIdleJobs()) runIdleJob([view]);
});

test("an idle job whose segment is gone is forgotten", () => {
  const view = library(
    2,
    Array.from({ length: 1000 }, (_, i) => i * 37),
  );
  for (let i = 0; i < 3; i++) ask(view, { q: "often s" });
  assert.ok(hasIdleJobs());
  while (hasIdleJobs()) runIdleJob([]);
  assert.equal(hasIdleJobs(), false);
});
