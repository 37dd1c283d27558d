/** What clients may ask to be rendered: a template of an index or of their own, with a document or a search as input. */

import { apiError, type ErrorCode } from "../errors/errors.ts";
import type { Json, JsonObject } from "../json/value.ts";
import { type Features, requireFeature } from "./features.ts";
import { anything, choice, count, either, integer, object, orNull, resettable, text } from "./schema.ts";
import { validate } from "./validate.ts";

const TEMPLATE_KINDS = [
  "documentTemplate",
  "chatDocumentTemplate",
  "indexingFragment",
  "searchFragment",
  "inlineDocumentTemplate",
  "inlineFragment",
] as const;
const INPUT_KINDS = ["indexDocument", "inlineDocument", "inlineSearch"] as const;

type TemplateKind = (typeof TEMPLATE_KINDS)[number];
type InputKind = (typeof INPUT_KINDS)[number];

export interface RenderRequest {
  template: {
    kind: TemplateKind;
    indexUid?: string;
    embedder?: string;
    fragment?: string;
    inline?: Json;
    documentTemplateMaxBytes?: number;
  };
  input: { kind: InputKind; indexUid?: string; id?: string; inline?: JsonObject } | null;
}

/** Parameters by kind: those it needs, and those it may take besides. */
const PARAMETERS: Record<TemplateKind | InputKind, { needs: string[]; takes?: string[] }> = {
  documentTemplate: { needs: ["indexUid", "embedder"], takes: ["documentTemplateMaxBytes"] },
  chatDocumentTemplate: { needs: ["indexUid"], takes: ["documentTemplateMaxBytes"] },
  indexingFragment: { needs: ["indexUid", "embedder", "fragment"] },
  searchFragment: { needs: ["indexUid", "embedder", "fragment"] },
  inlineDocumentTemplate: { needs: ["inline"], takes: ["documentTemplateMaxBytes"] },
  inlineFragment: { needs: ["inline"] },
  indexDocument: { needs: ["indexUid", "id"] },
  inlineDocument: { needs: ["inline"] },
  inlineSearch: { needs: ["inline"] },
};

export const renderSchema = object({
  template: object(
    {
      kind: choice([...TEMPLATE_KINDS]),
      indexUid: resettable(text()),
      embedder: resettable(text()),
      fragment: resettable(text()),
      inline: resettable(anything()),
      documentTemplateMaxBytes: resettable(count({ minimum: 1 })),
    },
    { code: "invalid_render_template", missing: "bad_request" },
  ),
  input: orNull(
    object(
      {
        kind: choice([...INPUT_KINDS]),
        indexUid: resettable(text()),
        id: resettable(either([text(), integer()])),
        inline: resettable(anything()),
      },
      { code: "invalid_render_input" },
    ),
  ),
});

export function parseRender(body: unknown): RenderRequest {
  const asked = validate(renderSchema, body);
  const template = given(asked.template);
  checkParameters(template, ".template", "invalid_render_template");
  if (template.kind === "inlineDocumentTemplate" && typeof template.inline !== "string") {
    throw apiError("invalid_render_template", "Invalid value type at `.template.inline`: expected a string.");
  }
  if (asked.input === null) return { template, input: null };
  const input = given(asked.input);
  checkParameters(input, ".input", "invalid_render_input");
  const { inline, id, ...rest } = input;
  if (inline === undefined) return { template, input: { ...rest, id: String(id) } };
  return { template, input: { ...rest, inline: checkInline(inline, input.kind) } };
}

type Given<Part> = { [Name in keyof Part]: Exclude<Part[Name], null> };

/** Without what is null: that is a parameter which is not there. */
function given<Part extends object>(part: Part): Given<Part> {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null)) as Given<Part>;
}

/** The features that a request needs besides the one of the route. */
export function requireRenderFeatures({ template, input }: RenderRequest, features: Features): void {
  requireFeature(features, "renderRoute", "Using the `/render-template` route");
  if (template.kind === "chatDocumentTemplate")
    requireFeature(features, "chatCompletions", "Rendering a chat document template");
  if (/fragment/i.test(template.kind)) requireFeature(features, "multimodal", "Rendering a fragment");
  if (input?.kind === "inlineSearch") requireFeature(features, "multimodal", "Rendering with a search as input");
}

function checkParameters(part: { kind: TemplateKind | InputKind }, at: string, code: ErrorCode): void {
  const { needs, takes = [] } = PARAMETERS[part.kind];
  for (const name of Object.keys(part)) {
    if (name !== "kind" && !needs.includes(name) && !takes.includes(name)) {
      throw apiError(code, `Parameter \`${name}\` inside \`${at}\` is not allowed with kind \`${part.kind}\`.`);
    }
  }
  const absent = needs.find((name) => !Object.hasOwn(part, name));
  if (absent !== undefined) {
    throw apiError(code, `Missing parameter \`${absent}\` inside \`${at}\`, which kind \`${part.kind}\` needs.`);
  }
}

function checkInline(inline: Json, kind: InputKind): JsonObject {
  if (inline === null || typeof inline !== "object" || Array.isArray(inline)) {
    throw apiError("invalid_render_input", "Invalid value type at `.input.inline`: expected an object.");
  }
  if (kind !== "inlineSearch") return inline;
  // The other parameters of a search are none of a template's business, but may be there.
  const { q, media } = inline;
  if (q !== undefined && typeof q !== "string") {
    throw apiError("invalid_render_input", "Invalid value type at `.input.inline.q`: expected a string.");
  }
  return { ...(q === undefined ? {} : { q }), ...(media === undefined ? {} : { media }) };
}
