/** The search of the documentation, without a browser. */
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { find, type SearchedPage } from "../../../src/page/docs/find.ts";

const PAGES: SearchedPage[] = [
  [
    "/docs/geo",
    "Places",
    [
      ["Places", "places", "Documents may say where they are."],
      ["Sorting by distance", "sorting-by-distance", "The nearest come first with _geoPoint, whatever the filter."],
    ],
  ],
  ["/docs/filters", "Filters", [["Filters", "filters", "Conditions on fields, and the distance of two words."]]],
];
const addresses = (query: string) => find(PAGES, query).map(({ address }) => address);

test("headings come before texts, and every word must be there", () => {
  assert.deepEqual(addresses("distance"), ["/docs/geo#sorting-by-distance", "/docs/filters"]);
  assert.deepEqual(addresses("DIST neares"), ["/docs/geo#sorting-by-distance"]);
  assert.deepEqual(addresses("filter"), ["/docs/filters", "/docs/geo#sorting-by-distance"]);
  assert.deepEqual(addresses("_geopoint"), ["/docs/geo#sorting-by-distance"]);
  assert.deepEqual(addresses("distance harbour"), []);
  assert.deepEqual(addresses(" ,. "), []);
});

test("the beginning of a word counts more than its inside", () => {
  const sections = [
    ["One", "one", "It was unfiltered."],
    ["Two", "two", "It was filtered."],
  ] as const;
  const found = find([["/docs/page", "A page", sections]], "filter");
  assert.deepEqual(
    found.map(({ heading }) => heading),
    ["Two", "One"],
  );
});

test("excerpts are pieces of the text around a word that was asked for", () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 80 }), fc.nat(), (words, pick) => {
      const text = words.join(" ");
      const asked = words[pick % words.length]!;
      const [hit] = find([["/docs/a", "Title 1", [["Heading 2", "heading-2", text]]]], asked);
      const { before, match, after } = hit!.excerpt;
      assert.equal(match, asked);
      assert.ok(text.includes(before.replace("…", "") + match + after.replace("…", "")));
    }),
  );
});
