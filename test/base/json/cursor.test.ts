import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import * as json from "../../../src/base/json/cursor.ts";
import { jsonText } from "./arbitrary.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** Rebuilds the value from tokens; maps keep `__proto__` an ordinary name. */
function rebuild(cursor: json.JsonCursor, token: number): unknown {
  switch (token) {
    case json.OBJECT_START: {
      const members = new Map<string, unknown>();
      for (let next = cursor.next(); next !== json.OBJECT_END; next = cursor.next()) {
        assert.equal(next, json.KEY);
        const name = cursor.text();
        members.set(name, rebuild(cursor, cursor.next()));
      }
      return members;
    }
    case json.ARRAY_START: {
      const items: unknown[] = [];
      for (let next = cursor.next(); next !== json.ARRAY_END; next = cursor.next()) items.push(rebuild(cursor, next));
      return items;
    }
    case json.STRING:
      return cursor.text();
    case json.NUMBER:
      return Number(cursor.text());
    case json.TRUE:
      return true;
    case json.FALSE:
      return false;
    default:
      assert.equal(token, json.NULL);
      return null;
  }
}

function asMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asMaps);
  if (value === null || typeof value !== "object") return value;
  return new Map(Object.entries(value).map(([name, inner]) => [name, asMaps(inner)]));
}

describe("JsonCursor", () => {
  it("reads what JSON.parse reads", () => {
    const cursor = new json.JsonCursor();
    fc.assert(
      fc.property(jsonText, (text) => {
        const bytes = encode(`x${text}x`);
        cursor.reset(bytes, 1, bytes.length - 1);
        const read = rebuild(cursor, cursor.next());
        assert.equal(cursor.next(), json.END);
        assert.deepEqual(read, asMaps(JSON.parse(text)));
      }),
      { numRuns: 1000 },
    );
  });

  it("skips members whole and gives their raw text", () => {
    const cursor = new json.JsonCursor();
    fc.assert(
      fc.property(fc.array(jsonText, { minLength: 1, maxLength: 5 }), (values) => {
        const bytes = encode(`{${values.map((value, i) => `"k${i}" : ${value}`).join(" , ")}}`);
        cursor.reset(bytes, 0, bytes.length);
        assert.equal(cursor.next(), json.OBJECT_START);
        for (const [i, value] of values.entries()) {
          assert.equal(cursor.next(), json.KEY);
          assert.equal(cursor.text(), `k${i}`);
          cursor.skipValue();
          assert.equal(new TextDecoder().decode(bytes.subarray(cursor.start, cursor.end)), value);
        }
        assert.equal(cursor.next(), json.OBJECT_END);
        assert.equal(cursor.next(), json.END);
      }),
    );
  });

  it("notices white space outside strings only", () => {
    const cursor = new json.JsonCursor();
    for (const [text, spaced] of [
      ['{"a b":"c d","e":[1,2]}', false],
      ['{"a":1 }', true],
      ['{"a":[1,\n2]}', true],
    ] as const) {
      const bytes = encode(text);
      cursor.reset(bytes, 0, bytes.length);
      while (cursor.next() !== json.END);
      assert.equal(cursor.spaced, spaced, text);
      cursor.reset(bytes, 0, bytes.length);
      cursor.skipValue();
      assert.equal(cursor.spaced, spaced, text);
    }
  });

  it("works over shared memory", () => {
    const text = '{"ключ":"значение и ещё немного слов"}';
    const bytes = new Uint8Array(new SharedArrayBuffer(256));
    bytes.set(encode(text), 8);
    const cursor = new json.JsonCursor();
    cursor.reset(bytes, 8, 8 + encode(text).length);
    cursor.next();
    cursor.next();
    assert.equal(cursor.text(), "ключ");
    cursor.next();
    assert.equal(cursor.text(), "значение и ещё немного слов");
  });
});
