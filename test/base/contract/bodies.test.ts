import assert from "node:assert/strict";
import { test } from "node:test";
import { checkChatWorkspace, parseChatWorkspace } from "../../../src/base/contract/chats.ts";
import * as documents from "../../../src/base/contract/documents.ts";
import { defaultFeatures, requireFeature } from "../../../src/base/contract/features.ts";
import * as indexes from "../../../src/base/contract/indexes.ts";
import * as instance from "../../../src/base/contract/instance.ts";
import * as keys from "../../../src/base/contract/keys.ts";
import { insideQuery, parseMultiSearch } from "../../../src/base/contract/multi-search.ts";
import { parseIndexUid } from "../../../src/base/contract/names.ts";
import { parseNetwork } from "../../../src/base/contract/network.ts";
import { parseRender } from "../../../src/base/contract/render.ts";
import { checkSearchKind, parseFacetSearch, parseSearch } from "../../../src/base/contract/search.ts";
import { parseSearchRule, parseSearchRuleList } from "../../../src/base/contract/search-rules.ts";
import { parseSimilar } from "../../../src/base/contract/similar.ts";
import { parseCreateWebhook, parsePatchWebhook, parseWebhookUuid } from "../../../src/base/contract/webhooks.ts";
import type { ErrorCode } from "../../../src/base/errors/errors.ts";
import { indexNotFound } from "../../../src/base/errors/errors.ts";
import { refusal } from "./refusal.ts";

const key = { actions: ["search"], indexes: ["*"], expiresAt: null };
const pin = { selector: { id: "1" }, action: { type: "pin", position: 0 } };
const multi = (body: unknown) => parseMultiSearch(body, defaultFeatures());
const federated = (query: unknown) => multi({ federation: {}, queries: [{ indexUid: "a", ...(query as object) }] });

const accepted: [(body: unknown) => unknown, unknown, unknown][] = [
  [indexes.parseCreateIndex, { uid: "a-B_1" }, { uid: "a-B_1", primaryKey: null }],
  [indexes.parseUpdateIndex, { primaryKey: "id" }, { primaryKey: "id", newIndexUid: null }],
  [indexes.parseUpdateIndex, { uid: "b" }, { primaryKey: null, newIndexUid: "b" }],
  [indexes.parseSwapIndexes, [], []],
  [indexes.parseSwapIndexes, [{ indexes: ["a", "b"] }], [{ indexes: ["a", "b"], rename: false }]],
  [indexes.parseIndexFields, {}, { offset: 0, limit: 20, filter: null }],
  [documents.parseDeleteByFilter, { filter: ["a = 1", ["b = 2"]] }, { filter: ["a = 1", ["b = 2"]] }],
  [documents.parseDeleteBatch, [1, "b", { c: 1 }], ["1", "b", '{"c":1}']],
  [documents.parseEditDocuments, { function: "doc.a = 1" }, { function: "doc.a = 1", filter: null, context: null }],
  [keys.parsePatchKey, { name: null }, { name: null }],
  [instance.parseFeatures, { metrics: true, network: null }, { metrics: true }],
  [instance.parseLogStream, {}, { target: "info", mode: "human", profileMemory: false }],
  [
    instance.parseExport,
    { url: "http://x", payloadSize: "24MiB" },
    {
      url: "http://x",
      apiKey: null,
      payloadSize: 25165824,
      indexes: { "*": { filter: null, overrideSettings: false } },
    },
  ],
  [
    parseCreateWebhook,
    { url: "http://x/h", headers: { a: "b", c: null } },
    { url: "http://x/h", headers: { a: "b", c: null } },
  ],
  [parsePatchWebhook, { headers: null }, { headers: null }],
  [parseNetwork, { remotes: { a: null, b: { url: "http://x" } } }, { remotes: { a: null, b: { url: "http://x" } } }],
  [parseSearchRule, { active: false, actions: [pin] }, { active: false, actions: [pin] }],
  [parseSearchRuleList, { filter: { active: true } }, { offset: 0, limit: 20, filter: { query: null, active: true } }],
  [
    parseRender,
    { template: { kind: "inlineDocumentTemplate", inline: "x" } },
    { template: { kind: "inlineDocumentTemplate", inline: "x" }, input: null },
  ],
  [
    parseRender,
    {
      template: { kind: "inlineDocumentTemplate", inline: "x", indexUid: null, documentTemplateMaxBytes: null },
      input: { kind: "indexDocument", indexUid: "a", id: "1", inline: null },
    },
    {
      template: { kind: "inlineDocumentTemplate", inline: "x" },
      input: { kind: "indexDocument", indexUid: "a", id: "1" },
    },
  ],
  [
    parseRender,
    {
      template: { kind: "inlineFragment", inline: "x" },
      input: { kind: "inlineSearch", inline: { q: "sea", media: { a: 1 }, limit: 3 } },
    },
    {
      template: { kind: "inlineFragment", inline: "x" },
      input: { kind: "inlineSearch", inline: { q: "sea", media: { a: 1 } } },
    },
  ],
  [parseChatWorkspace, { source: "vLlm", prompts: { system: null } }, { source: "vLlm", prompts: { system: null } }],
];

