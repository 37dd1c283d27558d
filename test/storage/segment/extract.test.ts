/** The compiled builder against the plain one: the same documents and rules give the same bytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { idsOf } from "../../../src/base/document/id-list.ts";
import { type BuildInput, buildSegment } from "../../../src/storage/segment/build.ts";
import { type BuiltSegment, PART } from "../../../src/storage/segment/parts.ts";
import type { ExtractionRules } from "../../../src/storage/segment/rules.ts";
import { locales, texts, tokenizers } from "../../base/text/arbitrary.ts";
import { documents } from "./documents.ts";
import { buildPlainly } from "./oracle/build.ts";
import { type Doc, EVERYTHING } from "./support.ts";

function inputOf(bodies: readonly string[], rules: ExtractionRules): BuildInput {
  const encoded = bodies.map((body) => Buffer.from(body));
  const offsets = new Float64Array(encoded.length + 1);
  encoded.forEach((body, i) => {
    offsets[i + 1] = offsets[i]! + body.length;
  });
  return {
    docids: Uint32Array.from(encoded, (_, i) => 3 * i),
    externalIds: idsOf(encoded.map((_, i) => `id-${i}`)),
    documents: new Uint8Array(Buffer.concat(encoded)),
    offsets,
    rules,
  };
}

/** Common prefixes are made from the other parts, and compared with these in a test of their own. */
function bytesOf(segment: BuiltSegment): [kind: number, bytes: string][] {
  return segment.parts
    .filter(({ kind }) => kind !== PART.commonPrefixes)
    .map(({ kind, chunks }) => [kind, Buffer.concat([...chunks]).toString("hex")]);
}

function isSameAsPlain(bodies: readonly string[], rules: ExtractionRules): void {
  const input = inputOf(bodies, rules);
  assert.deepEqual(bytesOf(buildSegment(input)), bytesOf(buildPlainly(input)));
}

const rulesOf: fc.Arbitrary<ExtractionRules> = fc
  .record({
    searchable: fc.constantFrom<string[] | null>(null, ["a"], ["b", "a.b.c"], []),
    facetedTrees: fc.subarray(["a", "b", "ключ"]),
    facetedNames: fc.subarray(["c", "k\n"]),
    facetedPatterns: fc.subarray(["a*", "*"]),
    options: tokenizers,
    allowed: locales,
  })
  .map(({ options, allowed, ...rules }) => ({
    ...EVERYTHING,
    ...rules,
    stopWords: [...(options.stopWords ?? [])],
    separators: [...(options.separators ?? [])],
    nonSeparators: [...(options.nonSeparators ?? [])],
    dictionary: [...(options.dictionary ?? [])],
    localized: allowed === null ? [] : [{ attributePatterns: ["a*"], locales: [...allowed] }],
  }));

test("any documents under any rules", () => {
  fc.assert(
    fc.property(documents, rulesOf, (docs, rules) => {
      isSameAsPlain(
        docs.map((doc) => JSON.stringify(doc)),
        rules,
      );
    }),
    { numRuns: 400 },
  );
});

test("any texts under any rules", () => {
  fc.assert(
    fc.property(fc.array(fc.array(texts, { maxLength: 3 }), { maxLength: 8 }), rulesOf, (values, rules) => {
      const docs = values.map((own): Doc => ({ a: own.map((text) => text.toWellFormed()), b: own[0]?.toWellFormed() }));
      isSameAsPlain(
        docs.map((doc) => JSON.stringify(doc)),
        rules,
      );
    }),
    { numRuns: 600 },
  );
});

test("white space, escapes of every kind, and names spelled in several ways", () => {
  isSameAsPlain(
    [
      ' { "a" : [ 1 , -2.50 , "x\\u0041\\n\\ud83d\\ude00" , { "b" : null } ] , "\\u0062" : true }\n',
      '{"b":"two","\\u0061":{"b":"\\\\\\"q\\/ \\b\\f\\r\\t"},"c":[[],{},[[]],""]}',
      '{"b":"\\u00e9t\\u00E9 \\u4e2d\\u6587 \\u0000"}',
    ],
    { ...EVERYTHING, facetedPatterns: ["*"] },
  );
});

test("texts too long for their field, words too long to index, rows with many places of one word", () => {
  const fields = Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`f${89 - i}`, "many many places"]));
  isSameAsPlain(
    [
      JSON.stringify({
        t: [`${"w ".repeat(65_530)}last`, "next"],
        u: `${"w. ".repeat(9000)}x`,
        v: "日 ".repeat(66_000),
      }),
      JSON.stringify({ t: `${"y".repeat(250)} ${"z".repeat(251)} é${"y".repeat(249)} é${"z".repeat(250)} end` }),
      JSON.stringify({ t: `${"q".repeat(5000)}é ${"é".repeat(5000)} end` }),
      JSON.stringify(fields),
    ],
    EVERYTHING,
  );
});

