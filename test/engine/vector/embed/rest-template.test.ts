import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../../../../src/base/json/value.ts";

import { compileRequest, compileResponse } from "../../../../src/engine/vector/embed/rest-template.ts";

test("a value takes the place of its placeholder, wherever that stands", () => {
  const fill = (template: Json, ...values: Json[]) => JSON.parse(compileRequest(template, "{{text}}").fill(values));
  assert.equal(fill("{{text}}", "a"), "a");
  assert.deepEqual(fill({ model: "m", n: [1, { t: "{{text}}" }, null], z: false }, 'q"\n'), {
    model: "m",
    n: [1, { t: 'q"\n' }, null],
    z: false,
  });
  assert.deepEqual(fill({ "{{text}}": "say {{text}}", t: ["{{text}}"] }, "a"), {
    "{{text}}": "say {{text}}",
    t: ["a"],
  });
});

test("a repeated value stands once for each input", () => {
  const template = { model: "m", input: [{ content: [{ text: "{{text}}", kind: 1 }] }, "{{..}}"], last: true };
  const compiled = compileRequest(template, "{{text}}");
  assert.equal(compiled.repeats, true);
  assert.deepEqual(JSON.parse(compiled.fill(["a", "b"])), {
    model: "m",
    input: [{ content: [{ text: "a", kind: 1 }] }, { content: [{ text: "b", kind: 1 }] }],
    last: true,
  });
  assert.equal(compileRequest(["{{text}}"], "{{text}}").repeats, false);
});

test("fragments are put in as the values they are", () => {
  const compiled = compileRequest({ inputs: ["{{fragment}}", "{{..}}"] }, "{{fragment}}");
  const fragment = { content: [{ type: "text", text: "a dog" }] };
  assert.deepEqual(JSON.parse(compiled.fill([fragment, "plain"])), { inputs: [fragment, "plain"] });
});

test("any template around a placeholder is kept as it is", () => {
  const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json);
  const around = fc.array(fc.oneof(fc.string(), fc.nat(3)), { maxLength: 5 });
  fc.assert(
    fc.property(json, around, json, (sibling, path, value) => {
      const wrap = (inner: Json): Json =>
        path.reduceRight<Json>((nested, step) => {
          if (typeof step === "string")
            return Object.fromEntries([
              ["sibling", sibling],
              [`k${step}`, nested],
            ]);
          return [...Array<Json>(step).fill(sibling), nested, sibling];
        }, inner);
      fc.pre(!JSON.stringify(sibling).includes("{{"));
      const filled = compileRequest(wrap("{{text}}"), "{{text}}").fill([value]);
      assert.deepEqual(JSON.parse(filled), wrap(value));
    }),
  );
});

test("vectors are read from where the template has them", () => {
  const one = compileResponse({ data: [{ x: 1 }, { embedding: "{{embedding}}" }] });
  assert.deepEqual([...one({ data: [0, { embedding: [1, 2.5] }], more: true }, 1)[0]!], [1, 2.5]);
  assert.deepEqual([...compileResponse("{{embedding}}")([3], 1)[0]!], [3]);
  const several = compileResponse({ out: { list: [["{{embedding}}"], "{{..}}"] } });
  assert.deepEqual(
    several({ out: { list: [[[1]], [[2]]] } }, 2).map((vector) => [...vector]),
    [[1], [2]],
  );
});

test("an answer that does not fit says where", () => {
  const read = compileResponse({ data: [{ embedding: "{{embedding}}" }, "{{..}}"] });
  const cases: [Json, number, RegExp][] = [
    [{ error: "x", usage: 1 }, 1, /at `response`, expected an object with the key `data`, found .*`error`, `usage`/],
    [{ data: {} }, 1, /at `response\.data`, expected an array, found an empty object/],
    [{ data: [{ embedding: [1] }] }, 2, /`response\.data` has 1 embedding\(s\) for 2 text\(s\)/],
    [{ data: [{ embedding: [1] }, {}] }, 2, /at `response\.data\[1\]`, expected an object with the key `embedding`/],
    [
      { data: [{ embedding: "no" }] },
      1,
      /at `response\.data\[0\]\.embedding`, expected an array of numbers, found a s/,
    ],
    [{ data: [{ embedding: [] }] }, 1, /expected an array of numbers, found an empty array/],
    [
      { data: [{ embedding: [1, null] }] },
      1,
      /at `response\.data\[0\]\.embedding\[1\]`, expected a number, found null/,
    ],
    [{ data: [{ embedding: [1e300] }] }, 1, /embedding\[0\]`, expected a number of 32 bits/],
    ["text", 1, /at `response`, expected an object with the key `data`, found a string/],
    [{ data: null }, 1, /at `response\.data`, expected an array, found null/],
  ];
  for (const [answer, count, message] of cases) assert.throws(() => read(answer, count), message);
  const indexed = compileResponse({ data: [0, "{{embedding}}"] });
  assert.throws(() => indexed({ data: [[1]] }, 1), /at `response\.data`, expected an array with an item 1/);
  assert.throws(() => compileResponse({ toString: "{{embedding}}" })({}, 1), /the key `toString`/);
});

test("any answer is read or refused, never more", () => {
  const read = compileResponse({ data: [{ embedding: "{{embedding}}" }, "{{..}}"] });
  const nearly = fc.record({
    data: fc.array(fc.record({ embedding: fc.array(fc.oneof(fc.float(), fc.jsonValue())) })),
  });
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), nearly), fc.integer({ min: 1, max: 3 }), (answer, count) => {
      try {
        assert.equal(read(JSON.parse(JSON.stringify(answer)) as Json, count).length, count);
      } catch (error) {
        assert.match((error as Error).message, /the answer does not fit/);
      }
    }),
  );
});
