/** Turns a closed data directory into one as an older version wrote it: records without seals, and no count of commits. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { open } from "lmdb";
import { SEAL_BYTES } from "../../../src/storage/store/seal.ts";
import { FENCE, TABLES } from "../../../src/storage/store/tables.ts";

export async function makeOlder(databasePath: string, version: string): Promise<void> {
  const root = open<Uint8Array, number | string>({
    path: join(databasePath, "store"),
    noSubdir: false,
    maxDbs: TABLES.length + 1,
    overlappingSync: false,
    eventTurnBatching: false,
    encoding: "binary",
  });
  for (const [name, keyEncoding] of TABLES) {
    // Manifests had a checksum of their own, as long as a seal.
    if (name === "manifests") continue;
    const table = root.openDB<Uint8Array, number | string>({ name, encoding: "binary", keyEncoding });
    for (const key of [...table.getKeys()]) {
      const value = Buffer.from(table.getBinary(key)!);
      table.putSync(key, value.subarray(0, value.length - SEAL_BYTES));
    }
  }
  root.openDB({ name: FENCE, encoding: "binary" }).clearSync();
  await root.close();
  writeFileSync(join(databasePath, "VERSION"), version);
}
