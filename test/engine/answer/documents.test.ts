import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ApiError } from "../../../src/base/errors/errors.ts";
import {
  type DocumentsDeps,
  type DocumentsParams,
  type DocumentsSegment,
  type DocumentsView,
  getDocument,
  listDocuments,
} from "../../../src/engine/answer/documents.ts";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";
import { defaultSettings } from "../../../src/storage/settings/update.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

interface Stored {
  docid: number;
  id: string;
  json: string;
  live: boolean;
}

function segmentOf(documents: readonly Stored[]): DocumentsSegment {
  const sorted = documents.toSorted((a, b) => a.docid - b.docid);
  const bodies = sorted.map((document) => encode(document.json));
  const live = Bitmap.of(
    sorted.length,
    sorted.flatMap((document, row) => (document.live ? [row] : [])),
  );
  return {
    rows: sorted.length,
    live,
    liveCount: live.count(),
    reader: {
      docids: Uint32Array.from(sorted, (document) => document.docid),
      findRow: (id) => sorted.findIndex((document) => document.id === id),
      documentLength: (row) => bodies[row]!.length,
      readDocuments: (from, to, into, at) => {
        const bytes = Buffer.concat(bodies.slice(from, to));
        into.set(bytes, at);
        return bytes.length;
      },
      vectors: null,
      fields: [],
      columns: { fields: () => [] },
    },
  };
}

function viewOf(segments: readonly (readonly Stored[])[], fieldOrder = ["id"]): DocumentsView {
  return { settings: defaultSettings(), fieldOrder, segments: segments.map(segmentOf) };
}

const all: DocumentsParams = {
  offset: 0,
  limit: 20,
  fields: null,
  ids: null,
  filter: null,
  sort: null,
  retrieveVectors: false,
  isShare: false,
};

const noDeps: DocumentsDeps = {
  filterRows: () => assert.fail("no filter was asked for"),
  sortRows: () => assert.fail("no sort was asked for"),
  sentPlaces: () => assert.fail("nobody asked for places"),
};

function list(view: DocumentsView, params: Partial<DocumentsParams>, deps = noDeps) {
  return JSON.parse(decode(listDocuments(view, { ...all, ...params }, deps)));
}

const stored = (docid: number, id: string, live = true, json = `{"id":"${id}"}`): Stored => ({ docid, id, json, live });

describe("listing documents", () => {
  const view = viewOf([
    [stored(0, "a"), stored(3, "d"), stored(2, "c", false)],
    [stored(2, "c"), stored(1, "b"), stored(9, "e")],
    [],
  ]);

  it("pages in internal id order across segments", () => {
    assert.equal(
      decode(listDocuments(view, { ...all, limit: 3 }, noDeps)),
      '{"results":[{"id":"a"},{"id":"b"},{"id":"c"}],"offset":0,"limit":3,"total":5}',
    );
    assert.deepEqual(list(view, { offset: 3 }).results, [{ id: "d" }, { id: "e" }]);
    assert.deepEqual(list(view, { offset: 9 }), { results: [], offset: 9, limit: 20, total: 5 });
    assert.deepEqual(list(view, { limit: 0 }).total, 5);
    assert.deepEqual(list(viewOf([]), {}), { results: [], offset: 0, limit: 20, total: 0 });
  });

  it("takes ids as a set", () => {
    assert.deepEqual(list(view, { ids: ["e", "c", "nobody", "e"] }), {
      results: [{ id: "c" }, { id: "e" }],
      offset: 0,
      limit: 20,
      total: 2,
    });
    assert.throws(
      () => list(view, { ids: ["a", "illegal/docid"] }),
      (error) => error instanceof ApiError && error.code === "invalid_document_ids",
    );
  });

  it("combines filter and ids, and never shows deleted rows", () => {
    const deps: DocumentsDeps = {
      ...noDeps,
      filterRows: () => view.segments.map((segment) => Bitmap.full(segment.rows)),
    };
    assert.equal(list(view, { filter: "x = 1" }, deps).total, 5);
    assert.deepEqual(list(view, { filter: "x = 1", ids: ["c", "d"] }, deps).results, [{ id: "c" }, { id: "d" }]);
    assert.equal(list(view, { filter: "" }, { ...noDeps, filterRows: () => null }).total, 5);
  });

  it("shows a sorted page in the order it is given", () => {
    const deps: DocumentsDeps = {
      ...noDeps,
      sortRows: () => ({ segments: Uint32Array.of(1, 0, 1), rows: Uint32Array.of(2, 0, 0) }),
    };
    assert.deepEqual(list(view, { sort: ["x:desc"] }, deps).results, [{ id: "e" }, { id: "a" }, { id: "b" }]);
  });

  it("gives the same pages however documents are spread over segments", () => {
    const documents = fc.uniqueArray(
      fc.record({ docid: fc.nat({ max: 200 }), segment: fc.nat({ max: 6 }), live: fc.boolean() }),
      { selector: (document) => document.docid, maxLength: 120 },
    );
    fc.assert(
      fc.property(documents, fc.nat({ max: 130 }), fc.nat({ max: 50 }), (entries, offset, limit) => {
        const segments: Stored[][] = Array.from({ length: 7 }, () => []);
        for (const { docid, segment, live } of entries) segments[segment]!.push(stored(docid, String(docid), live));
        const expected = entries
          .filter((entry) => entry.live)
          .map((entry) => entry.docid)
          .sort((a, b) => a - b);
        const answer = list(viewOf(segments), { offset, limit });
        assert.deepEqual(
          answer.results.map((document: { id: string }) => Number(document.id)),
          expected.slice(offset, offset + limit),
        );
        assert.equal(answer.total, expected.length);
      }),
      { numRuns: 300 },
    );
  });
});

