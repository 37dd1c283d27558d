/** What a template makes of a document or of a search: templates come from clients, and take the time they take. */

import { parseJson, readShortJson } from "../../base/contract/json-body.ts";
import { parseIndexUid } from "../../base/contract/names.ts";
import { parseRender, type RenderRequest, requireRenderFeatures } from "../../base/contract/render.ts";
import { ApiError, apiError } from "../../base/errors/errors.ts";
import type { Json, JsonObject } from "../../base/json/value.ts";
import type { IndexView } from "../../storage/index/view.ts";
import { searchableWeight } from "../../storage/settings/patterns.ts";
import { DEFAULT_TEMPLATE_MAX_BYTES } from "../../storage/settings/templates.ts";
import { settingView } from "../../storage/settings/view.ts";
import { documentScope, type RenderScope, renderJson, renderText, requireReadable } from "../answer/render.ts";
import type { Asker } from "../ask/asker.ts";
import type { ReaderRequests } from "../link/requests.ts";

import { listedFields } from "../vector/template/document.ts";
import { truncateBytes } from "../vector/template/template.ts";
import { askerIn } from "./asked.ts";
import { viewOf } from "./search.ts";
import type { Reply, RequestContext } from "./task.ts";

/** The bytes of a document; refuses when there is none. */
type ReadDocument = (index: IndexView, id: string) => Uint8Array;

export function answerRender(
  header: ReaderRequests["render"],
  payload: Uint8Array,
  context: Pick<RequestContext, "snapshot">,
  readDocument: ReadDocument,
): Reply {
  const asker = askerIn(context, header.asker);
  const asked = parseRender(readShortJson(payload));
  requireRenderFeatures(asked, asker.features);
  for (const part of [asked.template, asked.input]) {
    if (part?.indexUid !== undefined) asker.scope.requireIndex(parseIndexUid(part.indexUid));
  }
  const { template, bytesMax } = chooseTemplate(asker, asked.template);
  requireReadable(template);
  if (asked.input === null) return jsonReply({ template, rendered: null });
  const scope = inputScope(asker, asked, readDocument);
  const rendered =
    bytesMax === null ? renderJson(template, scope) : truncateBytes(renderText(String(template), scope), bytesMax);
  return jsonReply({ template, rendered });
}

/** Each document in the words of the template. */
export function renderFound(
  { indexUid, template, bytesMax }: ReaderRequests["render.found"],
  payload: Uint8Array,
  context: Pick<RequestContext, "snapshot">,
): Reply {
  const view = viewOf(indexUid, context);
  const documents = parseJson(payload) as JsonObject[];
  return jsonReply(
    documents.map((document) => truncateBytes(renderText(template, scopeInIndex(view, document)), bytesMax)),
  );
}

function jsonReply(value: Json): Reply {
  return { status: 200, contentType: "application/json", body: Buffer.from(JSON.stringify(value)) };
}

/** The template itself, and how long its text may become; null for fragments, which have no limit. */
interface Chosen {
  template: Json;
  bytesMax: number | null;
}

function chooseTemplate(asker: Asker, asked: RenderRequest["template"]): Chosen {
  const bytesMax = asked.documentTemplateMaxBytes;
  if (asked.kind === "inlineDocumentTemplate") {
    return { template: asked.inline ?? "", bytesMax: bytesMax ?? DEFAULT_TEMPLATE_MAX_BYTES };
  }
  if (asked.kind === "inlineFragment") return { template: asked.inline ?? null, bytesMax: null };
  return asker.withIndex(asked.indexUid ?? "", (index) => {
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

function inputScope(asker: Asker, { template, input }: RenderRequest, readDocument: ReadDocument): RenderScope {
  if (input === null) return {};
  if (input.kind === "inlineSearch") {
    if (/document/i.test(template.kind)) {
      throw apiError("template_rendering_error", "A document template cannot be rendered with a search as input.");
    }
    return input.inline ?? {};
  }
  const uid = input.indexUid ?? template.indexUid;
  const document = input.kind === "inlineDocument" ? (input.inline ?? {}) : storedDocument(asker, input, readDocument);
  if (uid === undefined) return documentScope(document, [], () => true);
  return asker.withIndex(uid, (index) => scopeInIndex(index, document));
}

function scopeInIndex(index: IndexView, document: JsonObject): RenderScope {
  return documentScope(document, listedFields(index.fieldOrder), (name) => searchableWeight(index.settings, name) >= 0);
}

function storedDocument(
  asker: Asker,
  { indexUid = "", id = "" }: NonNullable<RenderRequest["input"]>,
  readDocument: ReadDocument,
): JsonObject {
  return asker.withIndex(indexUid, (index) => {
    try {
      return parseJson(readDocument(index, id)) as JsonObject;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "document_not_found") throw error;
      throw apiError("render_document_not_found", `Document \`${id}\` not found in index \`${indexUid}\`.`);
    }
  });
}
