/**
 * Payloads too large for the store: checked and encoded by a helper, which writes each to a file of its own. The file is
 * durable before its task is, so that no task can ever miss its payload.
 */
import { randomUUID } from "node:crypto";
import { promises as files, mkdirSync } from "node:fs";
import { join } from "node:path";
import { syncDirectoryLater } from "../../base/files/sync-directory.ts";
import type { PayloadFormat } from "../../base/payload/prepare.ts";
import type { HelperPool } from "../../engine/helper/pool.ts";
import type { LargePayloads, PreparedFile } from "./services.ts";

export function largePayloadsIn(databasePath: string, helpers: Pick<HelperPool, "run">): LargePayloads {
  const folder = join(databasePath, "payloads");
  mkdirSync(folder, { recursive: true });
  const discard = (name: string): Promise<void> => files.rm(join(folder, name), { force: true });
  return {
    async prepare(body: Uint8Array, format: PayloadFormat, delimiter: number): Promise<PreparedFile> {
      const name = randomUUID();
      const path = join(folder, name);
      try {
        // Nobody here looks at it again: its memory moves, unless it is one that threads share.
        const moved = body.buffer instanceof ArrayBuffer ? [body.buffer] : [];
        const { documents, bytes } = await helpers.run("payload.prepareFile", { path, body, format, delimiter }, moved);
        await syncDirectoryLater(folder);
        return { payload: { kind: "file", name, bytes }, documentsCount: documents };
      } catch (error) {
        await discard(name).catch(() => {});
        throw error;
      }
    },
    discard,
  };
}
