import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ByteSink } from "../../src/document/bytes.ts";
import { storeDocument } from "../../src/document/order.ts";
import { FieldSelection, pickFields } from "../../src/document/pick.ts";
import { objectText } from "../json/arbitrary.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function picked(text: string, fields: string[] | null, hideVectors = true): string {
  const out = new ByteSink(16);
  pickFields(encode(text), fields === null ? null : FieldSelection.of(fields), { hideVectors }, out);
  return decode(out.view());
}

type Members = [string, unknown][];

/** The rule spelled out over objects: undefined when nothing of a value is selected. */
function thin(value: unknown, selectors: string[], ofMember: boolean): unknown {
  if (Array.isArray(value)) {
    const kept = value.map((item) => thin(item, selectors, false)).filter((item) => item !== undefined);
    return ofMember || kept.length > 0 ? kept : undefined;
  }
  if (value === null || typeof value !== "object") return undefined;
  const members: Members = [];
  for (const [name, inner] of Object.entries(value)) {
    if (selectors.includes(name)) {
      members.push([name, inner]);
      continue;
    }
    const below = selectors.filter((selector) => selector.startsWith(`${name}.`)).map((s) => s.slice(name.length + 1));
    const rest = below.length === 0 ? undefined : thin(inner, below, true);
    if (rest !== undefined) members.push([name, rest]);
  }
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

describe("picking fields", () => {
  it("selects whole fields and nested ones with their structure", () => {
    const text = '{"id":1,"a":{"b":1,"c":{"d":2}},"l":[{"x":1,"y":2},3,[{"x":4}],{"y":5}],"a.b":9}';
    assert.equal(picked(text, ["id"]), '{"id":1}');
    assert.equal(picked(text, ["a.b"]), '{"a":{"b":1},"a.b":9}');
    assert.equal(picked(text, ["a.c.d", "a.b"]), '{"a":{"b":1,"c":{"d":2}},"a.b":9}');
    assert.equal(picked(text, ["a", "a.b"]), '{"a":{"b":1,"c":{"d":2}},"a.b":9}');
    assert.equal(picked(text, ["l.x"]), '{"l":[{"x":1},[{"x":4}]]}');
    assert.equal(picked(text, ["l.z"]), '{"l":[]}');
    assert.equal(picked(text, ["id.x", "a.z", "nothing"]), "{}");
    assert.equal(picked(text, []), "{}");
    assert.equal(picked(text, null), text);
  });

  it("hides _vectors wherever it stands, and only at the top", () => {
    assert.equal(picked('{"_vectors":{"m":[1]},"id":1}', null), '{"id":1}');
    assert.equal(picked('{"id":1,"_vectors":null}', null), '{"id":1}');
    assert.equal(picked('{"id":1,"_vectors":null,"z":{"_vectors":1}}', null), '{"id":1,"z":{"_vectors":1}}');
    assert.equal(picked('{"_vectors":[]}', null), "{}");
    assert.equal(picked('{"id":1,"_vectors":null}', null, false), '{"id":1,"_vectors":null}');
    assert.equal(picked('{"id":1,"_vectors":{"m":1}}', ["id", "_vectors", "_vectors.m"]), '{"id":1}');
    assert.equal(picked('{"id":1,"_vectors":{"m":1}}', ["_vectors.m"], false), '{"_vectors":{"m":1}}');
  });

  it("agrees with the rule over objects", () => {
    const path = fc
      .array(fc.constantFrom("id", "a", "b", "a.b", "title", "__proto__", "é", "x"), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join("."));
    fc.assert(
      fc.property(objectText, fc.array(path, { maxLength: 4 }), (text, fields) => {
        const form = new ByteSink();
        storeDocument(encode(text), 0, encode(text).length, new Map(), form);
        const expected = thin(JSON.parse(text), fields, true) ?? {};
        assert.deepEqual(JSON.parse(picked(decode(form.view()), fields, false)), expected);
      }),
      { numRuns: 1000 },
    );
  });
});