for (const [parse, body, expected] of accepted) {
  test(`accepts ${JSON.stringify(body)}`, () => assert.deepEqual(parse(body), expected));
}

const refused: [(body: unknown) => unknown, unknown, ErrorCode][] = [
  [indexes.parseCreateIndex, { primaryKey: "a" }, "missing_index_uid"],
  [indexes.parseCreateIndex, { uid: "the good" }, "invalid_index_uid"],
  [indexes.parseCreateIndex, { uid: "a".repeat(401) }, "invalid_index_uid"],
  [indexes.parseCreateIndex, { uid: "a", primaryKey: 1 }, "invalid_index_primary_key"],
  [indexes.parseUpdateIndex, { createdAt: "x" }, "immutable_index_created_at"],
  [indexes.parseUpdateIndex, { doggo: 1 }, "bad_request"],
  [indexes.parseSwapIndexes, { indexes: [] }, "bad_request"],
  [indexes.parseSwapIndexes, [{}], "missing_swap_indexes"],
  [indexes.parseSwapIndexes, [{ indexes: ["a"] }], "invalid_swap_indexes"],
  [indexes.parseSwapIndexes, [{ indexes: ["a", "b"] }, { indexes: ["b", "c"] }], "invalid_swap_duplicate_index_found"],
  [indexes.parseSwapIndexes, [{ indexes: ["a", "b"], rename: 1 }], "invalid_swap_rename"],
  [indexes.parseIndexFields, { filter: { sortable: 1 } }, "invalid_index_fields_filter_sortable"],
  [indexes.parseIndexFields, { filter: { x: 1 } }, "invalid_index_fields_filter"],
  [documents.parseDocumentsFetch, null, "bad_request"],
  [documents.parseDocumentsFetch, { ids: ["1", "a/b"] }, "invalid_document_ids"],
  [documents.parseDocumentsFetch, { filter: true }, "invalid_document_filter"],
  [documents.parseDeleteByFilter, {}, "bad_request"],
  [documents.parseDeleteByFilter, { filter: null }, "invalid_document_filter"],
  [documents.parseDeleteByFilter, { filter: " " }, "invalid_document_filter"],
  [documents.parseDeleteByFilter, { filter: [] }, "invalid_document_filter"],
  [documents.parseDeleteBatch, "doggo", "bad_request"],
  [documents.parseEditDocuments, {}, "missing_document_edition_function"],
  [documents.parseEditDocuments, { function: 1 }, "invalid_document_edition_function_filter"],
  [documents.parseEditDocuments, { function: "x", context: "x" }, "invalid_document_edition_context"],
  [keys.parseCreateKey, { name: ["x"] }, "invalid_api_key_name"],
  [keys.parseCreateKey, { indexes: ["a"], expiresAt: null }, "missing_api_key_actions"],
  [keys.parseCreateKey, { actions: [], expiresAt: null }, "missing_api_key_indexes"],
  [keys.parseCreateKey, { actions: [], indexes: [] }, "missing_api_key_expires_at"],
  [keys.parseCreateKey, { ...key, actions: ["doggo"] }, "invalid_api_key_actions"],
  [keys.parseCreateKey, { ...key, indexes: ["a b"] }, "invalid_api_key_indexes"],
  [keys.parseCreateKey, { ...key, expiresAt: "2010-01-01" }, "invalid_api_key_expires_at"],
  [keys.parseCreateKey, { ...key, expiresAt: "soon" }, "invalid_api_key_expires_at"],
  [keys.parseCreateKey, { ...key, uid: "x" }, "invalid_api_key_uid"],
  [keys.parseCreateKey, { ...key, indexes: ["a*"], actions: ["version"] }, "index_scoped_api_key_with_global_action"],
  [keys.parsePatchKey, { expiresAt: null }, "immutable_api_key_expires_at"],
  [keys.parsePatchKey, { key: "x" }, "bad_request"],
  [instance.parseFeatures, { metrics: 1 }, "bad_request"],
  [instance.parseFeatures, { vectorStore: true }, "bad_request"],
  [instance.parseLogStream, { target: "==" }, "bad_request"],
  [instance.parseLogStream, { profileMemory: true }, "invalid_settings_typo_tolerance"],
  [instance.parseExport, { payloadSize: "much" }, "invalid_export_payload_size"],
  [instance.parseExport, { payloadSize: "1 constructor" }, "invalid_export_payload_size"],
  [instance.parseExport, { indexes: { "*": { filter: 1 } } }, "invalid_export_index_filter"],
  [parseCreateWebhook, { headers: {} }, "invalid_webhook_url"],
  [parseCreateWebhook, { url: "not a url" }, "invalid_webhook_url"],
  [parseCreateWebhook, { url: "http://x", headers: { "a b": "c" } }, "invalid_webhook_headers"],
  [parseCreateWebhook, { url: "http://x", headers: { a: "b\nc" } }, "invalid_webhook_headers"],
  [parseCreateWebhook, { url: `http://x/${"y".repeat(8192)}` }, "invalid_webhook_url"],
  [parsePatchWebhook, { url: null }, "invalid_webhook_url"],
  [parsePatchWebhook, { uuid: "x" }, "immutable_webhook_uuid"],
  [parsePatchWebhook, { isEditable: true }, "immutable_webhook_is_editable"],
  [parseNetwork, { remotes: { a: { url: `http://x/${"y".repeat(8192)}` } } }, "invalid_network_url"],
  [instance.parseLogLevel, { target: Array(101).fill("info").join(",") }, "bad_request"],
  [parseNetwork, { remotes: { a: { url: null } } }, "invalid_network_url"],
  [parseNetwork, { remotes: { a: { x: 1 } } }, "invalid_network_remotes"],
  [parseNetwork, { self: 1 }, "invalid_network_self"],
  [parseNetwork, { x: 1 }, "bad_request"],
  [
    parseSearchRule,
    { actions: [{ ...pin, action: { type: "x", position: 0 } }] },
    "invalid_dynamic_search_rule_actions",
  ],
  // The interface: "`isEmpty:true` with `words` → `invalid_dynamic_search_rule_conditions`"
  [parseSearchRule, { conditions: { query: { isEmpty: true, words: "a" } } }, "invalid_dynamic_search_rule_conditions"],
  [
    parseSearchRule,
    { conditions: { time: { start: "2025-01-02T00:00:00Z", end: "2025-01-01T00:00:00Z" } } },
    "invalid_dynamic_search_rule_conditions",
  ],
  [parseSearchRule, { unknownField: 1 }, "bad_request"],
  [parseRender, {}, "bad_request"],
  [parseRender, { template: {} }, "invalid_render_template"],
  [parseRender, { template: { kind: "documentTemplate", indexUid: "a" } }, "invalid_render_template"],
  [
    parseRender,
    { template: { kind: "inlineFragment", inline: "" }, input: { kind: "inlineSearch", inline: { q: 7 } } },
    "invalid_render_input",
  ],
  [parseRender, { template: { kind: "inlineDocumentTemplate", inline: {} } }, "invalid_render_template"],
  [parseRender, { template: { kind: "inlineFragment", inline: null } }, "invalid_render_template"],
  [parseRender, { template: { kind: "chatDocumentTemplate", indexUid: null } }, "invalid_render_template"],
  [
    parseRender,
    { template: { kind: "inlineDocumentTemplate", inline: "" }, input: { kind: "inlineDocument", inline: null } },
    "invalid_render_input",
  ],
  [parseChatWorkspace, { orgId: 1 }, "invalid_chat_completion_org_id"],
  [(body) => checkChatWorkspace(parseChatWorkspace(body)), { source: "vLlm" }, "bad_request"],
  [parseSearch, { hybrid: {} }, "invalid_search_hybrid_query"],
  [parseSearch, { hybrid: { embedder: 1 } }, "invalid_search_embedder"],
  [parseSearch, { hybrid: { embedder: "a", semanticRatio: 2 } }, "invalid_search_semantic_ratio"],
  [parseSearch, { rankingScoreThreshold: 42 }, "invalid_search_ranking_score_threshold"],
  [parseSearch, { limit: null }, "invalid_search_limit"],
  [parseSearch, { locales: ["invalid"] }, "invalid_search_locales"],
  [(body) => checkSearchKind(parseSearch(body)), { vector: [1] }, "missing_search_hybrid"],
  [parseFacetSearch, {}, "missing_facet_search_facet_name"],
  [parseSimilar, { embedder: "a" }, "bad_request"],
  [parseSimilar, { id: ["x"], embedder: "a" }, "invalid_similar_id"],
  [multi, {}, "bad_request"],
  [multi, { queries: [], federation: { distinct: 1 } }, "invalid_search_distinct"],
  [multi, { queries: [], federation: { facetsByIndex: { "a b": [] } } }, "invalid_multi_search_facets_by_index"],
  [multi, { queries: [{ q: "a" }] }, "missing_index_uid"],
  [multi, { queries: [{ indexUid: "a", federationOptions: {} }] }, "invalid_multi_search_federation_options"],
  [federated, { limit: 1 }, "invalid_multi_search_query_pagination"],
  [federated, { facets: ["a"] }, "invalid_multi_search_query_facets"],
  [federated, { personalize: { userContext: "x" } }, "invalid_multi_search_query_personalization"],
  [federated, { showPerformanceDetails: true }, "invalid_multi_search_query_show_performance_details"],
  [federated, { federationOptions: [] }, "bad_request"],
  [federated, { federationOptions: { wieght: 1 } }, "bad_request"],
  [federated, { federationOptions: { weight: -1 } }, "invalid_multi_search_weight"],
  [federated, { federationOptions: { queryPosition: 1 } }, "feature_not_enabled"],
];

