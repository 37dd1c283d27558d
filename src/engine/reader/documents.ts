/** Lists of documents for clients, and for servers that merge them with those of others. */
import type { IndexView } from "../../storage/index/view.ts";
import { type DocumentsDeps, type DocumentsParams, getDocument, listDocuments } from "../answer/documents.ts";
import { sortElements, sortedPage } from "../answer/sorted-page.ts";
import type { OwnDocuments } from "../ask/shared-documents.ts";
import { sentElements } from "../federation/sent-elements.ts";
import type { ReaderRequests } from "../link/requests.ts";
import { documentInParts, documentsInParts } from "./divided/documents.ts";
import { IndexInParts } from "./divided/index-in-parts.ts";
import { viewOf } from "./search.ts";
import { filteredRows } from "./select.ts";
import type { RequestContext } from "./task.ts";

export function runDocuments(
  { indexUid, ...params }: ReaderRequests["documents.list"],
  context: RequestContext,
): Uint8Array {
  const view = viewOf(indexUid, context);
  const index = IndexInParts.of(view, context);
  if (index !== null) return documentsInParts(index, params);
  return listDocuments(view, params, documentsDeps(view, context));
}

/** Throws `document_not_found`. */
export function runDocument(
  view: IndexView,
  id: string,
  params: Pick<DocumentsParams, "fields" | "retrieveVectors">,
  context: Pick<RequestContext, "parts">,
): Uint8Array {
  const index = IndexInParts.of(view, context);
  return index === null ? getDocument(view, id, params) : documentInParts(index, id, params);
}

/** Nothing where this server is not asked. */
export function documentsShare({ documents }: OwnDocuments, context: RequestContext): Uint8Array {
  if (documents === null) return Buffer.from('{"results":[],"total":0}');
  return runDocuments({ ...documents, isShare: true }, context);
}

function documentsDeps(view: IndexView, context: RequestContext): DocumentsDeps {
  return {
    filterRows: (filter) => filteredRows(view, filter, context.snapshot(), "invalid_document_filter", false),
    sortRows: (sort, rows, offset, limit) => sortedPage(view, sort, rows, offset, limit),
    sentPlaces: (sort, page) => sortElements(view, sort, page).map(sentElements),
  };
}
