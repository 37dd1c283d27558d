import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiDocument } from "../../../src/base/contract/openapi.ts";
import { ROUTES } from "../../../src/base/contract/routes.ts";
import { SETTING_ROUTES } from "../../../src/base/contract/settings.ts";
import { defaultSettings } from "../../../src/storage/settings/update.ts";

interface Operation {
  operationId: string;
  parameters: { name: string; in: string; required: boolean }[];
  requestBody?: { content: Record<string, { schema: Record<string, unknown> }> };
  responses: Record<string, unknown>;
}

const document = JSON.parse(JSON.stringify(openApiDocument())) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
};
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

test("every route is described once, under its own id", () => {
  assert.equal(operations.length, ROUTES.length);
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, ROUTES.length);
});

test("every reference leads somewhere", () => {
  for (const [, name] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    assert.ok(name! in document.components.schemas, name);
  }
});

test("codes and checks of the server stay inside", () => {
  for (const internal of ["missing_index_uid", "ignoreUnknown", "immutable_index_created_at", "invalid_search_q"]) {
    assert.ok(!JSON.stringify(document).includes(internal), internal);
  }
});

test("what has a default may be left out, what has none may not", () => {
  const create = document.paths["/indexes"]!["post"]!;
  const body = create.requestBody!.content["application/json"]!.schema;
  assert.deepEqual(body["required"], ["uid"]);
  const similar = document.paths["/indexes/{index_uid}/similar"]!["get"]!;
  const required = similar.parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  assert.deepEqual(required, ["index_uid", "id", "embedder"]);
});

test("document writes take three formats", () => {
  const types = Object.keys(document.paths["/indexes/{index_uid}/documents"]!["post"]!.requestBody!.content);
  assert.deepEqual(types, ["application/json", "application/x-ndjson", "text/csv"]);
});

test("settings without a value, and the page at the root, are answered as declared", () => {
  const answer = (path: string): string => JSON.stringify(document.paths[path]!["get"]!.responses["200"]);
  const defaults = defaultSettings();
  for (const { name, segment } of SETTING_ROUTES) {
    const mayBeNull = answer(`/indexes/{index_uid}/settings/${segment}`).includes('"null"');
    if (defaults[name] === null) assert.ok(mayBeNull, name);
  }
  assert.match(answer("/"), /"text\/html; charset=utf-8".*"application\/json"/);
});
