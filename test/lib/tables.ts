/** All that is in the tables of a store, byte for byte: to be compared with another one. */
import { hash } from "node:crypto";
import { Environment } from "../../src/storage/store/environment.ts";
import { TABLES } from "../../src/storage/store/tables.ts";

/** By table, one line a record: its key, its length and the hash of its bytes. */
export async function tablesIn(storePath: string): Promise<Record<string, string[]>> {
  const environment = new Environment(storePath);
  try {
    const lines = TABLES.map(([name], position) => {
      const records = environment.tables[position]!.getRange({});
      const shown = [...records.map(({ key, value }) => `${String(key)} ${value.length} ${hash("sha256", value)}`)];
      return [name, shown] as const;
    });
    return Object.fromEntries(lines);
  } finally {
    await environment.close();
  }
}
