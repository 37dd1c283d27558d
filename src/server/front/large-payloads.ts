/**
 * Payloads too large for the store: checked and encoded by a helper, which writes each to a file of its own. The file is
 * durable before its task is, so that no task can ever miss its payload.
 */
import { randomUUID } from "node:crypto";
import { promises as files, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { PayloadRef } from "../../base/contract/task.ts";
import { syncDirectoryLater } from "../../base/files/sync-directory.ts";
import type { HelperPool } from "../../engine/helper/pool.ts";
import { StoreFault } from "../../storage/store/fault.ts";
import type { LargePayloads } from "./services.ts";

export function largePayloadsIn(databasePath: string, helpers: Pick<HelperPool, "run">): LargePayloads {
  const folder = join(databasePath, "payloads");
  mkdirSync(folder, { recursive: true });
  const discard = (name: string): Promise<void> => files.rm(join(folder, name), { force: true });
  const written = async <Made extends { bytes: number }>(
    write: (path: string) => Promise<Made>,
  ): Promise<{ payload: PayloadRef; made: Made }> => {
    const name = randomUUID();
    try {
      const made = await write(join(folder, name));
      await syncDirectoryLater(folder);
      return { payload: { kind: "file", name, bytes: made.bytes }, made };
    } catch (error) {
      await discard(name).catch(() => {});
      throw error;
    }
  };
  return {
    async prepare(body, format, delimiter) {
      const { payload, made } = await written((path) =>
        helpers.run("payload.prepareFile", { path, body, format, delimiter }, movedWith(body)),
      );
      return { payload, documentsCount: made.documents };
    },
    async prepareIds(body) {
      const { payload, made } = await written((path) =>
        helpers.run("payload.prepareIds", { path, body }, movedWith(body)),
      );
      return { payload, idsCount: made.ids };
    },
    lines: (name) => helpers.run("payload.lines", { path: join(folder, name) }),
    discard,
  };
}

/** Nobody here looks at a body again: its memory moves, unless it is one that threads share. */
function movedWith({ buffer }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer ? [buffer] : [];
}

/** What `enqueue` gives; the file of a task that is refused goes. */
export function withFile<T>(
  { largePayloads }: { largePayloads: Pick<LargePayloads, "discard"> },
  payload: PayloadRef,
  enqueue: () => Promise<T>,
): Promise<T> {
  if (payload.kind !== "file") return enqueue();
  return enqueue().catch(async (error) => {
    // Whether the task is on disk may not be known: then its file stays, and is swept at the next start if need be.
    const mayBeStored = error instanceof StoreFault && error.kind === "unknown";
    if (!mayBeStored) await largePayloads.discard(payload.name);
    throw error;
  });
}
