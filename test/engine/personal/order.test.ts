import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { decodeAskedOrder, encodeAskedOrder } from "../../../src/engine/link/personal.ts";
import { askingFor } from "../../../src/engine/personal/asking.ts";
import { inOrder, NoOrder, readOrder } from "../../../src/engine/personal/order.ts";

const hit = fc.dictionary(fc.string({ unit: "grapheme", maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

test("hits move, and nothing else does", () => {
  fc.assert(
    fc.property(
      fc.array(hit, { maxLength: 8 }),
      fc.array(fc.integer({ min: -1, max: 9 })),
      fc.boolean(),
      (hits, order, isOne) => {
        const one = { before: [{ hits: 1 }], hits, after: "hits" };
        const answer = isOne ? one : { results: [{ hits: [{ other: 1 }] }, one] };
        const told = JSON.parse(Buffer.from(inOrder(bytesOf(answer), isOne ? null : 1, order)).toString());
        const named = [...new Set(order)].filter((index) => index >= 0 && index < hits.length);
        const rest = hits.map((_, index) => index).filter((index) => !named.includes(index));
        const expected = { ...one, hits: [...named, ...rest].map((index) => hits[index]!) };
        const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
        assert.deepEqual(told, plain(isOne ? expected : { results: [{ hits: [{ other: 1 }] }, expected] }));
      },
    ),
  );
});

test("orders are read in the forms that services answer in", () => {
  const scores = [
    { index: 2, relevance_score: 0.1 },
    { index: 0, relevance_score: 0.9 },
  ];
  const named = scores.map(({ index, relevance_score: score }) => ({ index, score }));
  for (const form of [{ results: scores }, { data: scores }, scores, named, { id: "x", results: named }]) {
    assert.deepEqual(readOrder(JSON.stringify(form)), [0, 2]);
  }
  for (const wrong of [
    "",
    "<html>",
    "1",
    "{}",
    '{"results":1}',
    '{"results":[1]}',
    '{"results":[{"index":0}]}',
    "null",
  ]) {
    assert.throws(() => readOrder(wrong), NoOrder, wrong);
  }
});

test("a service is asked with the person, the words and the documents, without what the server adds to them", () => {
  const hits = [
    {
      id: 1,
      name: "a",
      _formatted: { name: "<em>a</em>" },
      _rankingScore: 1,
      _federation: {},
      _geo: { lat: 1, lng: 2 },
    },
    { id: 2.5, name: "b".repeat(50_000) },
  ];
  const wish = { result: null, q: "heron", userContext: "likes rivers" };
  const asked = JSON.parse(Buffer.from(askingFor(wish, bytesOf({ hits }))!).toString());
  assert.equal(asked.query, "User context: likes rivers\nQuery: heron");
  assert.equal(asked.documents[0], '{"id":1,"name":"a","_geo":{"lat":1,"lng":2}}');
  assert.equal(asked.documents[1].length, 16 * 1024);
  assert.equal(asked.top_n, 2);
  const wordless = JSON.parse(Buffer.from(askingFor({ ...wish, q: " " }, bytesOf({ hits }))!).toString());
  assert.equal(wordless.query, "User context: likes rivers");
  assert.equal(askingFor(wish, bytesOf({ hits: hits.slice(1) })), null);
  const many = Array.from({ length: 1200 }, (_, id) => ({ id }));
  assert.equal(JSON.parse(Buffer.from(askingFor(wish, bytesOf({ hits: many }))!).toString()).documents.length, 1000);
});

test("what is asked survives the way as bytes", () => {
  const bytes = fc.uint8Array({ maxLength: 40 });
  const asks = fc.array(fc.tuple(fc.option(fc.nat(9)), bytes));
  fc.assert(
    fc.property(fc.nat(), bytes, asks, (cutoffMs, answer, list) => {
      const sent = { cutoffMs, answer, asks: list.map(([result, body]) => ({ result, body })) };
      const got = decodeAskedOrder(encodeAskedOrder(sent));
      assert.equal(got.cutoffMs, cutoffMs);
      assert.deepEqual([...got.answer], [...answer]);
      assert.deepEqual(
        got.asks.map(({ result, body }) => [result, ...body]),
        list.map(([result, body]) => [result, ...body]),
      );
    }),
  );
});
