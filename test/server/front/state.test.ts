import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { tooManySearches } from "../../../src/base/errors/errors.ts";
import { FeatureFlags } from "../../../src/server/front/state/features.ts";
import { until, within } from "../../lib/patience.ts";
import { type Api, indexNamed, startApi } from "./services.ts";
import { forEachTransport } from "./transports.ts";

forEachTransport((transport) => {
  let api: Api;
  before(async () => {
    api = await startApi(transport, "a master key of some length");
    api.indexes.set("movies", indexNamed("movies"));
  });
  after(() => api.stop());

  const master = { authorization: "Bearer a master key of some length" };
  const call = (method: string, path: string, body?: unknown): ReturnType<Api["call"]> =>
    api.call(method, path, body, master);

  test("keys: created, shown, changed, deleted; their value opens what they may do", async () => {
    const created = await call("POST", "/keys", { actions: ["indexes.get"], indexes: ["movies"], expiresAt: null });
    assert.equal(created.status, 201);
    const { key, uid } = created.body;
    const withKey = { authorization: `Bearer ${key}` };
    assert.equal((await api.call("GET", "/indexes/movies", undefined, withKey)).status, 200);
    assert.equal((await api.call("GET", "/indexes/books", undefined, withKey)).status, 403);
    assert.equal((await api.call("GET", "/version", undefined, withKey)).status, 403);
    assert.equal((await api.call("GET", "/indexes/movies")).status, 401);
    assert.equal((await call("PATCH", `/keys/${uid}`, { name: "n" })).body.name, "n");
    assert.equal((await call("GET", `/keys/${key}`)).body.uid, uid);
    assert.equal((await call("GET", "/keys")).body.total, 5);
    assert.equal((await call("DELETE", `/keys/${uid}`)).status, 204);
    assert.equal((await call("GET", `/keys/${uid}`)).body.code, "api_key_not_found");
  });

  test("features: changed in part, kept by the store", async () => {
    assert.equal((await call("PATCH", "/experimental-features", { network: true, metrics: true })).body.network, true);
    assert.equal((await call("PATCH", "/experimental-features", { network: null })).body.network, true);
    assert.equal(api.store.features.get("network"), true);
    assert.equal((await call("PATCH", "/experimental-features", { nonsense: true })).body.code, "bad_request");
  });

  test("features: what the command line turns on at start can be turned off until the next start", async () => {
    const start = () => new FeatureFlags(api.store, {}, { logsRoute: true });
    const flags = start();
    assert.equal(flags.current.logsRoute, true);
    assert.equal((await flags.update({ logsRoute: false })).logsRoute, false);
    assert.equal((await flags.update({ multimodal: true })).logsRoute, false);
    assert.equal(start().current.logsRoute, true);
  });

  test("network: merged by name, a new version each time, no leader", async () => {
    const first = (await call("PATCH", "/network", { self: "me", remotes: { b: { url: "http://b" } } })).body;
    const second = (await call("PATCH", "/network", { remotes: { a: { url: "http://a", searchApiKey: "k" } } })).body;
    assert.deepEqual(Object.keys(second.remotes), ["a", "b"]);
    assert.deepEqual(second.remotes.a, { url: "http://a", searchApiKey: "k", writeApiKey: null, status: "available" });
    assert.notEqual(first.version, second.version);
    assert.equal((await call("PATCH", "/network", { remotes: { c: {} } })).body.code, "missing_network_url");
    // The interface: "null url / unparsable → `invalid_network_url`", and of its error codes "unknown remote in a shard, incompatible …".
    for (const url of [null, "", "b", "ftp://b", 1]) {
      const refused = await call("PATCH", "/network", { remotes: { a: { url } } });
      assert.equal(refused.body.code, "invalid_network_url", String(url));
    }
    assert.equal(
      (await call("PATCH", "/network", { remotes: { a: { key: "k" } } })).body.code,
      "invalid_network_remotes",
    );
    assert.equal((await call("PATCH", "/network", { other: 1 })).body.code, "bad_request");
    for (const shard of [{ remotes: ["z"] }, { addRemotes: ["z"] }, { remotes: ["a"], addRemotes: ["b"] }]) {
      const refused = await call("PATCH", "/network", { shards: { one: shard } });
      assert.equal(refused.body.code, "invalid_network_shards", JSON.stringify(shard));
    }
    const sharded = await call("PATCH", "/network", { shards: { one: { remotes: ["a", "b"] } } });
    assert.deepEqual(sharded.body.shards, { one: { remotes: ["a", "b"] } });
    const leader = await call("PATCH", "/network", { leader: "me" });
    assert.deepEqual([leader.status, leader.body.code], [451, "requires_enterprise_edition"]);
    assert.deepEqual((await call("PATCH", "/network", { remotes: null })).body.remotes, {});
  });

  test("network: so many remotes and shards, however they come", async () => {
    const named = (prefix: string, count: number, value: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, value]));
    const none = { remotes: null, shards: null, self: null };
    assert.equal((await call("PATCH", "/network", none)).status, 200);
    const remotes = named("r", 256, { url: "http://r" });
    const { version } = (await call("PATCH", "/network", { remotes, shards: named("s", 256, { remotes: ["r0"] }) }))
      .body;
    const beyond = await call("PATCH", "/network", { remotes: { more: { url: "http://r" } } });
    assert.deepEqual([beyond.status, beyond.body.code], [400, "invalid_network_remotes"]);
    const divided = await call("PATCH", "/network", { shards: { more: { remotes: ["r0"] } } });
    assert.deepEqual([divided.status, divided.body.code], [400, "invalid_network_shards"]);
    assert.equal((await call("GET", "/network")).body.version, version);
    const searchApiKey = "k".repeat(50_000);
    const withKeys = (count: number) => call("PATCH", "/network", { remotes: { [`r${count}`]: { searchApiKey } } });
    let kept = 0;
    let answer = await withKeys(kept);
    while (answer.status === 200 && kept < 10) answer = await withKeys(++kept);
    assert.ok(kept >= 3, `${kept} long keys`);
    assert.deepEqual([answer.status, answer.body.code], [400, "invalid_network_remotes"]);
    assert.equal((await call("PATCH", "/network", none)).status, 200);
  });

  test("webhooks: secrets are not shown, headers merge, the number is bounded", async () => {
    const created = (
      await call("POST", "/webhooks", { url: "http://x/y", headers: { Authorization: "Bearer secret" } })
    ).body;
    assert.equal(created.headers.Authorization, "Bearer XXX...");
    const path = `/webhooks/${created.uuid}`;
    const changed = (await call("PATCH", path, { headers: { Authorization: null, other: "x" } })).body;
    assert.deepEqual(changed.headers, { other: "x" });
    const long = { first: "x".repeat(40_000) };
    assert.deepEqual((await call("PATCH", path, { headers: long })).body.headers, { other: "x", ...long });
    const longer = await call("PATCH", path, { headers: { second: long.first } });
    assert.deepEqual([longer.status, longer.body.code], [400, "invalid_webhook_headers"]);
    assert.deepEqual((await call("PATCH", path, { headers: { first: null } })).body, changed);
    assert.deepEqual((await call("GET", "/webhooks")).body.results, [changed]);
    assert.equal((await call("DELETE", path)).status, 204);
    assert.equal((await call("GET", path)).body.code, "webhook_not_found");
    const reserved = "/webhooks/00000000-0000-0000-0000-000000000000";
    assert.equal((await call("GET", reserved)).body.code, "webhook_not_found");
    assert.equal((await call("DELETE", reserved)).body.code, "immutable_webhook");
    for (let i = 0; i < 20; i++) assert.equal((await call("POST", "/webhooks", { url: "http://x" })).status, 201);
    assert.equal((await call("POST", "/webhooks", { url: "http://x" })).body.code, "invalid_webhooks");
  });

  test("chat workspaces: created by their settings, reset, deleted; keys are not shown", async () => {
    assert.equal((await call("GET", "/chats")).body.code, "feature_not_enabled");
    await call("PATCH", "/experimental-features", { chatCompletions: true });
    assert.equal((await call("GET", "/chats/x/settings")).body.code, "chat_not_found");
    const made = (await call("PATCH", "/chats/x/settings", { apiKey: "sk-1234567890", prompts: { system: "Be kind" } }))
      .body;
    assert.deepEqual([made.source, made.apiKey, made.prompts.system], ["openAi", "skXXXX...", "Be kind"]);
    assert.equal((await call("PATCH", "/chats/x/settings", { source: "vLlm" })).body.code, "bad_request");
    assert.deepEqual((await call("GET", "/chats")).body.results, [{ uid: "x" }]);
    assert.notEqual((await call("DELETE", "/chats/x/settings")).body.prompts.system, "Be kind");
    assert.equal((await call("DELETE", "/chats/x")).status, 204);
  });

  test("search rules: listed newest first, found by word and state", async () => {
    await call("PATCH", "/experimental-features", { dynamicSearchRules: true });
    await api.store.write(() => {
      for (const [uid, active, at] of [
        ["promo-a", true, "2024-01-01T00:00:00.1Z"],
        ["promo-b", false, "2024-01-01T00:00:00Z"],
      ] as const) {
        api.store.rules.put(uid, { uid, lastUpdatedAt: at, active, conditions: {}, actions: [] });
      }
    });
    const uids = async (filter?: unknown): Promise<string[]> =>
      (await call("POST", "/dynamic-search-rules", { filter: filter ?? null })).body.results.map(
        (rule: { uid: string }) => rule.uid,
      );
    assert.deepEqual(await uids(), ["promo-a", "promo-b"]);
    assert.deepEqual(await uids({ active: false }), ["promo-b"]);
    assert.deepEqual(await uids({ query: "pro b" }), ["promo-b"]);
    assert.equal((await call("GET", "/dynamic-search-rules/nope")).body.code, "dynamic_search_rule_not_found");
    assert.equal((await call("DELETE", "/dynamic-search-rules/nope")).body.type, "dsrUpdate");
    assert.equal((await call("DELETE", "/dynamic-search-rules")).body.type, "dsrClear");
  });

  test("templates are rendered with a stored or a given document", async () => {
    await call("PATCH", "/experimental-features", { renderRoute: true });
    const template = { kind: "inlineDocumentTemplate", inline: "A {{ doc.title }}" };
    const given = await call("POST", "/render-template", {
      template,
      input: { kind: "inlineDocument", inline: { title: "book" } },
    });
    assert.deepEqual(given.body, { template: "A {{ doc.title }}", rendered: "A book" });
    const stored = await call("POST", "/render-template", {
      template: { ...template, documentTemplateMaxBytes: 4 },
      input: { kind: "indexDocument", indexUid: "movies", id: "7" },
    });
    assert.equal(stored.body.rendered, "A se");
    const code = async (
      inline: string,
      input: object | null = { kind: "inlineDocument", inline: {} },
    ): Promise<string> =>
      (await call("POST", "/render-template", { template: { kind: "inlineDocumentTemplate", inline }, input })).body
        .code;
    const missing = { kind: "indexDocument", indexUid: "movies", id: "none" };
    for (const wrong of ["{% if %", "{{", "{% nope %}", "{{ doc.title | nope }}"]) {
      for (const input of [undefined, null, missing]) assert.equal(await code(wrong, input), "template_parsing_error");
    }
    assert.equal(await code("by {{ doc.author }}"), "template_rendering_error");
    assert.equal(await code("{% if doc.author %}by {{ doc.author }}{% endif %}"), undefined);
    assert.equal(await code("{% for i in (1..100000000) %}x{% endfor %}"), "template_rendering_error");
    assert.equal(await code("{% include '/etc/passwd' %}"), "template_rendering_error");
  });

  test("logs: one listener at a time, ended by another request", async () => {
    assert.equal((await call("POST", "/logs/stream", {})).body.code, "feature_not_enabled");
    await call("PATCH", "/experimental-features", { logsRoute: true });
    const headers = { ...master, "content-type": "application/json" };
    const open = (): Promise<Response> =>
      fetch(`${api.base}/logs/stream`, { method: "POST", headers, body: '{"target":"debug","mode":"json"}' });
    const stream = await open();
    assert.equal((await call("POST", "/logs/stream", {})).body.code, "bad_request");
    await call("GET", "/health");
    const reader = stream.body!.getReader();
    let text = "";
    await until(
      async () => {
        text += Buffer.from((await within(reader.read(), () => `a line of the log after ${text}`)).value!).toString();
        return text.includes('"path":"/health"');
      },
      () => `the request is logged: ${text}`,
    );
    assert.equal((await call("DELETE", "/logs/stream")).status, 204);
    await until(
      async () => (await within(reader.read(), () => "the end of the log")).done,
      () => "the log ends",
    );
    const again = await open();
    await again.body?.cancel();
    assert.equal((await call("POST", "/logs/stderr", { target: "off" })).status, 204);
  });

  test("metrics: requests by route, tasks, sizes", async () => {
    const { body, headers } = await call("GET", "/metrics");
    assert.match(headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
    assert.match(
      body,
      /meilisearch_http_requests_total\{method="GET",path="\/indexes\/\{index_uid\}",status="200"\} \d/,
    );
    assert.match(body, /meilisearch_http_response_time_seconds_bucket\{method="GET",path="\/health",le="\+Inf"\} \d/);
    assert.match(body, /meilisearch_index_docs_count\{index="movies"\} 2/);
    assert.match(body, /meilisearch_nb_tasks\{kind="statuses",value="enqueued"\} \d/);
  });

  test("metrics are told also when readers take no more requests", async (t) => {
    t.mock.method(api.services.readers, "request", async () => {
      throw tooManySearches(10);
    });
    const { status, body } = await call("GET", "/metrics");
    assert.equal(status, 200);
    assert.match(body, /meilisearch_index_docs_count\{index="movies"\} 2/);
  });
});
