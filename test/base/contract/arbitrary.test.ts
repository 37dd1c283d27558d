import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseChatList, parseChatWorkspace } from "../../../src/base/contract/chats.ts";
import * as documents from "../../../src/base/contract/documents.ts";
import { defaultFeatures, FEATURE_NAMES, type Features } from "../../../src/base/contract/features.ts";
import * as indexes from "../../../src/base/contract/indexes.ts";
import * as instance from "../../../src/base/contract/instance.ts";
import * as keys from "../../../src/base/contract/keys.ts";
import { parseMultiSearch } from "../../../src/base/contract/multi-search.ts";
import { parseNetwork } from "../../../src/base/contract/network.ts";
import { parseRender } from "../../../src/base/contract/render.ts";
import { parseFacetSearch, parseSearch, parseSearchQuery } from "../../../src/base/contract/search.ts";
import { parseSearchRule, parseSearchRuleList } from "../../../src/base/contract/search-rules.ts";
import { parseSetting, parseSettings, SETTING_ROUTES, settingSchemas } from "../../../src/base/contract/settings.ts";
import { parseSimilar, parseSimilarQuery } from "../../../src/base/contract/similar.ts";
import * as tasks from "../../../src/base/contract/tasks.ts";
import { parseCreateWebhook, parsePatchWebhook } from "../../../src/base/contract/webhooks.ts";
import { ApiError } from "../../../src/base/errors/errors.ts";
import { applySettingsUpdate, defaultSettings } from "../../../src/storage/settings/update.ts";

const every = Object.fromEntries(FEATURE_NAMES.map((name) => [name, true])) as Features;

const bodies: Record<string, (body: unknown) => unknown> = {
  createIndex: indexes.parseCreateIndex,
  updateIndex: indexes.parseUpdateIndex,
  swap: indexes.parseSwapIndexes,
  fields: indexes.parseIndexFields,
  fetch: documents.parseDocumentsFetch,
  deleteByFilter: documents.parseDeleteByFilter,
  deleteBatch: documents.parseDeleteBatch,
  edit: documents.parseEditDocuments,
  createKey: keys.parseCreateKey,
  patchKey: keys.parsePatchKey,
  features: instance.parseFeatures,
  logs: instance.parseLogStream,
  export: instance.parseExport,
  webhook: parseCreateWebhook,
  webhookPatch: parsePatchWebhook,
  network: parseNetwork,
  rule: parseSearchRule,
  rules: parseSearchRuleList,
  render: parseRender,
  chat: parseChatWorkspace,
  search: parseSearch,
  facetSearch: parseFacetSearch,
  similar: parseSimilar,
  multiSearch: (body) => parseMultiSearch(body, defaultFeatures()),
  settings: (body) => applySettingsUpdate(defaultSettings(), parseSettings(body, every)),
};

const queries: Record<string, (query: string) => unknown> = {
  indexes: indexes.parseIndexList,
  stats: indexes.parseStatsQuery,
  documents: documents.parseDocumentsQuery,
  document: documents.parseDocumentQuery,
  write: documents.parseDocumentsWrite,
  metadata: documents.parseMetadataQuery,
  tasks: tasks.parseTaskQuery,
  selection: tasks.parseTaskSelection,
  keys: keys.parseKeyList,
  chats: parseChatList,
  search: parseSearchQuery,
  similar: parseSimilarQuery,
};

/** Keys the parsers know, so that random bodies get past the first of them. */
const knownKeys = fc.constantFrom(
  ..."uid primaryKey indexes rename offset limit filter fields ids sort function context actions expiresAt name target mode url headers remotes self conditions kind template input q vector hybrid queries federation embedder id source dimensions request response".split(
    " ",
  ),
  ...Object.keys(settingSchemas),
);

const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, 0, -1, 1.5, "", "a", "*", "words", "rest", "userProvided", "2030-01-01"),
    fc.string(),
    fc.double(),
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(knownKeys, fc.string()), tie("json"), { maxKeys: 4 }),
  ),
}));

function onlyApiErrors(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof ApiError, `${(error as Error).stack}`);
  }
}

for (const [name, parse] of Object.entries(bodies)) {
  test(`any JSON is accepted or refused in good order: ${name}`, () => {
    fc.assert(
      fc.property(json, (body) => onlyApiErrors(() => parse(JSON.parse(JSON.stringify(body) ?? "null")))),
      { numRuns: 150 },
    );
  });
}

test("any JSON is accepted or refused in good order: each setting, and what is accepted applies", () => {
  fc.assert(
    fc.property(fc.constantFrom(...SETTING_ROUTES), json, ({ name }, body) =>
      onlyApiErrors(() => {
        const update = parseSetting(name, JSON.parse(JSON.stringify(body) ?? "null"), every);
        const next = applySettingsUpdate(defaultSettings(), update);
        assert.deepEqual(Object.keys(next), Object.keys(defaultSettings()));
      }),
    ),
    { numRuns: 500 },
  );
});

for (const [name, parse] of Object.entries(queries)) {
  test(`any query string is accepted or refused in good order: ${name}`, () => {
    const pair = fc.tuple(
      fc.oneof(knownKeys, fc.constantFrom("uids", "statuses", "afterEnqueuedAt"), fc.string()),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 4 }), fc.boolean(), (pairs, encoded) => {
        const write = (part: string) => (encoded ? new URLSearchParams({ x: part }).toString().slice(2) : part);
        onlyApiErrors(() => parse(pairs.map((parts) => parts.map(write).join("=")).join("&")));
      }),
      { numRuns: 150 },
    );
  });
}
