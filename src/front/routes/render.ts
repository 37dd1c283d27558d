/** `/render-template`: what a template makes of a document or of a search, before it is used for real. */
import { apiError } from "../../contract/errors.ts";
import { parseJson } from "../../contract/json-body.ts";
import { parseIndexUid } from "../../contract/names.ts";
import { parseRender, type RenderRequest, requireRenderFeatures } from "../../contract/render.ts";
import { searchableWeight } from "../../index/patterns.ts";
import { settingView } from "../../index/settings-view.ts";
import { DEFAULT_TEMPLATE_MAX_BYTES } from "../../index/templates.ts";
import type { IndexView } from "../../index/view.ts";
import type { Json, JsonObject } from "../../tasks/task.ts";
import { listedFields } from "../../vector/template/document.ts";
import { truncateBytes } from "../../vector/template/template.ts";
import { type Answer, jsonAnswer } from "../answer.ts";
import { documentScope, type RenderScope, renderJson, renderText } from "../render.ts";
import type { ApiRoute, Request, Services } from "../services.ts";
import { withIndex } from "./common.ts";

/** The template itself, and how long its text may become; null for fragments, which have no limit. */
interface Chosen {
  template: Json;
  bytesMax: number | null;
}

export function renderRoutes(services: Services): ApiRoute[] {
  return [
    {
      method: "POST",
      path: "/render-template",
      action: ["settings.get", "documents.get"],
      body: "wanted",
      handle: (request) => render(services, request),
    },
  ];
}

async function render(services: Services, request: Request): Promise<Answer> {
  const asked = parseRender(request.json());
  requireRenderFeatures(asked, services.features.current);
  for (const part of [asked.template, asked.input]) {
    if (part?.indexUid !== undefined) request.grant.requireIndex(parseIndexUid(part.indexUid));
  }
  const chosen = chooseTemplate(services, asked.template);
  const scope = asked.input === null ? null : await inputScope(services, request, asked);
  if (scope === null) return jsonAnswer(200, { template: chosen.template, rendered: null });
  const rendered =
    chosen.bytesMax === null
      ? renderJson(chosen.template, scope)
      : truncateBytes(renderText(String(chosen.template), scope), chosen.bytesMax);
  return jsonAnswer(200, { template: chosen.template, rendered });
}

function chooseTemplate(services: Services, asked: RenderRequest["template"]): Chosen {
  const bytesMax = asked.documentTemplateMaxBytes;
  if (asked.kind === "inlineDocumentTemplate") {
    return { template: asked.inline ?? "", bytesMax: bytesMax ?? DEFAULT_TEMPLATE_MAX_BYTES };
  }
  if (asked.kind === "inlineFragment") return { template: asked.inline ?? null, bytesMax: null };
  return withIndex(services, asked.indexUid ?? "", (index) => {
    if (asked.kind === "chatDocumentTemplate") {
      return documentTemplate(settingView(index.settings, "chat") as JsonObject, bytesMax);
    }
    const embedders = settingView(index.settings, "embedders") as JsonObject;
    const embedder = member(embedders, asked.embedder ?? "", "embedder");
    if (asked.kind === "documentTemplate") return documentTemplate(embedder, bytesMax);
    const side = asked.kind === "indexingFragment" ? "indexingFragments" : "searchFragments";
    const fragment = member((embedder[side] ?? {}) as JsonObject, asked.fragment ?? "", "fragment");
    return { template: fragment["value"] ?? null, bytesMax: null };
  });
}

function documentTemplate(holder: JsonObject, bytesMax: number | undefined): Chosen {
  const template = holder["documentTemplate"];
  if (typeof template !== "string") {
    throw apiError("invalid_render_template", "The embedder has no document template.");
  }
  const own = holder["documentTemplateMaxBytes"];
  return { template, bytesMax: bytesMax ?? (typeof own === "number" ? own : DEFAULT_TEMPLATE_MAX_BYTES) };
}

function member(all: JsonObject, name: string, what: string): JsonObject {
  if (Object.hasOwn(all, name)) return all[name] as JsonObject;
  const known = Object.keys(all).map((key) => `\`${key}\``);
  throw apiError(
    "invalid_render_template",
    `There is no ${what} \`${name}\`. ${known.length === 0 ? "None is configured." : `Known ones: ${known.join(", ")}.`}`,
  );
}

async function inputScope(
  services: Services,
  request: Request,
  { template, input }: RenderRequest,
): Promise<RenderScope> {
  if (input === null) return {};
  if (input.kind === "inlineSearch") {
    if (/document/i.test(template.kind)) {
      throw apiError("template_rendering_error", "A document template cannot be rendered with a search as input.");
    }
    return input.inline ?? {};
  }
  const uid = input.indexUid ?? template.indexUid;
  const document =
    input.kind === "inlineDocument" ? (input.inline ?? {}) : await storedDocument(services, request, input);
  if (uid === undefined) return documentScope(document, [], () => true);
  return withIndex(services, uid, (index) => scopeInIndex(index, document));
}

function scopeInIndex(index: IndexView, document: JsonObject): RenderScope {
  return documentScope(document, listedFields(index.fieldOrder), (name) => searchableWeight(index.settings, name) >= 0);
}

async function storedDocument(
  services: Services,
  request: Request,
  input: NonNullable<RenderRequest["input"]>,
): Promise<JsonObject> {
  const header = { indexUid: input.indexUid ?? "", id: input.id ?? "", fields: null, retrieveVectors: false };
  // Asked first: of a missing index and a missing document only the latter has a code of its own here.
  withIndex(services, header.indexUid, () => null);
  const answer = await services.readers.request("documents.get", header, null, request);
  if (answer.status === 200) return parseJson(answer.body) as JsonObject;
  throw apiError("render_document_not_found", `Document \`${header.id}\` not found in index \`${header.indexUid}\`.`);
}
