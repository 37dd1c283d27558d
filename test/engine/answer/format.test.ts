import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseSearch } from "../../../src/base/contract/search.ts";
import { ByteSink } from "../../../src/base/json/bytes.ts";
import { FormattedAttributes } from "../../../src/engine/answer/format/attributes.ts";
import { DocumentFormatter, type MatchPositions } from "../../../src/engine/answer/format/document.ts";
import { QueryTerms } from "../../../src/engine/answer/format/terms.ts";
import { marksOf } from "../../../src/engine/answer/format/text.ts";
import type { MatchedQuery, MatchedTerm } from "../../../src/engine/query/matched.ts";
import type { Settings } from "../../../src/storage/settings/settings.ts";
import { defaultSettings } from "../../../src/storage/settings/update.ts";

type Term = Partial<MatchedTerm> & { typed: string };

const term = (typed: string, more: Partial<MatchedTerm> = {}): Term => ({ typed, ...more });
const prefix = (typed: string, words = [typed]): Term => ({ typed, words, isPrefix: true });
const phrase = (...words: (string | null)[]): Term => ({ typed: "", words: [], phrases: [words] });

/** Terms at successive places of a query. */
function queryOf(terms: readonly Term[], stopWords: string[] = []): MatchedQuery {
  let place = 0;
  const placed = terms.map((each): MatchedTerm => {
    const length = each.phrases === undefined ? 1 : Math.max(...each.phrases.map((words) => words.length));
    const firstPosition = place;
    place += length;
    return {
      firstPosition,
      lastPosition: place - 1,
      isPrefix: false,
      words: [each.typed],
      phrases: [],
      ...each,
    };
  });
  return { terms: placed, stopWords };
}

interface Options {
  terms?: Term[];
  stopWords?: string[];
  highlight?: boolean;
  crop?: number;
  settings?: Partial<Settings>;
  tags?: [string, string, string];
}

function format(text: string | number, options: Options): { text: string; positions: unknown } {
  const { terms = [], highlight = true, crop = 0, tags = ["<em>", "</em>", "…"] } = options;
  const settings = { ...defaultSettings(), ...options.settings };
  const query = parseSearch({
    attributesToHighlight: highlight ? ["text"] : [],
    attributesToCrop: crop === 0 ? [] : [`text:${crop}`],
    highlightPreTag: tags[0],
    highlightPostTag: tags[1],
    cropMarker: tags[2],
  });
  const attributes = new FormattedAttributes({ settings, fieldOrder: ["text"] }, query, null, null);
  const formatter = new DocumentFormatter(settings, new QueryTerms(queryOf(terms, options.stopWords)), marksOf(query));
  const positions: MatchPositions = new Map();
  const out = new ByteSink();
  formatter.format(Buffer.from(JSON.stringify({ text })), attributes.root, positions, out);
  return {
    text: JSON.parse(Buffer.from(out.view()).toString()).text,
    positions: JSON.parse(positions.get("text") ?? "[]"),
  };
}

