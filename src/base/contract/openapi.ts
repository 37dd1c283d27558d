/**
 * The OpenAPI document, written from the same descriptions that validate requests. Built once, on first demand.
 * Annotations that only the server understands are left out of it.
 */
import type { Json, JsonObject } from "../json/value.ts";

import * as answers from "./answers.ts";
import { multiSearchSchema } from "./multi-search.ts";
import type { Param } from "./query.ts";
import { ROUTES, type Route } from "./routes.ts";
import type { Schema } from "./schema.ts";
import { searchSchema } from "./search.ts";
import { settingsSchema } from "./settings.ts";

/** Shapes that many routes share, by the name under which they are described once. */
const COMPONENTS: Record<string, Schema> = {
  Error: answers.error,
  TaskSummary: answers.taskSummary,
  Task: answers.task,
  Batch: answers.batch,
  Index: answers.index,
  IndexStats: answers.indexStats,
  Key: answers.key,
  Settings: settingsSchema,
  SearchQuery: searchSchema,
  SearchAnswer: answers.search,
  FederatedSearchAnswer: answers.federatedSearch,
  MultiSearch: multiSearchSchema,
};

const NAMES = new Map(Object.entries(COMPONENTS).map(([name, schema]) => [schema, name]));

let document: JsonObject | null = null;

/** The version of the interface that is spoken: what clients compare with, not that of this server. */
export const INTERFACE_VERSION = "1.50.0";

export function openApiDocument(): JsonObject {
  document ??= {
    openapi: "3.1.0",
    info: {
      title: "Sabre",
      version: INTERFACE_VERSION,
      description: "Search server: documents, settings, tasks, search.",
    },
    paths: paths(),
    components: {
      schemas: Object.fromEntries(Object.entries(COMPONENTS).map(([name, schema]) => [name, describe(schema)])),
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    },
  };
  return document;
}

const WAIT = {
  name: "Prefer",
  in: "header",
  required: false,
  description: "`wait=SECONDS`: answer with the finished task, if it is finished by then (RFC 7240).",
  schema: { type: "string" },
};
const FINISHED: JsonObject = {
  description: "The finished task, where the client preferred to wait for it",
  content: content(["application/json"], answers.task),
};
const EITHER: JsonObject = {
  description: "The task; finished, where the client preferred to wait for it",
  content: {
    "application/json": { schema: { anyOf: [refer(answers.taskSummary), refer(answers.task)] } },
  },
};

function paths(): JsonObject {
  const byPath: Record<string, JsonObject> = {};
  for (const route of ROUTES) {
    byPath[route.path] ??= {};
    byPath[route.path]![route.method.toLowerCase()] = operation(route);
  }
  return byPath;
}

function operation(route: Route): JsonObject {
  const described: JsonObject = {
    operationId: operationId(route),
    summary: route.summary,
    parameters: [
      ...pathParameters(route.path),
      ...Object.entries(route.query ?? {}).map(queryParameter),
      ...(route.makesTask ? [WAIT] : []),
    ],
    responses: {
      ...(route.makesTask ? { 200: FINISHED, 202: answer(route) } : {}),
      [route.status]: route.makesTask && route.status === 200 ? EITHER : answer(route),
      default: { description: "What was wrong", content: content(["application/json"], answers.error) },
    },
    security: route.action === null ? [] : [{ bearer: [] }],
  };
  if (route.body) {
    const types = route.bodyTypes ?? ["application/json"];
    described["requestBody"] = { required: true, content: content(types, route.body) };
  }
  if (route.action !== null) described["x-action"] = [route.action].flat().join(", ");
  if (route.feature) described["x-experimental-feature"] = route.feature;
  return described;
}

function operationId({ method, path }: Route): string {
  const words = path
    .replace(/[{}]/g, "")
    .split(/[/_-]+/)
    .filter((word) => word !== "");
  return [method.toLowerCase(), ...words].join("_");
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name: name!,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameter([name, param]: [string, Param<unknown>]): Json {
  return { name, in: "query", required: param.absent === undefined, schema: refer(param.schema) };
}

function answer(route: Route): Json {
  if (!route.answer) return { description: "Done" };
  return { description: route.summary, content: content(route.answerTypes ?? ["application/json"], route.answer) };
}

function content(types: readonly string[], schema: Schema): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema: refer(schema) }]));
}

/** A named shape by its name, any other in full. */
function refer(schema: Schema): JsonObject {
  const name = NAMES.get(schema);
  return name === undefined ? describe(schema) : { $ref: `#/components/schemas/${name}` };
}

const KEPT = ["type", "enum", "minimum", "maximum", "maxItems", "maxLength", "default", "description"];

function describe(schema: Schema): JsonObject {
  const node = schema as Schema & Record<string, unknown>;
  const described: JsonObject = {};
  if (node["enum"]) described["type"] = "string";
  for (const keyword of KEPT) if (node[keyword] !== undefined) described[keyword] = node[keyword] as Json;
  if (node["anyOf"]) described["anyOf"] = (node["anyOf"] as Schema[]).map(refer);
  if (node["items"]) described["items"] = refer(node["items"] as Schema);
  if (node["patternProperties"]) {
    described["additionalProperties"] = refer(Object.values(node["patternProperties"] as Record<string, Schema>)[0]!);
  }
  if (node["properties"]) describeProperties(node["properties"] as Record<string, Schema>, node, described);
  return described;
}

function describeProperties(
  properties: Record<string, Schema>,
  node: Record<string, unknown>,
  described: JsonObject,
): void {
  described["properties"] = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, refer(schema)]),
  );
  // A key with a default may be left out, whatever the type says of the value once parsed.
  const required = ((node["required"] ?? []) as string[]).filter((name) => !("default" in properties[name]!));
  if (required.length > 0) described["required"] = required;
  described["additionalProperties"] = node["additionalProperties"] === true;
}
