/** Seals the records of a store from before they had seals, all in one transaction. */
import type { RootDatabase } from "lmdb";
import type { RawTable } from "./environment.ts";
import { SEAL_BYTES, seal } from "./seal.ts";
import { TABLES } from "./tables.ts";

/** Manifests had a checksum of their own. */
const CHECKED = "manifests";

export function sealRecords(root: RootDatabase<Uint8Array>, tables: readonly RawTable[], markDone: () => void): void {
  root.transactionSync(() => {
    for (const [i, [name]] of TABLES.entries()) {
      const table = tables[i]!;
      for (const key of [...table.getKeys()] as (number | string)[]) {
        const value = Buffer.from(table.getBinary(key)!);
        const bytes = name === CHECKED ? value.subarray(0, value.length - SEAL_BYTES) : value;
        table.putSync(key, seal(name, key, bytes));
      }
    }
    markDone();
  });
}