describe("highlighting", () => {
  const cases: [name: string, text: string | number, options: Options, expected: string][] = [
    [
      "whole words",
      "The World, the word",
      { terms: [term("world"), term("the")] },
      "<em>The</em> <em>World</em>, <em>the</em> word",
    ],
    ["only what was typed of a prefix", "Worldwide", { terms: [prefix("world")] }, "<em>World</em>wide"],
    ["completions as far as typed", "worldly work", { terms: [prefix("wor", ["worldly"])] }, "<em>wor</em>ldly work"],
    ["a mistyped prefix as long as it is", "wording", { terms: [prefix("wqrdi", ["word"])] }, "<em>word</em>ing"],
    ["accents and ligatures", "Ŵôřlḑôle", { terms: [prefix("world")] }, "<em>Ŵôřlḑ</em>ôle"],
    ["no mark beyond the prefix", "cafe\u0301s", { terms: [prefix("cafe")] }, "<em>cafe</em>\u0301s"],
    [
      "phrases as one match",
      "a big-city, life",
      { terms: [phrase("big", "city", "life")] },
      "a <em>big-city, life</em>",
    ],
    [
      "phrases before their words",
      "new york new",
      { terms: [term("new"), phrase("new", "york")] },
      "<em>new york</em> <em>new</em>",
    ],
    ["nothing of a broken phrase", "new old york", { terms: [phrase("new", "york")] }, "new old york"],
    ["numbers", 42, { terms: [term("42")] }, "<em>42</em>"],
    ["text that needs escapes", 'say "hi"\n\\', { terms: [term("hi")] }, 'say "<em>hi</em>"\n\\'],
    ["derived words", "films", { terms: [term("movie", { words: ["movie", "films"] })] }, "<em>films</em>"],
    ["nothing without a query", "some text", {}, "some text"],
    ["no tags where none are wanted", "one two", { terms: [term("two")], tags: ["", "", ""] }, "one two"],
    [
      "tags that need escapes",
      "one",
      { terms: [term("one")], tags: ['<b class="x">', "</b>", ""] },
      '<b class="x">one</b>',
    ],
  ];
  for (const [name, text, options, expected] of cases) {
    it(`marks ${name}`, () => assert.equal(format(text, options).text, expected));
  }

  it("marks stop words of the query, in any letter case, and in phrases", () => {
    const settings = { stopWords: ["the", "of"] };
    const terms = [term("king")];
    assert.equal(
      format("The king of the hill", { settings, terms, stopWords: ["the"] }).text,
      "<em>The</em> <em>king</em> of <em>the</em> hill",
    );
    assert.equal(
      format("The king of the hill", { settings, terms: [phrase("king", null, null, "hill")] }).text,
      "The <em>king of the hill</em>",
    );
    assert.equal(
      format("king in my hill", { settings, terms: [phrase("king", null, null, "hill")] }).text,
      "king in my hill",
    );
  });

  it("tells where matches are, in bytes", () => {
    assert.deepEqual(format("é ça va", { terms: [prefix("c")] }).positions, [{ start: 3, length: 2 }]);
    assert.deepEqual(format("one two one", { terms: [term("one")] }).positions, [
      { start: 0, length: 3 },
      { start: 8, length: 3 },
    ]);
  });
});

describe("cropping", () => {
  const split = [term("split"), term("the"), prefix("world")];
  const groundbreaking =
    "The groundbreaking invention had the power to split the world between those who embraced progress and those who resisted change!";
  const cases: [name: string, text: string, options: Options, expected: string][] = [
    [
      "from the beginning without a match",
      "(A quick brown fox can not jump 32 feet, right? Brr, it is cold!)",
      { crop: 10 },
      "(A quick brown fox can not jump 32 feet, right…",
    ],
    [
      "at the ends of sentences",
      "Natalie risk her future. Split The World is a book written by Emily Henry. I never read it.",
      { crop: 10, terms: split },
      "…Split The World is a book written by Emily Henry…",
    ],
    [
      "around dense matches",
      "split void the void void world void void void void void void void void void void split the world void void",
      { crop: 10, terms: split },
      "…void void void void void split the world void void",
    ],
    [
      "around different matches",
      "split split split split split split void void void void void void void void void void split the world void void",
      { crop: 10, terms: split },
      "…void void void void void split the world void void",
    ],
    ["to fewer words than match", "void void split the world void void.", { crop: 2, terms: split }, "…split the…"],
    ["to one word", "void void split the world void void.", { crop: 1, terms: split }, "…split…"],
    ["nothing of a short text", "short text", { crop: 10, terms: split }, "short text"],
    ["nothing of separators", ":-)", { crop: 10, terms: split }, ":-)"],
    ["nothing of an empty text", "", { crop: 2, terms: split }, ""],
    [
      "inside a phrase that is too long",
      groundbreaking,
      { crop: 4, terms: [phrase("groundbreaking", "invention", "had", "the", "power", "to")] },
      "The groundbreaking invention had the…",
    ],
    ["with other markers", "one two three", { crop: 1, terms: [term("two")], tags: ["", "", "~"] }, "~two~"],
    ["with escaped text", 'a "b" c d', { crop: 1, terms: [term("b")] }, "…b…"],
  ];
  for (const [name, text, options, expected] of cases) {
    it(`crops ${name}`, () => assert.equal(format(text, { highlight: false, ...options }).text, expected));
  }

  it("highlights inside the window", () => {
    const terms = [phrase("groundbreaking", "invention"), phrase("split", "the", "world", "between")];
    assert.equal(
      format(groundbreaking, { crop: 10, terms }).text,
      "…<em>groundbreaking invention</em> had the power to <em>split the world between</em>…",
    );
    assert.equal(
      format(groundbreaking, { crop: 10, terms: [term("those"), phrase("and", "those")] }).text,
      "…world between <em>those</em> who embraced progress <em>and those</em> who resisted…",
    );
  });

  it("is not drawn to stop words", () => {
    const options = { terms: [term("king")], stopWords: ["the"], settings: { stopWords: ["the"] }, crop: 2 };
    assert.equal(format("the the a b c d king", options).text, "…d <em>king</em>");
    assert.equal(format("a b c the d", options).text, "a b…");
  });
});

