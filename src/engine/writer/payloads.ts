/** Where the prepared payload of a task lies, in the store or in a file, and its bytes. */
import { readFileSync } from "node:fs";
import type { PayloadRef, TaskContent } from "../../base/contract/task.ts";
import { decodeIds } from "../../base/payload/ids.ts";
import type { Work } from "./work.ts";

export function payloadBytes(work: Pick<Work, "store" | "indexes">, payload: PayloadRef): Uint8Array {
  if (payload.kind === "file") return readFileSync(work.indexes.payloadPath(payload.name));
  const stored = work.store.payloads.get(payload.name);
  if (stored === undefined) throw new Error(`payload ${payload.name} is missing`);
  return stored;
}

type DeletionByIds = Extract<TaskContent, { by: "ids" | "listedIds" }>;

/** Those of the documents to be deleted. */
export function idsIn(work: Pick<Work, "store" | "indexes">, content: DeletionByIds): string[] {
  return content.by === "ids" ? content.ids : decodeIds(payloadBytes(work, content.payload));
}
