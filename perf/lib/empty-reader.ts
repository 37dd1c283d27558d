/** A reader thread whose handlers do nothing: what remains is the way to a reader and back. */
import { readRequests } from "../../src/engine/reader/loop.ts";
import type { Handlers, ReaderTask, Reply } from "../../src/engine/reader/task.ts";

const nothing: Reply = { status: 200, contentType: "application/json", body: Buffer.from("{}") };

const handlers: Handlers = {
  "documents.list": () => nothing,
  "documents.get": (_header, _payload, context) => {
    context.snapshot();
    return nothing;
  },
  settings: () => nothing,
  fields: () => nothing,
  search: () => nothing,
  facetSearch: () => nothing,
  multiSearch: () => nothing,
  share: () => nothing,
  merge: () => nothing,
  order: () => nothing,
  similar: () => nothing,
  asked: () => nothing,
  render: () => nothing,
  "render.found": () => nothing,
  "task.read": () => nothing,
  "indexes.named": () => nothing,
  "indexes.divided": () => nothing,
  "indexes.list": () => nothing,
  "indexes.described": () => nothing,
  "indexes.totals": () => nothing,
  stats: () => nothing,
  part: () => nothing,
  told: () => nothing,
  "payload.prepare": () => nothing,
  "dictionary.load": () => nothing,
};

export const readerLoop = (task: ReaderTask): Promise<void> => readRequests(task, handlers);
