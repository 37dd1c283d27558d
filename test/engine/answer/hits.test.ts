import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseSearch } from "../../../src/base/contract/search.ts";
import { ByteSink } from "../../../src/base/json/bytes.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import { formatHits, HitWriter } from "../../../src/engine/answer/hits.ts";
import type { MatchedQuery } from "../../../src/engine/query/matched.ts";

import { closeIndexed, indexed } from "./indexed.ts";

const family = {
  id: 852,
  father: "jean",
  doggos: [
    { name: "bobby", age: 2 },
    { name: "buddy bobby", age: 4 },
  ],
  cattos: "pésti",
  alive: true,
  none: null,
  nested: { deep: { name: "bobby" }, list: [] },
};

const bobby: MatchedQuery = {
  terms: [{ firstPosition: 0, lastPosition: 0, isPrefix: true, typed: "bobby", words: ["bobby"], phrases: [] }],
  stopWords: [],
};

interface Hit {
  [name: string]: unknown;
  _formatted?: JsonObject;
}

function shown(body: JsonObject, settings: JsonObject = {}, doc: Record<string, unknown> = family): Hit {
  const view = indexed([doc], settings);
  const out = new ByteSink();
  formatHits(view, [view.hit(0)], parseSearch(body), () => bobby, out);
  closeIndexed(view);
  const hits = JSON.parse(Buffer.from(out.view()).toString());
  assert.equal(hits.length, 1);
  return hits[0];
}

describe("hits", () => {
  it("are the documents themselves", () => {
    assert.deepEqual(shown({}), family);
    const view = indexed([family]);
    const out = new ByteSink();
    formatHits(view, [view.hit(0)], parseSearch({}), null, out);
    assert.equal(Buffer.from(out.view()).toString(), `[${JSON.stringify(family)}]`);
    closeIndexed(view);
  });

  it("show what is asked for of what is displayed", () => {
    assert.deepEqual(shown({ attributesToRetrieve: ["father", "nobody"] }), { father: "jean" });
    assert.deepEqual(shown({ attributesToRetrieve: ["*"] }, { displayedAttributes: ["id"] }), { id: 852 });
    assert.deepEqual(shown({ attributesToRetrieve: ["cattos"] }, { displayedAttributes: ["id"] }), {});
    assert.deepEqual(shown({ attributesToRetrieve: ["doggos.name"] }).doggos, [
      { name: "bobby" },
      { name: "buddy bobby" },
    ]);
    assert.deepEqual(shown({ attributesToRetrieve: ["nested"] }, { displayedAttributes: ["nested.deep"] }), {
      nested: { deep: { name: "bobby" } },
    });
    assert.deepEqual(shown({ attributesToRetrieve: [] }), {});
  });

  it("have further members, also where the document is empty", () => {
    const view = indexed([family]);
    const writer = new HitWriter(view, parseSearch({ attributesToRetrieve: [], showRankingScore: true }), null);
    const out = new ByteSink();
    writer.write(view.hit(0), out, ',"_federation":{"indexUid":"a"}');
    assert.equal(Buffer.from(out.view()).toString(), '{"_federation":{"indexUid":"a"},"_rankingScore":1.0}');
    closeIndexed(view);
  });

  it("keep vectors to themselves unless asked", () => {
    const doc = { id: 1, _vectors: { mine: [1, 2] } };
    const settings = { embedders: { mine: { source: "userProvided", dimensions: 2 } } };
    assert.deepEqual(shown({}, settings, doc), { id: 1 });
    const withVectors = { id: 1, _vectors: { mine: { embeddings: [[1, 2]], regenerate: false } } };
    assert.deepEqual(shown({ retrieveVectors: true }, settings, doc), withVectors);
    assert.deepEqual(shown({ retrieveVectors: true }, { ...settings, displayedAttributes: ["id"] }, doc), { id: 1 });
    assert.deepEqual(shown({ attributesToHighlight: ["*"] }, settings, doc)._formatted, { id: "1" });
  });

  it("tell the distance to the place they are sorted by, where the place is shown", () => {
    const doc = { id: 1, _geo: { lat: 34.0522, lng: -118.2437 } };
    const settings = { sortableAttributes: ["_geo"] };
    const sort = ["id:asc", "_geoPoint(45.4777599, 9.1967508):asc", "_geoPoint(0,0):asc"];
    assert.equal(shown({ sort }, settings, doc)["_geoDistance"], 9714063);
    assert.equal("_geoDistance" in shown({ sort, attributesToRetrieve: ["id"] }, settings, doc), false);
    assert.equal("_geoDistance" in shown({}, settings, doc), false);
    assert.equal("_geoDistance" in shown({ sort }, settings, { id: 1, _geo: null }), false);
  });

  it("keep the order of what is added", () => {
    const hit = shown({
      attributesToHighlight: ["father"],
      showMatchesPosition: true,
      showRankingScore: true,
      showRankingScoreDetails: true,
    });
    assert.deepEqual(Object.keys(hit).slice(-4), [
      "_formatted",
      "_matchesPosition",
      "_rankingScore",
      "_rankingScoreDetails",
    ]);
  });
});

