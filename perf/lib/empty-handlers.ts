/** Handlers that do nothing: what remains is the way to a reader and back. */
import type { Handlers, Reply } from "../../src/reader/task.ts";

const nothing: Reply = { status: 200, contentType: "application/json", body: Buffer.from("{}") };

export const handlers: Handlers = {
  "documents.list": () => nothing,
  "documents.get": (_header, _payload, context) => {
    context.snapshot();
    return nothing;
  },
  search: () => nothing,
  facetSearch: () => nothing,
  multiSearch: () => nothing,
  similar: () => nothing,
  asked: () => nothing,
  "task.read": () => nothing,
  "payload.prepare": () => nothing,
  "dictionary.load": () => nothing,
};
