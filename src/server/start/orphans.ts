/**
 * Indexes whose store is gone: its file is missing, or empty as a power cut may leave it. Taken for a new database, the start
 * would sweep their files as belonging to nothing.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DATA_FILE } from "../../storage/store/metas.ts";

/** Folders in `indexes` that hold files, unless there is a store that may know them. */
export function orphanedIndexes(databasePath: string): string[] {
  const store = join(databasePath, "store", DATA_FILE);
  if (existsSync(store) && statSync(store).size > 0) return [];
  const indexes = join(databasePath, "indexes");
  if (!existsSync(indexes)) return [];
  return readdirSync(indexes).filter((id) => {
    const folder = join(indexes, id);
    return statSync(folder).isDirectory() && readdirSync(folder).length > 0;
  });
}