describe("any text", () => {
  const words = fc.constantFrom("world", "worlds", "Wörld", "the", "split", "été", "10", "ﬁn", "世界", "мир");
  const separators = fc.constantFrom(" ", ", ", ". ", "-", "! ", "…", "\n", '"', "\\", "");
  const texts = fc
    .array(
      fc.oneof({ weight: 4, arbitrary: words }, { weight: 3, arbitrary: separators }, fc.string({ unit: "binary" })),
    )
    .map((parts) => parts.join("").replace(/[\u0001-\u0003]/g, ""))
    // Lone surrogates are no text: documents cannot hold them.
    .map((text) => text.toWellFormed());
  const tags: [string, string, string] = ["\u0001", "\u0002", "\u0003"];
  const terms = [term("world", { words: ["world", "мир"] }), phrase("the", "split"), prefix("e"), prefix("1", ["10"])];

  it("is itself when tags are taken out", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const formatted = format(text, { terms, tags }).text;
        assert.equal(formatted.replace(/[\u0001\u0002]/g, ""), text);
        assert.match(formatted, /^[^\u0001\u0002]*(\u0001[^\u0001\u0002]*\u0002[^\u0001\u0002]*)*$/);
      }),
    );
  });

  it("holds the crop window, with markers where text is left out", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 8 }), (text, crop) => {
        const { text: cropped } = format(text, { terms, tags, crop, highlight: false });
        const [first, last] = [cropped.startsWith("\u0003"), cropped.endsWith("\u0003") && cropped !== "\u0003"];
        const kept = cropped.slice(first ? 1 : 0, last ? -1 : undefined);
        const at = text.indexOf(kept);
        assert.notEqual(at, -1);
        if (!first) assert.ok(text.startsWith(kept));
        if (!last && !first) assert.equal(kept, text);
        if (!last && first) assert.ok(text.endsWith(kept));
      }),
    );
  });

  it("is cropped to the same words with and without highlights", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 8 }), (text, crop) => {
        const plain = format(text, { terms, tags, crop, highlight: false }).text;
        assert.equal(format(text, { terms, tags, crop }).text.replace(/[\u0001\u0002]/g, ""), plain);
      }),
    );
  });

  it("has its matches where the positions say", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { text: formatted, positions } = format(text, { terms, tags });
        const marked = [...formatted.matchAll(/\u0001([^\u0002]*)\u0002/g)].map((match) => match[1]);
        const bytes = Buffer.from(text);
        const found = (positions as { start: number; length: number }[]).map(({ start, length }) =>
          bytes.toString("utf8", start, start + length),
        );
        assert.deepEqual(found, marked);
      }),
    );
  });
});
