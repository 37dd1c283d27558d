import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { NoShare, readShare } from "../../../src/engine/federation/share.ts";

const name = fc
  .string({ unit: "grapheme", maxLength: 6 })
  .filter((text) => text !== "__proto__" && text !== "_federation");
const document = fc.dictionary(name, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
const federation = fc.record(
  {
    indexUid: name,
    queriesPosition: fc.nat(9),
    weightedRankingScore: fc.double({ min: 0, max: 2, noNaN: true }),
    weightedScoreValues: fc.array(
      fc.double({ min: 0, max: 2, noNaN: true }).map((weightedScore) => ({ weightedScore })),
    ),
    pinnedPosition: fc.nat(5),
  },
  { requiredKeys: ["indexUid", "queriesPosition", "weightedRankingScore", "weightedScoreValues"] },
);
const hits = fc.array(fc.tuple(document, federation, document), { maxLength: 6 });
const spaces = fc.constantFrom(undefined, 1, "\t");

test("hits are found in the bytes, whatever else is in them", () => {
  fc.assert(
    fc.property(hits, spaces, fc.nat(1000), (found, space, total) => {
      const shown = found.map(([before, _federation, behind]) => ({ ...before, _federation, ...behind }));
      const bytes = Buffer.from(
        JSON.stringify({ x: [{ hits: 1 }], hits: shown, estimatedTotalHits: total }, null, space),
      );
      const share = readShare(bytes);
      assert.equal(share.total, total);
      assert.deepEqual(
        share.hits.map(({ start, end }) => JSON.parse(bytes.toString("utf8", start, end))),
        JSON.parse(JSON.stringify(shown)),
      );
      for (const [i, hit] of share.hits.entries()) {
        const told = JSON.parse(bytes.toString("utf8", hit.federationStart, hit.federationEnd));
        assert.deepEqual(told, JSON.parse(JSON.stringify(shown[i]!._federation)));
        assert.equal(hit.query, told.queriesPosition);
        assert.equal(hit.pinnedAt, told.pinnedPosition ?? null);
        assert.equal(hit.elements.length, told.weightedScoreValues.length);
      }
    }),
  );
});

test("values are read where a server tells them: beside the hit, or in it", () => {
  const hit = (document: object, extra?: object) => {
    const ranks = { indexUid: "a", queriesPosition: 0, weightedRankingScore: 1, weightedScoreValues: [] };
    const _federation = { ...ranks, ...(extra === undefined ? {} : { extra_document: extra }) };
    return readShare(Buffer.from(JSON.stringify({ hits: [{ ...document, _federation }], totalHits: 1 }))).hits[0]!;
  };
  const makers = { made: [{ by: "x" }, { by: ["y", 1] }, {}] };
  for (const [expected, found] of [
    [["red"], hit({ colour: "green" }, { colour: ["red"] }).valuesOf("colour")],
    [[], hit({ colour: "green" }, { colour: [] }).valuesOf("colour")],
    [["green"], hit({ colour: "green" }, {}).valuesOf("colour")],
    [["green", 2], hit({ colour: ["green", 2] }).valuesOf("colour")],
    [["x", "y", 1], hit(makers).valuesOf("made.by")],
    [["x", "y", 1], hit({}, makers).valuesOf("made.by")],
    [["z"], hit(makers, { "made.by": "z" }).valuesOf("made.by")],
    [[], hit({}).valuesOf("made.by")],
  ]) {
    assert.deepEqual(found, expected);
  }
});

test("facets keep the order in which they came, numbers too", () => {
  const text =
    '{"hits":[],"totalHits":3,"facetsByIndex":{"a":{"distribution":{"year":{"9":1,"10":7,"1":2}},"stats":{"year":{"min":1,"max":10}}}},' +
    '"facetRules":{"a":{"maxValues":5,"orders":{"year":"count"}}}}';
  const [facets] = readShare(Buffer.from(text)).facets;
  assert.deepEqual(
    [...facets!.facets[0]!.values],
    [
      ["9", 1],
      ["10", 7],
      ["1", 2],
    ],
  );
  assert.deepEqual(facets!.facets[0]!.stats, { min: 1, max: 10 });
  assert.equal(facets!.orderOf("year"), "count");
  assert.equal(facets!.orderOf("other"), "alpha");
  assert.equal(facets!.valuesMax, 5);
});

test("anything else is refused, whole or cut", () => {
  const whole = Buffer.from(
    '{"hits":[{"id":1,"_federation":{"indexUid":"a","queriesPosition":0,"weightedRankingScore":1,"weightedScoreValues":[]}}],"totalHits":1}',
  );
  assert.equal(readShare(whole).hits.length, 1);
  for (let end = 0; end < whole.length; end++) assert.throws(() => readShare(whole.subarray(0, end)), NoShare);
  for (const text of [
    "",
    "1",
    "[]",
    "{}",
    '{"hits":[]}',
    '{"totalHits":1}',
    '{"hits":[1],"totalHits":1}',
    '{"hits":[{}],"totalHits":1}',
    '{"hits":[{"_federation":null}],"totalHits":1}',
    "<html>",
  ]) {
    assert.throws(() => readShare(Buffer.from(text)), NoShare, text);
  }
  fc.assert(
    fc.property(fc.json(), (text) => {
      try {
        readShare(Buffer.from(text));
      } catch (problem) {
        assert.ok(problem instanceof NoShare, String(problem));
      }
    }),
  );
});
