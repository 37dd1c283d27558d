/** Where the prepared payload of a task lies, in the store or in a file, and its bytes. */
import { readFileSync } from "node:fs";
import type { PayloadRef } from "../../base/contract/task.ts";
import type { Work } from "./work.ts";

export function payloadBytes(work: Pick<Work, "store" | "indexes">, payload: PayloadRef): Uint8Array {
  if (payload.kind === "file") return readFileSync(work.indexes.payloadPath(payload.name));
  const stored = work.store.payloads.get(payload.name);
  if (stored === undefined) throw new Error(`payload ${payload.name} is missing`);
  return stored;
}
