import assert from "node:assert/strict";
import test from "node:test";
import { type FieldsIndex, listFields } from "../../../src/engine/answer/fields.ts";
import { applySettingsUpdate, defaultSettings } from "../../../src/storage/settings/update.ts";

function index(fieldOrder: string[], words: string[], columns: string[]): FieldsIndex {
  return {
    settings: applySettingsUpdate(defaultSettings(), { filterableAttributes: ["_geo", "crew"] }),
    fieldDistribution: {},
    fieldOrder,
    segments: [{ reader: { fields: words, columns: { fields: () => columns } } }],
  };
}

const names = (of: FieldsIndex) => listFields(of, {}).map(({ name }) => name);

test("nested fields are listed with all that lies on the way to them", () => {
  const listed = index(["id", "crew", "a.b"], ["a.b", "crew.lead.name", "id"], ["", "crew.pay"]);
  assert.deepEqual(names(listed), ["a.b", "crew", "crew.lead", "crew.lead.name", "crew.pay", "id"]);
});

test("coordinates are filterable and never searchable", () => {
  const [geo, lat] = listFields(index(["_geo"], [], ["_geo.lat", "_geo.lng"]), {});
  assert.deepEqual([geo!.name, lat!.name], ["_geo", "_geo.lat"]);
  for (const field of [geo!, lat!]) {
    assert.equal(field.searchable.enabled, false);
    assert.equal(field.filterable.enabled, true);
  }
});

test("fields are listed with what they may be used for, those that the filter wants", () => {
  const listed = listFields(index(["id", "title"], ["title"], []), { attributePatterns: ["ti*"] });
  assert.equal(listed.length, 1);
  assert.deepEqual(listed[0]!.searchable, { enabled: true });
  assert.deepEqual(listed[0]!.filterable, {
    enabled: false,
    sortBy: "alpha",
    facetSearch: false,
    equality: false,
    comparison: false,
  });
});