for (const [parse, body, code] of refused) {
  test(`refuses ${JSON.stringify(body)?.slice(0, 90)} with ${code}`, () => {
    assert.equal(refusal(() => parse(body)).code, code);
  });
}

test("a key that expires is read in every form the interface takes", () => {
  const midnight = Date.UTC(2050, 10, 13) * 1000;
  for (const expiresAt of ["2050-11-13", "2050-11-13T00:00:00", "2050-11-13 00:00:00", "2050-11-13T02:00:00+02:00"]) {
    assert.equal(keys.parseCreateKey({ ...key, expiresAt }).expiresAt, midnight);
  }
});

test("a search body gets all its defaults; null markers insert nothing", () => {
  const query = parseSearch({ q: null, cropMarker: null, highlightPreTag: null });
  assert.deepEqual([query.cropMarker, query.highlightPreTag, query.highlightPostTag], ["", "", "</em>"]);
  assert.deepEqual([query.limit, query.offset, query.matchingStrategy, query.hybrid], [20, 0, "last", null]);
  assert.deepEqual(parseSearch({ hybrid: { embedder: "a" } }).hybrid, { embedder: "a", semanticRatio: 0.5 });
});

test("facet search passes over what only a search understands", () => {
  assert.equal(parseFacetSearch({ facetName: "a", hitsPerPage: "x" }).facetName, "a");
});

