import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { storeDocument } from "../../../src/base/document/order.ts";
import { FieldSelection, pickFields } from "../../../src/base/document/pick.ts";
import { ByteSink } from "../../../src/base/json/bytes.ts";
import { END, JsonCursor, KEY } from "../../../src/base/json/cursor.ts";
import { objectText } from "../json/arbitrary.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function picked(
  text: string,
  fields: string[] | null,
  hideVectors = true,
  known: string[] = [],
  onlySelected = false,
): string {
  const out = new ByteSink(16);
  const selection = fields === null ? null : FieldSelection.of(fields, (field) => known.includes(field));
  pickFields(encode(text), selection, { hideVectors, onlySelected }, out);
  return decode(out.view());
}

type Members = [string, unknown][];

interface Thinned {
  value: unknown;
  found: boolean;
}

/** The rule spelled out over objects: undefined for what is left out. */
function thin(value: unknown, selectors: string[], known: string[], onlySelected: boolean): Thinned | undefined {
  if (Array.isArray(value)) {
    const items = value.map((item) => ({ item, thinned: thin(item, selectors, known, onlySelected) }));
    const kept = items.filter(
      ({ item, thinned }) => thinned && (!onlySelected || thinned.found || Array.isArray(item)),
    );
    return { value: kept.map((each) => each.thinned!.value), found: kept.some((each) => each.thinned!.found) };
  }
  if (value === null || typeof value !== "object") return onlySelected ? undefined : { value, found: false };
  const members: Members = [];
  let found = false;
  for (const [name, inner] of Object.entries(value)) {
    if (selectors.includes(name)) {
      members.push([name, inner]);
      found = true;
      continue;
    }
    const below = (names: string[]) =>
      names.filter((each) => each.startsWith(`${name}.`)).map((each) => each.slice(name.length + 1));
    const rest = below(selectors).length === 0 ? undefined : thin(inner, below(selectors), below(known), onlySelected);
    if (rest === undefined || (!rest.found && below(known).length === 0)) continue;
    members.push([name, rest.value]);
    found ||= rest.found;
  }
  return { value: Object.fromEntries(members), found };
}

/** Whether an object has a name twice: the last one counts, but as bytes both are there, and either may be picked. */
function repeatsNames(bytes: Uint8Array): boolean {
  const cursor = new JsonCursor();
  cursor.reset(bytes, 0, bytes.length);
  let keys = 0;
  for (let token = cursor.next(); token !== END; token = cursor.next()) if (token === KEY) keys++;
  return keys !== namesIn(JSON.parse(decode(bytes)));
}

function namesIn(value: unknown): number {
  if (value === null || typeof value !== "object") return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((count: number, inner) => count + namesIn(inner), own);
}

describe("picking fields", () => {
  it("selects whole fields and nested ones with their structure", () => {
    const text = '{"id":1,"a":{"b":1,"c":{"d":2}},"l":[{"x":1,"y":2},3,[{"x":4}],{"y":5}],"a.b":9}';
    assert.equal(picked(text, ["id"]), '{"id":1}');
    assert.equal(picked(text, ["a.b"]), '{"a":{"b":1},"a.b":9}');
    assert.equal(picked(text, ["a.c.d", "a.b"]), '{"a":{"b":1,"c":{"d":2}},"a.b":9}');
    assert.equal(picked(text, ["a", "a.b"]), '{"a":{"b":1,"c":{"d":2}},"a.b":9}');
    assert.equal(picked(text, ["l.x"]), '{"l":[{"x":1},3,[{"x":4}],{}]}');
    assert.equal(
      picked('{"l":["a\\"b",null,{"x":1},true,[[]],1.5]}', ["l.x"]),
      '{"l":["a\\"b",null,{"x":1},true,[[]],1.5]}',
    );
    assert.equal(picked(text, ["id.x", "a.z", "nothing"]), "{}");
    assert.equal(picked(text, []), "{}");
    assert.equal(picked(text, null), text);
  });

  it("can leave out what leads to no selected field", () => {
    const text = '{"l":[{"x":1,"y":2},3,[{"x":4},"s"],{"y":5},[7],[]],"o":{"y":1}}';
    assert.equal(picked(text, ["l.x", "o.x"], true, ["o.x"], true), '{"l":[{"x":1},[{"x":4}],[],[]],"o":{}}');
  });

  it("shows the way to a field that only other documents have, and none to a field that no document has", () => {
    const text = '{"id":1,"a":{"b":1},"e":{},"l":[{"x":1},3],"s":5,"n":null}';
    const fields = ["a.z", "e.z", "l.z", "s.z", "n.z"];
    assert.equal(picked(text, fields), "{}");
    assert.equal(picked(text, fields, true, fields), '{"a":{},"e":{},"l":[{},3],"s":5,"n":null}');
    assert.equal(picked(text, fields, true, fields, true), '{"a":{},"e":{},"l":[]}');
    assert.equal(picked(text, ["a.b", "a.c.z"], true, ["a.c.z"]), '{"a":{"b":1}}');
    assert.equal(picked('{"a":{"c":{"d":1},"b":2}}', ["a.c.z", "a.y.z"], true, ["a.y.z"]), '{"a":{}}');
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
    const paths = fc.array(path, { maxLength: 4 });
    fc.assert(
      fc.property(objectText, paths, paths, fc.boolean(), (text, some, more, onlySelected) => {
        const fields = [...some, ...more];
        const known = more.filter((field) => field.includes("."));
        const form = new ByteSink();
        storeDocument(encode(text), 0, encode(text).length, new Map(), form);
        fc.pre(!repeatsNames(form.view()));
        const expected = thin(JSON.parse(text), fields, known, onlySelected)!.value;
        assert.deepEqual(JSON.parse(picked(decode(form.view()), fields, false, known, onlySelected)), expected);
      }),
      { numRuns: 1000 },
    );
  });
});
