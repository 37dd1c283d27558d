/** A reader thread of the server: the loop, with the handlers of all requests. */
import "../../base/native/guard.ts";
import { handlers } from "./handlers.ts";
import { readRequests } from "./loop.ts";
import type { ReaderTask } from "./task.ts";
import { makeFirstNeeds } from "./warmup/first-needs.ts";

export function readerLoop(task: ReaderTask): Promise<void> {
  return readRequests(task, handlers, makeFirstNeeds);
}
