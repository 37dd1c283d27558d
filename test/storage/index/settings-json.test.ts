import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeSettings, encodeSettings, LONG_SETTINGS_BYTES } from "../../../src/storage/index/settings-json.ts";
import type { Settings } from "../../../src/storage/settings/settings.ts";
import { defaultSettings } from "../../../src/storage/settings/update.ts";

const words = fc.array(fc.string({ unit: "binary", maxLength: 8 }), { maxLength: 5 });
const synonyms = fc.dictionary(fc.string({ unit: "grapheme", maxLength: 6 }), words);
const filler = fc.constantFrom(0, LONG_SETTINGS_BYTES);

test("settings come back as they were, short or long", () => {
  fc.assert(
    fc.property(words, synonyms, filler, (stopWords, made, length) => {
      const settings: Settings = { ...defaultSettings(), stopWords, synonyms: made, dictionary: ["é".repeat(length)] };
      const json = encodeSettings(settings);
      assert.deepEqual(JSON.parse(Buffer.from(json.bytes).toString()), JSON.parse(JSON.stringify(settings)));
      assert.equal(json.names.length > 0, json.bytes.length > LONG_SETTINGS_BYTES);
      const decoded = decodeSettings(json);
      assert.deepEqual({ ...decoded }, JSON.parse(JSON.stringify(settings)));
      assert.deepEqual(Object.keys(decoded), Object.keys(settings));
    }),
  );
});

test("a member of long settings is read without the others, and only once", () => {
  const settings = { ...defaultSettings(), stopWords: Array.from({ length: 5000 }, (_, i) => `word${i}`) };
  const { bytes, names, ends } = encodeSettings(settings);
  const damaged = Buffer.from(bytes);
  damaged.fill("x", damaged.indexOf('"word0"'), damaged.indexOf('"word9"'));
  const decoded = decodeSettings({ bytes: damaged, names, ends });
  assert.deepEqual(decoded.rankingRules, settings.rankingRules);
  assert.equal(decoded.rankingRules, decoded.rankingRules);
  assert.deepEqual(decoded.chat, settings.chat);
  assert.throws(() => decoded.stopWords, SyntaxError);
});

for (const length of [0, LONG_SETTINGS_BYTES]) {
  test(`what an older version did not know reads as its default (${length} bytes more)`, () => {
    const { facetSearch: _, chat: __, typoTolerance, ...others } = defaultSettings();
    const { disableOnNumbers: ___, ...olderTypos } = { ...typoTolerance, enabled: false };
    const stored = { ...others, typoTolerance: olderTypos, stopWords: ["the"], dictionary: ["é".repeat(length)] };
    const decoded = decodeSettings(encodeSettings(stored as unknown as Settings));
    const { facetSearch, chat } = defaultSettings();
    const expected = { ...stored, facetSearch, chat, typoTolerance: { ...typoTolerance, enabled: false } };
    assert.deepEqual({ ...decoded }, expected);
  });
}
