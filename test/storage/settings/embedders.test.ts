import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultFeatures, type Features } from "../../../src/base/contract/features.ts";
import { parseSettings } from "../../../src/base/contract/settings.ts";
import type { ErrorCode } from "../../../src/base/errors/errors.ts";
import { redactHeader, redactSecret, redactSettings } from "../../../src/base/json/secrets.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import { applySettingsUpdate, defaultSettings } from "../../../src/storage/settings/update.ts";
import { settingView } from "../../../src/storage/settings/view.ts";

import { refusal } from "../../base/contract/refusal.ts";

const features: Features = { ...defaultFeatures(), compositeEmbedders: true, multimodal: true };
const parse = (embedder: object | null, allowed = features) => parseSettings({ embedders: { e: embedder } }, allowed);
const apply = (embedder: object | null, current = defaultSettings()) => applySettingsUpdate(current, parse(embedder));

const rest = { source: "rest", url: "http://x/embed", request: "{{text}}", response: { data: "{{embedding}}" } };
const nested = { source: "openAi", model: "text-embedding-3-small" };

const good: object[] = [
  {},
  { source: "openAi", model: "another-model", dimensions: 12 },
  { source: "openAi", dimensions: 256 },
  { source: "huggingFace", pooling: "forceMean", dimensions: 12 },
  { source: "ollama", model: "m", url: "http://localhost:11434/api/embed" },
  { source: "userProvided", dimensions: 3, distribution: { mean: 0.5, sigma: 0 } },
  { source: "userProvided", dimensions: 3, model: null },
  rest,
  { ...rest, request: { input: ["{{text}}", "{{..}}"] }, response: { data: [{ e: "{{embedding}}" }, "{{..}}"] } },
  { source: "composite", searchEmbedder: nested, indexingEmbedder: { ...nested, documentTemplate: "x" } },
  {
    ...rest,
    dimensions: 3,
    request: "{{fragment}}",
    indexingFragments: { a: { value: "{{ doc.a }}" } },
    searchFragments: { b: { value: { q: "{{ q }}" } } },
  },
];

for (const embedder of good) {
  test(`accepts ${JSON.stringify(embedder)}`, () => assert.ok(apply(embedder).embedders["e"]));
}

const refusedAtOnce: [object, ErrorCode][] = [
  [{ source: "doggo" }, "invalid_settings_embedders"],
  [{ source: "userProvided" }, "invalid_settings_embedders"],
  [{ source: "userProvided", dimensions: 0 }, "invalid_settings_embedders"],
  [{ source: "userProvided", dimensions: 3, model: "m" }, "invalid_settings_embedders"],
  [{ source: "ollama" }, "invalid_settings_embedders"],
  [{ source: "openAi", revision: "x" }, "invalid_settings_embedders"],
  [{ source: "openAi", model: "text-embedding-ada-002", dimensions: 12 }, "invalid_settings_embedders"],
  [{ source: "openAi", model: "text-embedding-3-large", dimensions: 4000 }, "invalid_settings_embedders"],
  [{ source: "rest", url: "http://x" }, "invalid_settings_embedders"],
  [{ url: "no url" }, "invalid_settings_embedders"],
  [{ documentTemplateMaxBytes: 0 }, "invalid_settings_embedders"],
  [{ distribution: { mean: 2, sigma: 0.5 } }, "invalid_settings_embedders"],
  [{ distribution: { mean: 0.5 } }, "invalid_settings_embedders"],
  [{ doggo: 1 }, "invalid_settings_embedders"],
  [{ source: "composite", searchEmbedder: nested }, "invalid_settings_embedders"],
  [
    { source: "composite", searchEmbedder: nested, indexingEmbedder: { source: "userProvided" } },
    "invalid_settings_embedders",
  ],
  [
    {
      source: "composite",
      searchEmbedder: { ...nested, documentTemplate: "x" },
      indexingEmbedder: { ...nested, documentTemplate: "x" },
    },
    "invalid_settings_embedders",
  ],
  // The interface, composite: "`documentTemplate` […] mandatory for indexingEmbedder when applicable to its source"
  [{ source: "composite", searchEmbedder: nested, indexingEmbedder: nested }, "invalid_settings_embedders"],
  [{ ...rest, request: "text" }, "vector_embedding_error"],
  [{ source: "rest", request: "text", response: "text" }, "vector_embedding_error"],
  [{ ...rest, request: ["{{text}}", "{{text}}"] }, "vector_embedding_error"],
  [{ ...rest, request: ["{{..}}", "{{text}}"] }, "vector_embedding_error"],
  [{ ...rest, request: ["{{text}}", "{{..}}"] }, "vector_embedding_error"],
  [{ indexingFragments: { a: { value: 1 } }, documentTemplate: "x" }, "vector_embedding_error"],
];

for (const [embedder, code] of refusedAtOnce) {
  test(`refuses ${JSON.stringify(embedder)}`, () => assert.equal(refusal(() => parse(embedder)).code, code));
}

test("experimental parts need their features", () => {
  const composite = { source: "composite", searchEmbedder: nested, indexingEmbedder: nested };
  assert.equal(refusal(() => parse(composite, defaultFeatures())).code, "feature_not_enabled");
  assert.equal(refusal(() => parse({ searchFragments: {} }, defaultFeatures())).code, "feature_not_enabled");
});