test("words of every length up to the end of their text, in any case, with any ASCII character behind or inside", () => {
  const lengths = Array.from({ length: 70 }, (_, i) => i);
  const bodies = lengths.flatMap((length) => {
    const word = "aZz09BmQ".repeat(9).slice(0, length);
    return [word, `${word} x`, `${word}é`, `é${word}`].map((t) => JSON.stringify({ t }));
  });
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
  const inside = lengths.map((length) => JSON.stringify({ t: ascii.map((own) => `${"w".repeat(length)}${own}V`) }));
  const rules = { ...EVERYTHING, separators: ["m", "9", "&"], nonSeparators: ["_", "#", "-", "."] };
  for (const each of [EVERYTHING, rules]) isSameAsPlain([...bodies, ...inside], each);
});

test("thousands of different words, alike in their first two, eight and sixteen bytes", () => {
  const endings = Array.from({ length: 1500 }, (_, i) => ((i * 7919) % 6007).toString(36));
  const beginnings = ["", "é", "ab", "abcdefgh", "abcdefghijklmnop"];
  isSameAsPlain(
    beginnings.map((beginning) => JSON.stringify({ t: endings.map((ending) => beginning + ending).join(" ") })),
    EVERYTHING,
  );
});

test("segments whose words have one, a hundred, and thousands of rows", () => {
  const words = (i: number): string[] => [
    `own${i}`,
    i % 40 === 0 ? "some" : "none",
    i % 700 === 3 ? "rare" : "",
    i % 2 === 0 ? "even even" : "odd",
    i > 4000 ? "late" : "early",
  ];
  const bodies = Array.from({ length: 5000 }, (_, i) =>
    JSON.stringify(
      i % 3 === 0 ? { t: words(i).join(" "), u: words(i * 7).join(". ") } : { u: words(i).join("-"), n: i % 50 },
    ),
  );
  isSameAsPlain(bodies, { ...EVERYTHING, facetedTrees: ["n", "u"] });
});

test("a build begins anew after one that failed", () => {
  const good = ['{"t":"one two"}'];
  const bad = ['{"t":"three"}', '{"_geo":"nowhere"}'];
  assert.throws(() => buildSegment(inputOf(bad, { ...EVERYTHING, geo: true })));
  isSameAsPlain(good, EVERYTHING);
});

test("more than one slab of documents, and documents larger than a slab", () => {
  const long = (i: number): string => JSON.stringify({ t: `start${i} ${`word${i % 5} filler `.repeat(8000)}end${i}` });
  const bodies = Array.from({ length: 20 }, (_, i) => long(i));
  bodies.push(JSON.stringify({ t: "x ".repeat(40_000), u: "é ".repeat(400_000) }));
  isSameAsPlain([...bodies, '{"t":"after"}'], EVERYTHING);
});

test("values that are spelled in many ways, and rows with many of them", () => {
  const text = fc.constantFrom(
    ...[
      "Two",
      "two",
      " TWO",
      "two\t",
      "",
      " ",
      "Été",
      "été",
      "ÉTÉ",
      "ﬁne",
      "FINE",
      "中文",
      "😀",
      "\ufeffx",
      "\u0085y",
      "\u001fz",
    ],
    ...["a".repeat(468), `${"A".repeat(468)}b`, ` ${"a".repeat(500)} `, "é".repeat(300), `${"É".repeat(300)}!`, "true"],
  );
  const number = fc.constantFrom(
    "0",
    "-0",
    "0.0",
    "1",
    "1.0",
    "10e-1",
    "-5",
    "1e3",
    "1000",
    "0.1",
    "123456789012345678901",
  );
  const value = fc.oneof(
    text.map((own) => JSON.stringify(own)),
    number,
    fc.constantFrom("true", "false", "null", "[]", "{}"),
  );
  const body = fc
    .tuple(fc.array(value, { maxLength: 80 }), fc.option(value))
    .map(([many, one]) => `{"a":[${many.join()}]${one === null ? "" : `,"b":${one}`}}`);
  fc.assert(
    fc.property(fc.array(body, { maxLength: 40 }), (bodies) => {
      isSameAsPlain(bodies, { ...EVERYTHING, searchable: [], facetedPatterns: ["*"] });
    }),
    { numRuns: 150 },
  );
});
