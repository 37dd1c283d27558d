/** Documents: reading them (done by the readers), and the tasks that delete or edit them. Adding is next door. */

import {
  type DocumentsQuery,
  parseDocumentQuery,
  parseDocumentsFetch,
  parseDocumentsQuery,
  parseMetadataQuery,
} from "../../../base/contract/documents.ts";
import { limits } from "../../../base/limits.ts";
import { checkDocuments } from "../../../engine/ask/documents.ts";
import type { Answer } from "../answer.ts";
import { answerBody } from "../heavy.ts";
import type { ApiRoute, Request, Services } from "../services.ts";
import { enqueueBody, LONG_TASK } from "../task-bodies.ts";
import { askerOf, askReader, enqueue, indexUidOf } from "./common.ts";
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
      bodyBytesMax: limits.searchBodyBytes,
      sharesBody: true,
      admit: () => services.readers.admit(),
      handle: (request) => {
        const indexUid = indexUidOf(request);
        return answerBody(services, request, "documents", indexUid, (body) =>
          listDocuments(services, request, indexUid, parseDocumentsFetch(body)),
        );
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
      bodyBytesMax: Number.POSITIVE_INFINITY,
      handle: (request) => addDocuments(services, request, "replace"),
    },
    {
      method: "PUT",
      path: ALL,
      action: "documents.add",
      body: "wanted",
      bodyBytesMax: Number.POSITIVE_INFINITY,
      handle: (request) => addDocuments(services, request, "update"),
    },
    {
      method: "DELETE",
      path: ALL,
      action: "documents.delete",
      body: "ignored",
      handle: (request) => {
        const uid = indexUidOf(request);
        return enqueue(
          services,
          request,
          { type: "documentDeletion", by: "all" },
          uid,
          parseMetadataQuery(request.query),
        );
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
        return enqueue(
          services,
          request,
          { type: "documentDeletion", by: "ids", ids },
          uid,
          parseMetadataQuery(request.query),
        );
      },
    },
    {
      method: "POST",
      path: `${ALL}/delete-batch`,
      action: "documents.delete",
      body: "wanted",
      ...LONG_TASK,
      handle: (request) => {
        const uid = indexUidOf(request);
        const metadata = parseMetadataQuery(request.query);
        return enqueueBody(services, request, { of: "deleteBatch" }, uid, metadata);
      },
    },
    {
      method: "POST",
      path: `${ALL}/delete`,
      action: "documents.delete",
      body: "wanted",
      ...LONG_TASK,
      handle: (request) => {
        const uid = indexUidOf(request);
        const metadata = parseMetadataQuery(request.query);
        return enqueueBody(services, request, { of: "deleteByFilter" }, uid, metadata);
      },
    },
    {
      method: "POST",
      path: `${ALL}/edit`,
      action: "documents.*",
      body: "wanted",
      ...LONG_TASK,
      handle: (request) => {
        const uid = indexUidOf(request);
        const metadata = parseMetadataQuery(request.query);
        return enqueueBody(services, request, { of: "edit" }, uid, metadata);
      },
    },
  ];
}

function listDocuments(services: Services, request: Request, indexUid: string, query: DocumentsQuery): Promise<Answer> {
  checkDocuments(askerOf(services, request), indexUid, query);
  const { useNetwork: _useNetwork, ...asked } = query;
  return askReader(services, request, "documents.list", { indexUid, ...asked });
}
