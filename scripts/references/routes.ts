// The reference of the interface: every route with what a key needs for it, what it takes and what it answers.
import { ACTIONS } from "../../src/base/contract/actions.ts";
import { FEATURE_NAMES } from "../../src/base/contract/features.ts";
import { openApiDocument } from "../../src/base/contract/openapi.ts";
import { ROUTES, type Route } from "../../src/base/contract/routes.ts";
import { code, codes, page, table } from "./markdown.ts";
import { type FieldRow, fieldRows, inWords, resolve, type Shape } from "./shape.ts";

interface Operation {
  parameters: { name: string; in: string; required: boolean; schema: Shape }[];
  requestBody?: { content: Record<string, { schema: Shape }> };
  responses: Record<string, { content?: Record<string, { schema: Shape }> }>;
}

/** Routes of single settings are told by the settings. */
const ONE_SETTING = /\/settings\/.+/;

/** Groups of routes that begin with different words. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  server: ["", "health", "version", "openapi.json", "stats", "metrics", "logs", "telemetry"],
  indexes: ["swap-indexes", "fields", "compact"],
  searches: ["search", "facet-search", "similar", "multi-search"],
  "dumps and snapshots": ["dumps", "snapshots"],
};

export function routesReference(): string {
  const groups = new Map<string, Route[]>();
  for (const route of ROUTES.filter(({ path }) => !ONE_SETTING.test(path))) {
    const name = groupOf(route.path);
    groups.set(name, [...(groups.get(name) ?? []), route]);
  }
  return page(
    "Routes",
    "What the server answers to. `GET /openapi.json` has the same for programs. Routes that make a task answer with its summary, or with the " +
      "finished task where the request says `Prefer: wait=SECONDS`. Errors are in [their own list](errors.md).",
    ...[...groups].map(([name, routes]) => [`## ${name}`, ...routes.map(entry)].join("\n\n")),
    `## Single settings\n\n${singleSettings()}`,
    `## Actions\n\nWhat keys can be allowed to do: ${codes(ACTIONS)}.`,
    `## Names of experimental features\n\nOff until \`PATCH /experimental-features\` turns them on: ${codes(FEATURE_NAMES)}.`,
  );
}

/** By what comes first in the path; what is below an index by what comes there. */
function groupOf(path: string): string {
  const [first, , below] = path.split("/").slice(1);
  const name = first === "indexes" && below !== undefined ? below : first!;
  const title = Object.keys(SHARED).find((group) => SHARED[group]!.includes(name)) ?? name;
  return title[0]!.toUpperCase() + title.slice(1).replaceAll("-", " ");
}

function entry(route: Route): string {
  const operation = operationOf(route);
  const facts = [`Key: ${route.action === null ? "none needed" : codes([route.action].flat())}`];
  if (route.feature) facts.push(`Experimental feature: ${code(route.feature)}`);
  if (route.bodyTypes) facts.push(`Body: ${codes(route.bodyTypes)}`);
  facts.push(`Answer: ${answer(route, operation)}`);
  const query = operation.parameters.filter((parameter) => parameter.in === "query");
  const parts = [`### ${route.method} ${route.path}`, `${route.summary}.`, facts.map((fact) => `- ${fact}`).join("\n")];
  if (query.length > 0) {
    parts.push(
      table(
        ["parameter", "takes", "default"],
        query.map(({ name, required, schema }) => [code(name), inWords(schema), fallback(required, schema.default)]),
      ),
    );
  }
  if (operation.requestBody) parts.push(body(Object.values(operation.requestBody.content)[0]!.schema));
  return parts.join("\n\n");
}

function body(shape: Shape): string {
  if (shape.$ref?.endsWith("/Settings")) return "The body is any part of the [settings](settings.md).";
  const rows = fieldRows(shape);
  if (rows.length === 0) return `The body is: ${inWords(shape)}.`;
  const cells = ({ path, takes, isRequired, fallback: value }: FieldRow): string[] => [
    code(path),
    takes,
    isRequired ? "required" : value === null ? "" : code(value),
  ];
  return table(["field of the body", "takes", "default"], rows.map(cells));
}

function fallback(required: boolean, value: unknown): string {
  if (required) return "required";
  return value === undefined || value === null ? "" : code(JSON.stringify(value));
}

function answer(route: Route, { responses }: Operation): string {
  if (route.makesTask) return `${code(String(route.status))}, the task`;
  const content = Object.entries(responses[route.status]!.content ?? {})[0];
  if (content === undefined) return `${code(String(route.status))}, without a body`;
  const [type, { schema }] = content;
  const fields = Object.keys(resolve(schema).properties ?? {});
  const told = fields.length > 0 ? codes(fields) : type === "application/json" ? inWords(schema) : code(type);
  return `${code(String(route.status))}, ${told}`;
}

function singleSettings(): string {
  const methods = new Map<string, string[]>();
  for (const { method, path } of ROUTES.filter(
    (route) => route.path.startsWith("/indexes/") && ONE_SETTING.test(route.path),
  )) {
    methods.set(path, [...(methods.get(path) ?? []), method]);
  }
  const note =
    "Showing one needs the action `settings.get`, changing or resetting it `settings.update`; [what each takes](settings.md).";
  return `${note}\n\n${table(
    ["route", "methods"],
    [...methods].map(([path, names]) => [code(path), codes(names)]),
  )}`;
}

function operationOf({ method, path }: Route): Operation {
  const paths = openApiDocument()["paths"] as unknown as Record<string, Record<string, Operation>>;
  return paths[path]![method.toLowerCase()]!;
}
