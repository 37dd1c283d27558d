import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { inferPrimaryKey, isValidDocumentId, readIdentity } from "../../../src/base/document/id.ts";
import { preparePayload } from "../../../src/base/payload/prepare.ts";
import { scanPayload } from "../../../src/base/payload/scan.ts";
import { stringsOf } from "../document/ids.ts";
import { objectText } from "../json/arbitrary.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const scan = (text: string, key: string | null) => {
  const { ids, ...found } = scanPayload(preparePayload(encode(text), "json"), key);
  return { ...found, ids: stringsOf(ids) };
};

function codeOf(text: string, key: string | null): string | null {
  return scan(text, key).error?.code ?? null;
}

describe("scanning a payload", () => {
  it("gives ids as text and fields in order of first appearance", () => {
    const result = scan('[{"b":1,"id":1},{"id":"2","a":{"x":1}},{"id":14630868576586246730,"\\u0062":2}]', "id");
    assert.deepEqual(result, {
      primaryKey: "id",
      ids: ["1", "2", "14630868576586246730"],
      isAscending: false,
      fields: ["b", "id", "a"],
      error: null,
    });
  });

  it("accepts the ids of the interface and no others", () => {
    for (const id of [
      "0",
      "-5",
      "18446744073709551615",
      "-9223372036854775808",
      '"a-Z_9"',
      `"${"x".repeat(511)}"`,
      '"\\u0061"',
    ]) {
      assert.equal(codeOf(`[{"id":${id}}]`, "id"), null, id);
    }
    for (const id of [
      "1.0",
      "1e2",
      "-0",
      "18446744073709551616",
      "-9223372036854775809",
      '""',
      '"a b"',
      '"é"',
      "null",
      "true",
      "[1]",
      "{}",
      `"${"x".repeat(512)}"`,
    ]) {
      assert.equal(codeOf(`[{"id":${id}}]`, "id"), "invalid_document_id", id);
    }
  });

  it("stops at the first document without id and shows it", () => {
    const result = scan('[{"docid":1},{"id":"11","content":"foobar"},{"docid":"?"}]', "docid");
    assert.deepEqual(result.ids, ["1"]);
    assert.equal(result.error!.code, "missing_document_id");
    assert.match(result.error!.message, /`docid`.*"content":"foobar"/);
  });

  it("takes the last of repeated names", () => {
    assert.deepEqual(scan('[{"id":1,"id":2}]', "id").ids, ["2"]);
  });

  it("guesses the key from the first document only", () => {
    assert.equal(scan('[{"name":1,"ID":7},{"ID":8,"uuid":1}]', null).primaryKey, "ID");
    assert.equal(codeOf('[{"name":1}]', null), "index_primary_key_no_candidate_found");
    const several = scan('[{"uuid":1,"bid":2,"aId":3}]', null);
    assert.equal(several.error!.code, "index_primary_key_multiple_candidates_found");
    assert.match(several.error!.message, /3 .*`aId`.*`bid`/);
    assert.deepEqual(scan("[]", null), {
      primaryKey: null,
      ids: [],
      isAscending: false,
      fields: [],
      error: null,
    });
  });

  it("tries every split of a dotted key", () => {
    assert.deepEqual(scan('[{"a":{"b":1}},{"a.b":2},{"a":1,"a.b":"3"},{"a":{"c":1},"a.b":4}]', "a.b").ids, [
      "1",
      "2",
      "3",
      "4",
    ]);
    assert.deepEqual(scan('[{"a.b":{"c":1}},{"a":{"b.c":2}},{"a":{"b":{"c":3}}}]', "a.b.c").ids, ["1", "2", "3"]);
    assert.equal(codeOf('[{"a":{"b":1},"a.b":2}]', "a.b"), "invalid_document_id");
    assert.equal(codeOf('[{"a":[{"b":1}]}]', "a.b"), "missing_document_id");
    assert.deepEqual(scan('[{"x":1,"a":{"b":1}},{"y":1,"a.b":2}]', "a.b").fields, ["x", "a", "y", "a.b"]);
  });

  it("agrees with an object model on any document", () => {
    fc.assert(
      fc.property(fc.array(objectText, { minLength: 1, maxLength: 4 }), (texts) => {
        const fields = new Set<string>();
        for (const text of texts) for (const [, name] of topLevelNames(text)) fields.add(name);
        const withIds = texts.map(
          (text, i) => `${text.trimEnd().slice(0, -1)}${/^\{\s*\}$/.test(text) ? "" : ","}"key":${i}}`,
        );
        const result = scan(`[${withIds.join(",")}]`, "key");
        assert.equal(result.error, null);
        assert.deepEqual(
          result.ids,
          texts.map((_, i) => String(i)),
        );
        assert.deepEqual(new Set(result.fields), fields.add("key"));
      }),
    );
  });
});

function topLevelNames(text: string): [number, string][] {
  return Object.keys(JSON.parse(text)).map((name, i) => [i, name]);
}

describe("document identity", () => {
  it("is found under names that are special to the language", () => {
    const bytes = encode('{"__proto__":"x","constructor":1}');
    assert.deepEqual(readIdentity(bytes, 0, bytes.length, "__proto__"), { id: "x" });
    assert.deepEqual(readIdentity(bytes, 0, bytes.length, "constructor"), { id: "1" });
    const empty = encode("{}");
    assert.ok(readIdentity(empty, 0, 2, "constructor") instanceof Error);
    assert.ok(inferPrimaryKey(empty, 0, 2) instanceof Error);
  });

  it("checks the form of ids given by callers", () => {
    assert.ok(isValidDocumentId("A-z_0"));
    for (const id of ["", "a/b", "é", "a b", "x".repeat(512)]) assert.ok(!isValidDocumentId(id), id);
  });
});
