/** Documents: reading them (done by the readers), and the tasks that delete or edit them. Adding is next door. */
import {
  type DocumentsQuery,
  parseDeleteBatch,
  parseDeleteByFilter,
  parseDocumentQuery,
  parseDocumentsFetch,
  parseDocumentsQuery,
  parseEditDocuments,
  parseMetadataQuery,
} from "../../contract/documents.ts";
import { badRequest } from "../../contract/errors.ts";
import type { Features } from "../../contract/features.ts";
import { compileEdit } from "../../document/edit/edit.ts";
import { checkFilterFeatures } from "../../filter/check.ts";
import { filterApiError } from "../../filter/errors.ts";
import { type Filter, FilterEvaluationError } from "../../filter/filter.ts";
import { parseFilter } from "../../filter/parse.ts";
import type { Json } from "../../tasks/task.ts";
import type { Answer } from "../answer.ts";
import { checkForeign } from "../foreign-scope.ts";
import type { ApiRoute, Request, Services } from "../services.ts";
import { askReader, demandFeature, enqueue, indexUidOf, withIndex } from "./common.ts";
import { addDocuments } from "./documents-add.ts";

const ALL = "/indexes/{index_uid}/documents";
const ONE = `${ALL}/{document_id}`;

export function documentRoutes(services: Services): ApiRoute[] {
  return [
    {
      method: "GET",
      path: ALL,
      action: "documents.get",
      body: "ignored",
      handle: (request) => {
        const indexUid = indexUidOf(request);
        return listDocuments(services, request, indexUid, parseDocumentsQuery(request.query));
      },
    },
    {
      method: "POST",
      path: `${ALL}/fetch`,
      action: "documents.get",
      body: "wanted",
      handle: (request) => {
        const indexUid = indexUidOf(request);
        return listDocuments(services, request, indexUid, parseDocumentsFetch(request.json()));
      },
    },
    {
      method: "GET",
      path: ONE,
      action: "documents.get",
      body: "ignored",
      handle: (request) => {
        const named = { indexUid: indexUidOf(request), id: request.param("document_id") };
        return askReader(services, request, "documents.get", { ...named, ...parseDocumentQuery(request.query) });
      },
    },
    {
      method: "POST",
      path: ALL,
      action: "documents.add",
      body: "wanted",
      handle: (request) => addDocuments(services, request, "replace"),
    },
    {
      method: "PUT",
      path: ALL,
      action: "documents.add",
      body: "wanted",
      handle: (request) => addDocuments(services, request, "update"),
    },
    {
      method: "DELETE",
      path: ALL,
      action: "documents.delete",
      body: "ignored",
      handle: (request) => {
        const uid = indexUidOf(request);
        return enqueue(services, { type: "documentDeletion", by: "all" }, uid, parseMetadataQuery(request.query));
      },
    },
    {
      method: "DELETE",
      path: ONE,
      action: "documents.delete",
      body: "ignored",
      handle: (request) => {
        const uid = indexUidOf(request);
        const ids = [request.param("document_id")];
        return enqueue(services, { type: "documentDeletion", by: "ids", ids }, uid, parseMetadataQuery(request.query));
      },
    },
    {
      method: "POST",
      path: `${ALL}/delete-batch`,
      action: "documents.delete",
      body: "wanted",
      handle: (request) => {
        const uid = indexUidOf(request);
        const metadata = parseMetadataQuery(request.query);
        const ids = parseDeleteBatch(request.json());
        return enqueue(services, { type: "documentDeletion", by: "ids", ids }, uid, metadata);
      },
    },
    {
      method: "POST",
      path: `${ALL}/delete`,
      action: "documents.delete",
      body: "wanted",
      handle: (request) => {
        const uid = indexUidOf(request);
        const metadata = parseMetadataQuery(request.query);
        const { filter } = parseDeleteByFilter(request.json());
        checkFilter(filter, services.features.current);
        return enqueue(services, { type: "documentDeletion", by: "filter", filter }, uid, metadata);
      },
    },
    {
      method: "POST",
      path: `${ALL}/edit`,
      action: "documents.*",
      body: "wanted",
      handle: (request) => {
        const uid = indexUidOf(request);
        const metadata = parseMetadataQuery(request.query);
        const edition = parseEditDocuments(request.json());
        demandFeature(services, "editDocumentsByFunction", "Using the documents edit route");
        if (edition.filter !== null) checkFilter(edition.filter, services.features.current);
        const compiled = compileEdit(edition.function);
        if ("problem" in compiled) throw badRequest(`The function does not compile: ${compiled.problem}`);
        return enqueue(services, { type: "documentEdition", ...edition }, uid, metadata);
      },
    },
  ];
}

function listDocuments(
  services: Services,
  request: Request,
  indexUid: string,
  { useNetwork, ...query }: DocumentsQuery,
): Promise<Answer> {
  if (useNetwork !== null) demandFeature(services, "network", "Using `useNetwork` to read documents");
  if (query.filter !== null) {
    // Readers know no flags. A missing index is the more helpful refusal, so it goes first.
    withIndex(services, indexUid, (index) => {
      checkFilter(query.filter, services.features.current, true);
      checkForeign(request.grant, index, query.filter);
    });
  }
  return askReader(services, request, "documents.list", { indexUid, ...query });
}

/** What a filter selects is found out later; that it can be read, and may be used at all, is known now. */
function checkFilter(filter: Json, features: Features, allowForeign = false): void {
  try {
    const parsed = parseFilter(filter);
    if (parsed === null) return;
    checkFilterFeatures(parsed, features);
    if (!allowForeign) refuseForeign(parsed);
  } catch (error) {
    throw filterApiError(error, "invalid_document_filter");
  }
}

/** Tasks change one index and must not depend on what another one holds when they happen to run. */
function refuseForeign(filter: Filter): void {
  if (filter.kind === "and" || filter.kind === "or") for (const each of filter.filters) refuseForeign(each);
  else if (filter.kind === "not") refuseForeign(filter.filter);
  else if (filter.kind === "foreign") {
    throw new FilterEvaluationError("foreign", "`_foreign` cannot be used to delete or edit documents.", filter.call);
  }
}
