// The reference of settings: every one with its routes, its values, its default, and what a change of it costs.
import { EMBEDDER_FIELDS } from "../../src/base/contract/embedders.ts";
import type { FeatureName } from "../../src/base/contract/features.ts";
import { openApiDocument } from "../../src/base/contract/openapi.ts";
import type { Rule } from "../../src/base/contract/schema.ts";
import { SETTING_ROUTES, settingSchemas, type WritableSetting } from "../../src/base/contract/settings.ts";
import { limits } from "../../src/base/limits.ts";
import { COSTS, type Rebuilds, SETTINGS } from "../../src/page/settings/descriptions.ts";
import { defaultSettings } from "../../src/storage/settings/update.ts";
import { code, page, table } from "./markdown.ts";
import { type FieldRow, fieldRows, inWords, type Shape } from "./shape.ts";

const FEATURES: { readonly [name in WritableSetting]?: FeatureName } = {
  chat: "chatCompletions",
  foreignKeys: "foreignKeys",
};

/** What the rest does not say. */
const NOTES: { readonly [name in WritableSetting]?: string } = {
  searchCutoffMs: `\`null\` stands for ${limits.searchCutoffMs} ms.`,
  distinctAttribute: "`null` shows all hits.",
  embedders:
    "A name set to `null` removes the embedder. The guide is [vectors and hybrid search](../vectors-and-hybrid.md).",
};

export function settingsReference(): string {
  return page(
    "Settings",
    "Each index has these settings. `GET /indexes/{index_uid}/settings` shows all of them, `PATCH` changes those that it names, " +
      "`DELETE` resets all. A value of `null` resets a setting. Objects that are changed by `PATCH` keep what the request does not " +
      "name; everything else is replaced.",
    ...SETTING_ROUTES.map(({ name, segment, verbs }) => entry(name, segment, verbs)),
  );
}

function entry(name: WritableSetting, segment: string, verbs: readonly string[]): string {
  const { about, rebuilds } = described(name);
  const shape = shapeOf(name);
  const facts = [
    `Routes: ${code(`/indexes/{index_uid}/settings/${segment}`)} with ${["GET", ...verbs, "DELETE"].map(code).join(", ")}`,
    `Takes: ${inWords(shape)}`,
    `Default: ${code(JSON.stringify(defaultSettings()[name]))}`,
    `When it changes: ${COSTS[rebuilds]}`,
    `When it is refused: ${code((settingSchemas[name] as Rule).code!)}`,
  ];
  const feature = FEATURES[name];
  if (feature !== undefined) facts.push(`Experimental feature: ${code(feature)}`);
  const note = NOTES[name];
  const rows = name === "embedders" ? [embedderTable(fieldRows(shape))] : fieldTable(fieldRows(shape));
  const text = note === undefined ? `${about}.` : `${about}. ${note}`;
  return [`## ${name}`, text, facts.map((fact) => `- ${fact}`).join("\n"), ...rows].join("\n\n");
}

function described(name: WritableSetting): { about: string; rebuilds: Rebuilds } {
  if (name === "embedders") return { about: "How vectors of documents and of queries are made", rebuilds: "vectors" };
  return SETTINGS.find((setting) => setting.name === name)!;
}

function shapeOf(name: WritableSetting): Shape {
  const { schemas } = openApiDocument()["components"] as unknown as { schemas: { Settings: Shape } };
  // Null, which resets, is told once for all settings.
  const [shape] = schemas.Settings.properties![name]!.anyOf!;
  return shape!;
}

function fieldTable(rows: readonly FieldRow[]): string[] {
  if (rows.length === 0) return [];
  return [
    table(
      ["field", "takes", "when absent from a rule"],
      rows.map(({ path, takes, fallback }) => [code(path), takes, fallback === null ? "" : code(fallback)]),
    ),
  ];
}

/** Which source takes which field; those inside composite embedders are the same. */
function embedderTable(rows: readonly FieldRow[]): string {
  return table(
    ["field", "takes", "sources"],
    Object.entries(EMBEDDER_FIELDS).map(([field, uses]) => {
      const sources = Object.entries(uses).map(
        ([source, use]) => code(source) + (use === "required" ? " (required)" : ""),
      );
      const { takes } = rows.find(({ path }) => path === `.{name}.${field}`)!;
      return [code(field), takes, sources.length === 6 ? "all" : sources.join(", ")];
    }),
  );
}
