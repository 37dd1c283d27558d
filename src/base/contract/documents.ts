/** What clients may ask about documents: lists, one document, writes, deletions, edition. Parsing only. */
import { apiError, badRequest, type ErrorCode } from "../errors/errors.ts";
import type { Json, JsonObject } from "../json/value.ts";
import { limits } from "../limits.ts";
import { isDocumentIdText } from "./names.ts";
import {
  countParam,
  filterParam,
  flagParam,
  listParam,
  optionalParam,
  type Param,
  readQuery,
  readText,
  refused,
  starListParam,
  textParam,
} from "./query.ts";
import {
  anyObject,
  anything,
  askedNames,
  count,
  either,
  flag,
  integer,
  list,
  object,
  orNull,
  type Schema,
  text,
} from "./schema.ts";
import { type Place, validate } from "./validate.ts";
import { kindOf, quoteValue } from "./wording.ts";

const COMMA = 0x2c;
const OPENING = 0x28;
const CLOSING = 0x29;

export interface DocumentsQuery {
  offset: number;
  limit: number;
  /** Null means every field. */
  fields: string[] | null;
  retrieveVectors: boolean;
  ids: string[] | null;
  filter: Json;
  sort: string[] | null;
  useNetwork: boolean | null;
}

/** A filter by its outer form only: the filter grammar has its own parser. */
export const filterSchema = (code: ErrorCode): Schema => either([text(), list(anything())], { code });

/** An id as integer or text, each checked as the name of a document. */
export const documentIdSchema = (code: ErrorCode): Schema =>
  either([text({ check: (id, at) => checkDocumentId(id, at) }), integer()], { code });

function checkDocumentId(id: string, at: Place): void {
  if (!isDocumentIdText(id)) at.refuse(documentIdReason(id));
}

export function documentIdReason(id: string): string {
  return `Document identifier \`${id}\` is invalid. A document identifier can be of type integer or string, only composed of alphanumeric characters (a-z A-Z 0-9), hyphens (-) and underscores (_), and can not be more than 511 bytes.`;
}

const documentIdsSchema = orNull(list(documentIdSchema("invalid_document_ids"), { code: "invalid_document_ids" }));

export const fetchDocumentsSchema = object({
  offset: count({ code: "invalid_document_offset", default: 0 }),
  limit: count({ code: "invalid_document_limit", default: limits.pageItems }),
  fields: orNull(askedNames("invalid_document_fields")),
  retrieveVectors: flag({ code: "invalid_document_retrieve_vectors", default: false }),
  ids: documentIdsSchema,
  filter: orNull(filterSchema("invalid_document_filter")),
  sort: orNull(askedNames("invalid_document_sort")),
  useNetwork: orNull(flag({ code: "invalid_document_use_network" })),
});

export function parseDocumentsFetch(body: unknown): DocumentsQuery {
  const query = validate(fetchDocumentsSchema, body);
  const ids = query.ids as (string | number)[] | null;
  return {
    ...query,
    fields: query.fields?.includes("*") ? null : query.fields,
    ids: ids?.map(String) ?? null,
    filter: query.filter as Json,
  };
}

export const documentsParams = {
  offset: countParam("invalid_document_offset"),
  limit: countParam("invalid_document_limit", limits.pageItems),
  fields: optionalParam(starListParam("invalid_document_fields", readText)),
  retrieveVectors: flagParam("invalid_document_retrieve_vectors"),
  ids: optionalParam(listParam("invalid_document_ids", readText)),
  filter: optionalParam(filterParam("invalid_document_filter")),
  sort: optionalParam(sortParam("invalid_document_sort")),
  useNetwork: optionalParam(flagParam("invalid_document_use_network")),
};

export function parseDocumentsQuery(query: string): DocumentsQuery {
  const values = readQuery(query, documentsParams);
  // Reported as in a body, with the place in the list.
  validate(object({ ids: documentIdsSchema }), { ids: values.ids });
  return { ...values, fields: values.fields === "*" ? null : values.fields };
}

export const documentParams = {
  fields: documentsParams.fields,
  retrieveVectors: documentsParams.retrieveVectors,
  useNetwork: documentsParams.useNetwork,
};

export type DocumentQuery = Pick<DocumentsQuery, "fields" | "retrieveVectors" | "useNetwork">;

export function parseDocumentQuery(query: string): DocumentQuery {
  const values = readQuery(query, documentParams);
  return { ...values, fields: values.fields === "*" ? null : values.fields };
}

