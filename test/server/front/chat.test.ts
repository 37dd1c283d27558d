import assert from "node:assert/strict";
import test from "node:test";
import type { JsonObject } from "../../../src/base/json/value.ts";
import { eventData } from "../../../src/server/front/chat/events.ts";
import { addressOf, instructingRole } from "../../../src/server/front/chat/provider.ts";

test("each source is addressed in its own way", () => {
  assert.equal(addressOf({ source: "openAi" }, {}).url, "https://api.openai.com/v1/chat/completions");
  assert.equal(addressOf({ source: "mistral", apiKey: "k" }, {}).url, "https://api.mistral.ai/v1/chat/completions");
  const own = addressOf(
    { source: "openAi", baseUrl: "http://models/v2/", apiKey: "k", orgId: "o", projectId: "p" },
    {},
  );
  assert.equal(own.url, "http://models/v2/chat/completions");
  assert.equal(own.headers["authorization"], "Bearer k");
  assert.equal(own.headers["openai-organization"], "o");
  assert.equal(own.headers["openai-project"], "p");
  const azure = { source: "azureOpenAi", baseUrl: "https://a", apiKey: "k", deploymentId: "d 1", apiVersion: "2" };
  const { url, headers } = addressOf(azure, {});
  assert.equal(url, "https://a/openai/deployments/d%201/chat/completions?api-version=2");
  assert.equal(headers["api-key"], "k");
  assert.equal(headers["authorization"], undefined);
});

test("a workspace without a key uses that of the environment, which goes to the provider and where the operator says", () => {
  const key = (settings: JsonObject, env: Record<string, string>) => {
    const { headers } = addressOf(settings, env);
    return headers["authorization"] ?? headers["api-key"] ?? null;
  };
  assert.equal(key({ source: "openAi" }, { MEILI_OPENAI_API_KEY: "a", OPENAI_API_KEY: "b" }), "Bearer a");
  assert.equal(key({}, { MEILI_OPENAI_API_KEY: "", OPENAI_API_KEY: "b" }), "Bearer b");
  assert.equal(key({ source: "openAi", apiKey: "own" }, { OPENAI_API_KEY: "b" }), "Bearer own");
  assert.equal(key({ source: "mistral" }, { OPENAI_API_KEY: "b", MISTRAL_API_KEY: "m" }), "Bearer m");
  assert.equal(key({ source: "mistral" }, { OPENAI_API_KEY: "b" }), null);
  const elsewhere = { source: "openAi", baseUrl: "https://gateway.example/v1" };
  assert.equal(key(elsewhere, { OPENAI_API_KEY: "b" }), null);
  assert.equal(
    key(elsewhere, { OPENAI_API_KEY: "b", MEILI_OPENAI_KEY_ORIGINS: "https://gateway.example" }),
    "Bearer b",
  );
  const azure = { source: "azureOpenAi", baseUrl: "https://mine.azure.example", deploymentId: "d", apiVersion: "2" };
  const origins = { MEILI_AZURE_OPENAI_KEY_ORIGINS: "https://mine.azure.example/" };
  assert.equal(key(azure, { AZURE_OPENAI_API_KEY: "z" }), null);
  assert.equal(key(azure, { AZURE_OPENAI_API_KEY: "z", ...origins }), "z");
  const vLlm = { source: "vLlm", baseUrl: "http://models:8000/v1" };
  assert.equal(key(vLlm, { MEILI_VLLM_API_KEY: "v" }), null);
  assert.equal(key(vLlm, { MEILI_VLLM_API_KEY: "v", MEILI_VLLM_KEY_ORIGINS: "x,http://models:8000" }), "Bearer v");
});

test("only newer models of two sources are instructed by a developer", () => {
  for (const model of [
    "gpt-4o",
    "gpt-4o-mini",
    "gpt-4",
    "gpt-4-turbo",
    "gpt-4.1-nano",
    "gpt-3.5-turbo",
    "chatgpt-4o-latest",
  ]) {
    assert.equal(instructingRole({ source: "openAi" }, model), "system", model);
  }
  for (const model of ["o3", "gpt-5", "gpt-40"]) {
    assert.equal(instructingRole({ source: "openAi" }, model), "developer", model);
    assert.equal(instructingRole({ source: "azureOpenAi" }, model), "developer", model);
    assert.equal(instructingRole({ source: "mistral" }, model), "system", model);
  }
});

test("events are read however their bytes are cut", async () => {
  const text = 'retry: 5\r\n\r\n: hush\n\ndata: {"a":"é"}\r\n\r\ndata:one\ndata: two\n\nevent: x\ndata: last';
  const bytes = Buffer.from(text);
  for (let size = 1; size <= bytes.length; size++) {
    async function* crumbs(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const read: string[] = [];
    for await (const data of eventData(crumbs())) read.push(data);
    assert.deepEqual(read, ['{"a":"é"}', "one\ntwo", "last"], `in pieces of ${size}`);
  }
});