describe("reading one document", () => {
  const json = '{"id":1,"name":"kefir","_vectors":{"manual":[0,0.25,0.123456789],"other":{"x":1},"none":null}}';
  const view = viewOf(
    [[stored(0, "1", false, '{"id":1,"old":true}')], [stored(0, "1", true, json)]],
    ["id", "name", "_vectors"],
  );
  const get = (id: string, fields: string[] | null, retrieveVectors: boolean, from = view) =>
    decode(getDocument(from, id, { fields, retrieveVectors }));

  it("finds the living version", () => {
    assert.equal(get("1", null, false), '{"id":1,"name":"kefir"}');
    assert.equal(get("1", ["name", "_vectors"], false), '{"name":"kefir"}');
    assert.equal(get("1", [], false), "{}");
    for (const id of ["2", "a/b", ""]) {
      assert.throws(
        () => get(id, null, false),
        (error) => error instanceof ApiError && error.code === "document_not_found",
      );
    }
  });

  it("shows vectors of configured embedders in full, others as stored", () => {
    assert.equal(get("1", ["id"], true), `{"id":1,"_vectors":${json.slice(json.indexOf('{"manual'), -1)}}`);
    view.settings.embedders = { manual: { source: "userProvided" }, none: { source: "userProvided" } };
    assert.equal(
      get("1", ["id"], true),
      '{"id":1,"_vectors":{"manual":{"embeddings":[[0.0,0.25,0.12345679104328156]],"regenerate":false},"other":{"x":1},' +
        '"none":{"embeddings":[],"regenerate":false}}}',
    );
    assert.equal(get("1", [], true).slice(0, 13), '{"_vectors":{');
  });

  it("normalises every accepted form", () => {
    const forms: [string, string][] = [
      ["null", "[]|false"],
      ["[]", "[]|false"],
      ["[1,2]", "[[1,2]]|false"],
      ["[[1],[2]]", "[[1],[2]]|false"],
      ['{"regenerate":true}', "[]|true"],
      ['{"regenerate":true,"embeddings":null}', "[]|true"],
      ['{"embeddings":[1,2],"regenerate":false}', "[[1,2]]|false"],
      ['{"embeddings":[[1,2],[3,4]],"regenerate":true}', "[[1,2],[3,4]]|true"],
    ];
    for (const [form, expected] of forms) {
      const one = viewOf([[stored(0, "1", true, `{"id":1,"_vectors":{"m":${form}}}`)]], ["id", "_vectors"]);
      one.settings.embedders = { m: { source: "userProvided" } };
      const { embeddings, regenerate } = JSON.parse(get("1", null, true, one))._vectors.m;
      assert.equal(`${JSON.stringify(embeddings)}|${regenerate}`, expected, form);
    }
  });

  it("says {} for documents without vectors", () => {
    const plain = viewOf(
      [[stored(0, "1", true, '{"id":1}'), stored(1, "2", true, '{"id":2,"_vectors":null}')]],
      ["id", "_vectors"],
    );
    assert.equal(get("1", null, true, plain), '{"id":1,"_vectors":{}}');
    assert.equal(get("2", null, true, plain), '{"id":2,"_vectors":{}}');
  });
});
