/** Which part of the server answers which kind of request. One line each: the work is done elsewhere. */
import { type DocumentsDeps, getDocument, listDocuments } from "../answer/documents.ts";
import { sortedPage } from "../answer/sorted-page.ts";
import { indexNotFound, internalError } from "../contract/errors.ts";
import { selectRows } from "../filter/select.ts";
import type { IndexView } from "../index/view.ts";
import { encodePayload, preparePayload } from "../payload/prepare.ts";
import type { Handlers, Reply, RequestContext } from "./task.ts";

export const handlers: Handlers = {
  "documents.list": ({ indexUid, ...params }, _payload, context) => {
    const view = viewOf(indexUid, context);
    return json(listDocuments(view, params, documentsDeps(view)));
  },
  "documents.get": ({ indexUid, id, ...params }, _payload, context) =>
    json(getDocument(viewOf(indexUid, context), id, params)),
  "payload.prepare": ({ format, delimiter }, payload) => ({
    status: 200,
    contentType: "application/octet-stream",
    body: Buffer.concat(encodePayload(preparePayload(payload, format, delimiter))),
  }),
};

function json(body: Uint8Array): Reply {
  return { status: 200, contentType: "application/json", body };
}

function viewOf(uid: string, context: RequestContext): IndexView {
  const view = context.snapshot().index(uid);
  if (view === null) throw indexNotFound(uid);
  if (view.problem !== null) throw internalError(`index \`${uid}\` cannot be read: ${view.problem}`);
  return view;
}

function documentsDeps(view: IndexView): DocumentsDeps {
  return {
    filterRows: (filter) => selectRows(filter, view.settings, view.segments, "invalid_document_filter"),
    sortRows: (sort, rows, offset, limit) => sortedPage(view, sort, rows, offset, limit),
  };
}
