/**
 * A cluster that begins with the data of a server on its own: what that has is put among the shared files, as a checkpoint before
 * the first record, from which the others begin.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import type { Log } from "../../base/log/log.ts";
import type { Blobs } from "../../storage/blobs/blobs.ts";
import type { Journal } from "../../storage/journal/journal.ts";
import type { OwnStore } from "../../storage/store/store.ts";
import { OptionError } from "../options/options.ts";
import { type Checkpoints, namesIn } from "./checkpoints.ts";

interface SeedParts {
  store: OwnStore;
  journal: Pick<Journal, "last" | "place">;
  checkpoints: Pick<Checkpoints, "list" | "make">;
  blobs: Pick<Blobs, "put" | "place">;
  databasePath: string;
  log: Log;
}

/** Only where nobody has begun anything yet. */
export async function seedCluster({ store, journal, checkpoints, blobs, databasePath, log }: SeedParts): Promise<void> {
  const hasBegun = (await journal.last()) > 0 || (await checkpoints.list()).length > 0;
  if (hasBegun) {
    throw new OptionError(
      `the database holds data of a server on its own, and the cluster at ${journal.place} has begun with other data: ` +
        "start with an empty database, or give the cluster another name and another place for its files",
    );
  }
  const names = namesIn(store);
  log.info("cluster", "a cluster begins with the data of this server", { files: names.length, at: blobs.place });
  for (const name of names) await blobs.put(name, fileOf(databasePath, name));
  await checkpoints.make(store);
}

/** Where a server has what is shared under a name. */
function fileOf(databasePath: string, name: string): string {
  const [kind, ...rest] = name.split("/");
  const folder = kind === "segments" ? "indexes" : "payloads";
  const file = path.join(databasePath, folder, ...rest);
  if (!existsSync(file)) throw new OptionError(`the database names \`${file}\`, which is not there`);
  return file;
}
