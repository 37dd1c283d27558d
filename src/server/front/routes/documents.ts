/** Documents: reading them (done by the readers), and the tasks that delete or edit them. Adding is next door. */

import {
  type DocumentQuery,
  type DocumentsQuery,
  parseDocumentQuery,
  parseDocumentsFetch,
  parseDocumentsQuery,
  parseMetadataQuery,
} from "../../../base/contract/documents.ts";
import { requireFeature } from "../../../base/contract/features.ts";
import { membersOf, objectsIn } from "../../../base/json/ranges.ts";
import { limits } from "../../../base/limits.ts";
import { checkDocuments } from "../../../engine/ask/documents.ts";
import { documentsOfServers } from "../../../engine/ask/shared-documents.ts";
import { bytesOf } from "../../../engine/link/shared-searches.ts";
import { type Answer, bytesAnswer, JSON_TYPE } from "../answer.ts";
import { callOf, isShare } from "../call.ts";
import { answerBody, answerQuery } from "../heavy.ts";
import { answerByServers } from "../servers.ts";
import type { ApiRoute, Request, Services } from "../services.ts";
import { enqueueBody, LONG_LIST, LONG_SHOWN } from "../task-bodies.ts";
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
        return answerQuery(services, request, "documents", indexUid, (query) =>
          listDocuments(services, request, indexUid, parseDocumentsQuery(query)),
        );
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
        return getDocument(services, request, named, parseDocumentQuery(request.query));
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
    taskOfBody(services, "delete-batch", "documents.delete", "deleteBatch"),
    taskOfBody(services, "delete", "documents.delete", "deleteByFilter"),
    taskOfBody(services, "edit", "documents.*", "edit"),
  ];
}

/** A task whose content is the body: what to delete, or how to edit. */
function taskOfBody(
  services: Services,
  name: string,
  action: ApiRoute["action"],
  of: "deleteBatch" | "deleteByFilter" | "edit",
): ApiRoute {
  return {
    method: "POST",
    path: `${ALL}/${name}`,
    action,
    body: "wanted",
    ...(of === "deleteBatch" ? LONG_LIST : LONG_SHOWN),
    handle: (request) => {
      const uid = indexUidOf(request);
      return enqueueBody(services, request, { of }, uid, parseMetadataQuery(request.query));
    },
  };
}

function listDocuments(services: Services, request: Request, indexUid: string, query: DocumentsQuery): Promise<Answer> {
  if (query.useNetwork === true) return listByServers(services, request, indexUid, query);
  checkDocuments(askerOf(services, request), indexUid, query);
  const { useNetwork: _useNetwork, ...asked } = query;
  return askReader(services, request, "documents.list", { indexUid, ...asked, isShare: isShare(services, request) });
}

function listByServers(services: Services, request: Request, indexUid: string, query: DocumentsQuery): Promise<Answer> {
  const searches = [bytesOf(documentsOfServers(askerOf(services, request), indexUid, query))];
  const call = { ...callOf(services, request), coding: null };
  return answerByServers(services, request, { searches, isList: false }, call);
}

/** Of this server, or of one of its network when it has none and the others are to be asked. */
async function getDocument(
  services: Services,
  request: Request,
  { indexUid, id }: { indexUid: string; id: string },
  { useNetwork, ...shown }: DocumentQuery,
): Promise<Answer> {
  if (useNetwork !== null) {
    requireFeature(services.features.current, "network", "Using `useNetwork` to read a document");
  }
  const own = await askReader(services, request, "documents.get", { indexUid, id, ...shown });
  if (own.status !== 404 || useNetwork !== true) return own;
  const query = { ...shown, offset: 0, limit: 1, ids: [id], filter: null, sort: null, useNetwork };
  const { status, body } = await listByServers(services, request, indexUid, query);
  const bytes = body as Uint8Array;
  const list = status === 200 ? membersOf(bytes, { start: 0, end: bytes.length }).get("results") : undefined;
  const [found] = (list && objectsIn(bytes, list)) ?? [];
  return found === undefined ? own : bytesAnswer(200, JSON_TYPE, bytes.subarray(found.start, found.end));
}
