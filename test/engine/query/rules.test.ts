import assert from "node:assert/strict";
import { test } from "node:test";
import { queryRules } from "../../../src/engine/query/rules.ts";
import { defaultSettings } from "../../../src/storage/settings/update.ts";

test("rules are kept for the next search, and those of settings that have changed are not", () => {
  const rules = (id: string, settingsVersion: number) =>
    queryRules({ id, settingsVersion, settings: defaultSettings() });
  const first = rules("a", 1);
  const other = rules("b", 1);
  assert.equal(rules("a", 1), first);
  const second = rules("a", 2);
  assert.equal(rules("b", 1), other);
  assert.equal(rules("a", 2), second);
  assert.notEqual(rules("a", 1), first);
});