/** Commas inside the parentheses of `_geoPoint(lat,lng)` do not separate. */
export function sortParam(code: ErrorCode): Param<string[]> {
  return { code, schema: text(), read: splitOutside };
}

/** From behind, so that the next parenthesis is known at each comma: to look ahead from each takes the square of their number. */
function splitOutside(raw: string): string[] {
  const parts: string[] = [];
  let isInside = false;
  let end = raw.length;
  for (let at = raw.length - 1; at >= 0; at--) {
    const unit = raw.charCodeAt(at);
    if (unit === CLOSING) isInside = true;
    else if (unit === OPENING) isInside = false;
    else if (unit === COMMA && !isInside) {
      parts.push(raw.slice(at + 1, end));
      end = at;
    }
  }
  parts.push(raw.slice(0, end));
  return parts.reverse();
}

export const metadataParams = { customMetadata: optionalParam(textParam("invalid_index_custom_metadata")) };

export const documentsWriteParams = {
  primaryKey: optionalParam(textParam("invalid_index_primary_key")),
  csvDelimiter: optionalParam(delimiterParam("invalid_document_csv_delimiter")),
  ...metadataParams,
  skipCreation: optionalParam(skipCreationParam("invalid_skip_creation")),
};

interface DocumentsWrite {
  primaryKey: string | null;
  /** One ASCII code, null when not given. */
  csvDelimiter: number | null;
  customMetadata: string | null;
  skipCreation: boolean;
}

export function parseDocumentsWrite(query: string): DocumentsWrite {
  const values = readQuery(query, documentsWriteParams);
  return { ...values, skipCreation: values.skipCreation ?? false };
}

/** The query of the routes that take nothing but a note to keep with the task. */
export function parseMetadataQuery(query: string): { customMetadata: string | null } {
  return readQuery(query, metadataParams);
}

export const deleteByFilterSchema = object({
  filter: filterSchema("invalid_document_filter"),
});

export function parseDeleteByFilter(body: unknown): { filter: Json } {
  const { filter } = validate(deleteByFilterSchema, body) as { filter: Json };
  return { filter: refuseBlank(filter) };
}

export const editDocumentsSchema = object({
  filter: orNull(filterSchema("invalid_document_filter")),
  context: orNull(anyObject({ code: "invalid_document_edition_context" })),
  function: text({
    code: "invalid_document_edition_function_filter",
    missing: "missing_document_edition_function",
  }),
});

interface DocumentsEdition {
  filter: Json;
  context: JsonObject | null;
  function: string;
}

export function parseEditDocuments(body: unknown): DocumentsEdition {
  const edition = validate(editDocumentsSchema, body);
  const filter = edition.filter as Json;
  return { ...edition, filter: filter === null ? null : refuseBlank(filter) };
}

export const deleteBatchSchema = list(anything());

/** Ids as text: strings as they are, anything else by its JSON. */
export function parseDeleteBatch(body: unknown): string[] {
  if (!Array.isArray(body)) {
    const found = body as Json;
    throw badRequest(`Json deserialize error: expected an array, found ${kindOf(found)}: ${quoteValue(found)}`);
  }
  return (body as Json[]).map((id) => (typeof id === "string" ? id : JSON.stringify(id)));
}

/** A deletion or an edition must say which documents it means. */
function refuseBlank(filter: Json): Json {
  const blank = Array.isArray(filter) ? filter.length === 0 : typeof filter === "string" && filter.trim() === "";
  if (blank) throw apiError("invalid_document_filter", "Sending an empty filter is forbidden.");
  return filter;
}

function delimiterParam(code: ErrorCode): Param<number> {
  return {
    code,
    schema: text(),
    read: (raw, name) => {
      if (raw.length === 1 && raw.charCodeAt(0) < 128) return raw.charCodeAt(0);
      throw refused(
        name,
        code,
        `expected a string of one ASCII character, but found the following string of ${[...raw].length} characters: \`${raw}\``,
      );
    },
  };
}

function skipCreationParam(code: ErrorCode): Param<boolean> {
  return {
    code,
    schema: flag(),
    read: (raw, name) => {
      const lower = raw.toLowerCase();
      if (lower === "true" || lower === "false") return lower === "true";
      throw refused(name, code, `could not parse \`${raw}\` as a boolean, expected either \`true\` or \`false\``);
    },
  };
}