describe("_formatted", () => {
  it("has everything retrieved and formatted, numbers as strings", () => {
    assert.deepEqual(shown({ attributesToHighlight: ["father"] })._formatted, {
      id: "852",
      father: "jean",
      doggos: [
        { name: "bobby", age: "2" },
        { name: "buddy bobby", age: "4" },
      ],
      cattos: "pésti",
      alive: true,
      none: null,
      nested: { deep: { name: "bobby" }, list: [] },
    });
    assert.deepEqual(shown({ attributesToRetrieve: ["id"], attributesToHighlight: ["doggos"] })._formatted, {
      id: "852",
      doggos: [
        { name: "<em>bobby</em>", age: "2" },
        { name: "buddy <em>bobby</em>", age: "4" },
      ],
    });
  });

  it("is there only for attributes that are known and displayed", () => {
    assert.equal("_formatted" in shown({ attributesToHighlight: ["nobody"] }), false);
    assert.equal("_formatted" in shown({ attributesToHighlight: ["father"] }, { displayedAttributes: ["id"] }), false);
    assert.equal("_formatted" in shown({ attributesToHighlight: [] }), false);
    assert.equal("_formatted" in shown({ attributesToCrop: ["nobody:3"] }), false);
    assert.deepEqual(shown({ attributesToHighlight: ["nobody", "id"], attributesToRetrieve: [] })._formatted, {
      id: "852",
    });
  });

  it("joins what is asked of an attribute and of those above and below it", () => {
    const body = { attributesToRetrieve: [], attributesToHighlight: ["doggos"], attributesToCrop: ["doggos.name:1"] };
    assert.deepEqual(shown(body)._formatted, {
      doggos: [
        { name: "<em>bobby</em>", age: "2" },
        { name: "…<em>bobby</em>", age: "4" },
      ],
    });
  });

  it("crops by the narrowest entry, and not at all to no words", () => {
    const doc = { id: 1, a: "one two three four", b: "one two three four" };
    const crop = (attributesToCrop: string[], more: JsonObject = {}) =>
      shown({ attributesToCrop, cropLength: 2, ...more }, {}, doc)._formatted;
    assert.deepEqual(crop(["*"]), { id: "1", a: "one two…", b: "one two…" });
    assert.deepEqual(crop(["*:3"]), { id: "1", a: "one two three…", b: "one two three…" });
    assert.deepEqual(crop(["a:1", "*"]), { id: "1", a: "one…", b: "one two…" });
    assert.deepEqual(crop(["a:many"]), { id: "1", a: "one two…", b: "one two three four" });
    assert.deepEqual(crop(["a:0"]), { id: "1", a: "one two three four", b: "one two three four" });
    assert.deepEqual(crop(["a"], { cropLength: 0 }), { id: "1", a: "one two three four", b: "one two three four" });
    assert.deepEqual(crop(["a"], { cropMarker: null }), { id: "1", a: "one two", b: "one two three four" });
    // All attributes are those to retrieve.
    assert.deepEqual(crop(["*"], { attributesToRetrieve: ["a"] }), { a: "one two…" });
  });

  it("puts null tags nowhere", () => {
    const hit = shown({ attributesToHighlight: ["nested"], highlightPreTag: null, attributesToRetrieve: [] });
    assert.deepEqual(hit._formatted, { nested: { deep: { name: "bobby</em>" }, list: [] } });
  });
});

describe("_matchesPosition", () => {
  const positions = (body: JsonObject, settings: JsonObject = {}, doc?: Record<string, unknown>) =>
    shown({ showMatchesPosition: true, ...body }, settings, doc)["_matchesPosition"];

  it("looks into every displayed attribute, whatever is retrieved", () => {
    const expected = {
      // Of several elements of an array only the last that matches is told.
      "doggos.name": [{ start: 6, length: 5, indices: [1] }],
      "nested.deep.name": [{ start: 0, length: 5 }],
    };
    assert.deepEqual(positions({}), expected);
    assert.deepEqual(positions({ attributesToRetrieve: ["id"] }), expected);
    assert.deepEqual(positions({ attributesToHighlight: ["*"], attributesToCrop: ["*"] }), expected);
    assert.deepEqual(positions({}, { displayedAttributes: ["nested"] }), {
      "nested.deep.name": expected["nested.deep.name"],
    });
    assert.deepEqual(positions({}, { displayedAttributes: ["id"] }), {});
  });

  it("has an index for each array around a text", () => {
    assert.deepEqual(positions({}, {}, { id: 1, a: ["x", ["y", "bobby"]] }), {
      a: [{ start: 0, length: 5, indices: [1, 1] }],
    });
  });
});
