import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { storeDocument } from "../../../src/base/document/order.ts";
import { overlayVersions } from "../../../src/base/document/overlay.ts";
import { ByteSink } from "../../../src/base/json/bytes.ts";
import { names, objectText } from "../json/arbitrary.ts";
import { overlaid } from "./support.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function orderOf(fields: readonly string[]): Map<string, number> {
  return new Map([...new Set(fields)].map((name, rank) => [name, rank]));
}

function stored(text: string, fields: readonly string[]): string {
  const out = new ByteSink(16);
  const bytes = encode(`..${text}..`);
  storeDocument(bytes, 2, bytes.length - 2, orderOf(fields), out);
  return decode(out.view());
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Members of the versions, the last of each name (of vectors: of each embedder), known fields first in their order. */
function model(versions: readonly string[], fields: readonly string[]): [string, unknown][] {
  const merged = new Map<string, unknown>();
  for (const version of versions)
    for (const [name, value] of Object.entries(JSON.parse(version))) {
      const older = merged.get(name);
      const joins = name === "_vectors" && isObject(older) && isObject(value);
      merged.set(name, joins ? Object.fromEntries([...Object.entries(older), ...Object.entries(value)]) : value);
    }
  const known = [...new Set(fields)].filter((name) => merged.has(name));
  const unknown = [...merged.keys()].filter((name) => !known.includes(name));
  return [...known, ...unknown].map((name) => [name, merged.get(name)]);
}

describe("the stored form of a document", () => {
  it("follows the index's field order", () => {
    assert.equal(stored('{"a":2,"id":2,"b":2}', ["id", "b", "a"]), '{"id":2,"b":2,"a":2}');
    assert.equal(stored('{"new":1,"id":2}', ["id"]), '{"id":2,"new":1}');
  });

  it("is compact, and keeps the text of numbers and strings", () => {
    assert.equal(
      stored('{ "n" : 1.0 , "big":14630868576586246730,\n"s":"a \\u0062", "l":[ 1 , {"x" : " " } ] }', []),
      '{"n":1.0,"big":14630868576586246730,"s":"a \\u0062","l":[1,{"x":" "}]}',
    );
  });

  it("keeps the last of repeated names, however they are spelled", () => {
    assert.equal(stored('{"a":1,"b":2,"a":3}', ["a", "b"]), '{"a":3,"b":2}');
    assert.equal(stored('{"\\u0061":1,"b":2,"a":3}', ["b"]), '{"b":2,"a":3}');
    assert.equal(stored('{"\\u005fvectors":1}', []), '{"_vectors":1}');
  });

  it("agrees with an object model, and is stable", () => {
    fc.assert(
      fc.property(objectText, fc.array(names, { maxLength: 6 }), (text, fields) => {
        const form = stored(text, fields);
        assert.deepEqual(JSON.parse(form), JSON.parse(text));
        assert.deepEqual(Object.entries(JSON.parse(form)), sortIntegers(model([text], fields)));
        assert.equal(stored(form, fields), form);
      }),
      { numRuns: 500 },
    );
  });

  it("copes with thousands of fields", () => {
    const fields = Array.from({ length: 5000 }, (_, i) => `f${i}`);
    const text = `{${fields.toReversed().map((name) => `"${name}":"${name}"`)}}`;
    assert.equal(stored(text, fields), `{${fields.map((name) => `"${name}":"${name}"`)}}`);
  });

  it("sees fields that joined the order since the last document", () => {
    const order = orderOf(["id"]);
    const out = new ByteSink();
    const bytes = encode('{"b":1,"a":2,"id":3}');
    storeDocument(bytes, 0, bytes.length, order, out);
    assert.equal(decode(out.view()), '{"id":3,"b":1,"a":2}');
    order.set("a", 1).set("b", 2);
    out.reset();
    storeDocument(bytes, 0, bytes.length, order, out);
    assert.equal(decode(out.view()), '{"id":3,"a":2,"b":1}');
  });
});

/** The language lists integer-like names first; the order of those is checked by the plain examples. */
function sortIntegers(entries: [string, unknown][]): [string, unknown][] {
  const isIndex = (name: string) => /^(0|[1-9]\d{0,8})$/.test(name);
  const integers = entries.filter(([name]) => isIndex(name)).sort(([a], [b]) => Number(a) - Number(b));
  return [...integers, ...entries.filter(([name]) => !isIndex(name))];
}

describe("overlaying versions", () => {
  it("replaces top-level values whole", () => {
    const order = orderOf(["id", "a", "b"]);
    const result = overlaid(encode('{"id":1,"a":{"x":1},"b":2}'), encode('{"id":1, "a":{"y":2},"c":null}'), order);
    assert.equal(decode(result), '{"id":1,"a":{"y":2},"b":2,"c":null}');
  });

  it("agrees with an object model over several versions", () => {
    fc.assert(
      fc.property(
        fc.array(objectText, { minLength: 1, maxLength: 4 }),
        fc.array(names, { maxLength: 6 }),
        (texts, fields) => {
          const out = new ByteSink();
          const versions = texts.map((text) => ({ bytes: encode(text), start: 0, end: encode(text).length }));
          overlayVersions(versions, orderOf(fields), out);
          const result = JSON.parse(decode(out.view()));
          assert.deepEqual(Object.entries(result), sortIntegers(model(texts, fields)));
        },
      ),
      { numRuns: 500 },
    );
  });
});