test("fragments on one side only are refused once all of them are known", () => {
  const fragments = { ...rest, dimensions: 3, request: "{{fragment}}" };
  const both = {
    ...fragments,
    indexingFragments: { a: { value: 1 }, b: { value: 2 } },
    searchFragments: { q: { value: 3 } },
  };
  const stored = apply(both);
  for (const embedder of [{ ...fragments, indexingFragments: { a: { value: 1 } } }, fragments]) {
    parse(embedder);
    assert.equal(refusal(() => apply(embedder)).code, "vector_embedding_error");
  }
  const fewer = apply({ ...both, indexingFragments: { a: null } }, stored).embedders["e"]!;
  assert.deepEqual(fewer["indexingFragments"], { b: { value: 2 } });
  assert.equal(
    refusal(() => apply({ indexingFragments: { a: null, b: null } }, stored)).code,
    "vector_embedding_error",
  );
});

test("an update joins the stored embedder by field; null removes a field or the whole", () => {
  const first = apply({ source: "userProvided", dimensions: 3 });
  const second = apply({ binaryQuantized: true }, first);
  assert.deepEqual(second.embedders["e"], { source: "userProvided", dimensions: 3, binaryQuantized: true });
  assert.deepEqual(apply(null, second).embedders, {});
  assert.equal(refusal(() => apply({ dimensions: null }, first)).code, "invalid_settings_embedders");
});

test("quantization cannot be undone", () => {
  const quantized = apply({ source: "userProvided", dimensions: 3, binaryQuantized: true });
  assert.equal(refusal(() => apply({ binaryQuantized: false }, quantized)).code, "invalid_settings_embedders");
});

test("another source forgets what belonged to the first, its key above all", () => {
  const first = apply({ ...rest, apiKey: "secret", documentTemplate: "{{ doc.a }}" });
  assert.deepEqual(apply({ source: "openAi" }, first).embedders["e"], {
    source: "openAi",
    documentTemplate: "{{ doc.a }}",
  });
});

test("some problems are found only when the task runs", () => {
  const late: [object, ErrorCode][] = [
    [{ source: "ollama", model: "m", url: "http://localhost:11434/v1/embeddings" }, "vector_embedding_error"],
    [{ source: "openAi", documentTemplate: "{{ doc.a" }, "invalid_settings_embedders"],
  ];
  for (const [embedder, code] of late) {
    const update = parse(embedder);
    assert.equal(refusal(() => applySettingsUpdate(defaultSettings(), update)).code, code);
  }
});

test("at most 256 embedders", () => {
  const many = Object.fromEntries(
    Array.from({ length: 256 }, (_, i) => [`e${i}`, { source: "userProvided", dimensions: 1 }]),
  );
  const full = applySettingsUpdate(defaultSettings(), parseSettings({ embedders: many }, features));
  assert.equal(
    refusal(() => apply({ source: "userProvided", dimensions: 1 }, full)).code,
    "invalid_settings_embedders",
  );
});

test("the view writes out defaults and hides keys, also inside a composite", () => {
  const view = settingView(
    apply({
      source: "composite",
      searchEmbedder: { ...nested, apiKey: "0123456789" },
      indexingEmbedder: { ...nested, documentTemplate: "x" },
    }),
    "embedders",
  ) as Record<string, Record<string, JsonObject>>;
  assert.equal(view["e"]!["searchEmbedder"]!["apiKey"], "01XXXX...");
  const hosted = (settingView(apply({ apiKey: "k" }), "embedders") as Record<string, JsonObject>)["e"]!;
  assert.deepEqual(Object.keys(hosted), ["source", "model", "apiKey", "documentTemplate", "documentTemplateMaxBytes"]);
  assert.deepEqual(settingView(apply({ source: "userProvided", dimensions: 3 }), "embedders"), {
    e: { source: "userProvided", dimensions: 3 },
  });
});

const HEADERS = { "X-Key": "a secret of some length", Authorization: "Bearer abc", "Content-Type": "text/x" };
const SHOWN = { "X-Key": "a sXXXXX...", Authorization: "Bearer XXX...", "Content-Type": "text/x" };

test("headers are hidden in settings and tasks, but for those that cannot hold a secret", () => {
  const stored = apply({ ...rest, headers: HEADERS });
  const view = settingView(stored, "embedders") as Record<string, JsonObject>;
  assert.deepEqual(view["e"]!["headers"], SHOWN);
  const composite = { source: "composite", searchEmbedder: { ...nested, headers: HEADERS } };
  const { embedders } = redactSettings({ embedders: { e: composite } }) as { embedders: Record<string, JsonObject> };
  assert.deepEqual((embedders["e"]!["searchEmbedder"] as JsonObject)["headers"], SHOWN);
});

test("secrets that come back as they were shown stay what they are", () => {
  const stored = apply({ ...rest, apiKey: "0123456789", headers: HEADERS });
  const shown = (settingView(stored, "embedders") as Record<string, JsonObject>)["e"]!;
  assert.deepEqual(apply(shown, stored).embedders["e"], {
    ...stored.embedders["e"],
    documentTemplate: shown["documentTemplate"],
    documentTemplateMaxBytes: 400,
  });
  const replaced = apply({ apiKey: "01XXXX", headers: { "X-Key": "another" } }, stored).embedders["e"]!;
  assert.deepEqual([replaced["apiKey"], replaced["headers"]], ["01XXXX", { "X-Key": "another" }]);
});

test("secrets are cut by their length", () => {
  assert.deepEqual(
    [5, 10, 20, 30].map((length) => redactSecret("abcdefghij".repeat(3).slice(0, length))),
    ["XXX...", "abXXXX...", "abcXXXXX...", "abcdeXXXXXX..."],
  );
  assert.equal(redactHeader("Bearer abc"), "Bearer XXX...");
});
