/** Compiled code finds words near a long one as going through them does, wherever the edits are. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { shown, spread } from "./questions.ts";
import { ask, askInSteps, rows } from "./support.ts";

/** Where, and a letter to put there, to put in its place, to leave out, or to swap with the next. */
const edit = fc.record({
  at: fc.nat(),
  how: fc.constantFrom("add", "replace", "drop", "swap"),
  letter: fc.constantFrom("a", "b", "n", "x", "y", "z", "é", "д"),
});

function edited(word: string, edits: readonly { at: number; how: string; letter: string }[]): string {
  const all = [...word];
  for (const { at, how, letter } of edits) {
    const place = at % (all.length + 1);
    if (how === "add") all.splice(place, 0, letter);
    else if (how === "replace") all.splice(place, 1, letter);
    else if (how === "drop") all.splice(place, 1);
    else all.splice(place, 2, ...all.slice(place, place + 2).reverse());
  }
  return all.join("");
}

const letter = fc.constantFrom("a", "b", "c", "d", "e", "f");
const long = fc.array(letter, { minLength: 5, maxLength: 12 }).map((letters) => letters.join(""));
const some = fc.uniqueArray(fc.array(edit, { minLength: 1, maxLength: 3 }), { minLength: 30, maxLength: 120 });
const prefixSearch = fc.constantFrom("indexingTime", "disabled");

test("words a few edits away from a long one are found by both ways, over 1 and 3 segments", () => {
  fc.assert(
    fc.property(long, some, prefixSearch, fc.constantFrom(1, 3), (typed, edits, prefixes, parts) => {
      const titles = new Set(edits.map((own) => edited(typed, own)));
      const docs = rows([...titles].map((title) => ({ title, body: "", price: null, tags: [] })));
      const view = spread({ searchableAttributes: ["title"], prefixSearch: prefixes }, docs, parts, []);
      const asked = { q: typed, wantDetails: true, limit: titles.size };
      assert.deepEqual(shown(view, ask(view, asked), true), shown(view, askInSteps(view, asked), true));
    }),
    { numRuns: 150 },
  );
});