test("a refusal inside a multi-search says where, and a missing index is a wrong body", () => {
  const error = refusal(() =>
    insideQuery(2, () => {
      throw indexNotFound("a");
    }),
  );
  assert.equal(error.status, 400);
  assert.equal(error.code, "index_not_found");
  assert.match(error.message, /^Inside `\.queries\[2\]`: /);
  assert.match(refusal(() => federated({ limit: 1 })).message, /^Inside `\.queries\[0\]`: /);
});

test("paths: index uids and webhook uuids", () => {
  assert.equal(parseIndexUid("a"), "a");
  assert.equal(refusal(() => parseIndexUid("a b")).code, "invalid_index_uid");
  assert.equal(parseWebhookUuid("9F0EE5BB49F54C3D9BFB60B106BCD78B"), "9f0ee5bb-49f5-4c3d-9bfb-60b106bcd78b");
  assert.equal(refusal(() => parseWebhookUuid("x")).code, "invalid_webhook_uuid");
});

test("a feature that is off is named in the refusal", () => {
  const error = refusal(() => requireFeature(defaultFeatures(), "containsFilter", "Using `CONTAINS` in a filter"));
  assert.equal(error.code, "feature_not_enabled");
  assert.match(
    error.message,
    /^Using `CONTAINS` in a filter requires enabling the `contains filter` experimental feature\. See http/,
  );
});
