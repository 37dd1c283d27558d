/**
 * What is whole in the damaged file of a store: the records of its last commit that can still be reached, or of the one before
 * it where that cannot be read at all. Manifests, and names of indexes, that nothing leads to any more are looked for on
 * every page: there may be older versions of them, of which the latest counts.
 */
import { statSync } from "node:fs";
import type { Change } from "../environment.ts";
import { unseal } from "../seal.ts";
import { TABLES, type TableName, tablePosition } from "../tables.ts";
import { latestMeta, tablesIn } from "./check.ts";
import { keyOf } from "./keys.ts";
import { type Meta, NODE_BIG, type Node, nodesIn, PAGE_BRANCH, PAGE_LEAF, PageFile, u64 } from "./pages.ts";
import { PageSet, walkTree } from "./walk.ts";

export interface Salvaged {
  records: Map<TableName, Map<number | string, Buffer>>;
  /** What was found to be damaged. */
  problems: string[];
}

const NAMES = new Set<string>(TABLES.map(([name]) => name));
/** Without these nothing leads to the documents. */
const SOUGHT = ["catalog", "manifests"] as const satisfies TableName[];

export function salvage(path: string): Salvaged {
  const records = new Map<TableName, Map<number | string, Buffer>>(TABLES.map(([name]) => [name, new Map()]));
  const problems: string[] = [];
  const note = (problem: unknown): void => {
    problems.push((problem as Error).message);
  };
  if (!statSync(path).isFile()) return { records, problems: [`\`${path}\` is no file`] };
  const file = new PageFile(path);
  try {
    for (const meta of metasOf(file, note)) {
      if (reachable(file, meta, records, note) > 0) break;
    }
    if (problems.length > 0) for (const name of SOUGHT) scattered(file, name, records.get(name)!);
  } finally {
    file.close();
  }
  return { records, problems };
}

/** Records as they are put into another store, their seals included. */
export function* changesOf({ records }: Salvaged): Generator<Change> {
  for (const [name, own] of records) {
    for (const [key, value] of own) yield { table: tablePosition(name), key, value };
  }
}

/** Later ones first. */
function metasOf(file: PageFile, note: (problem: unknown) => void): Meta[] {
  const metas: Meta[] = [];
  for (const number of [0, 1] as const) {
    try {
      const meta = file.metaAsItIs(number);
      const root = file.page(meta.main.root ?? 0, PAGE_BRANCH | PAGE_LEAF);
      // Whatever else is wrong with it, it leads to what its transaction has written.
      if (u64(root, 8) === meta.transaction) metas.push(meta);
    } catch (problem) {
      note(problem);
    }
  }
  try {
    latestMeta(file);
  } catch (problem) {
    note(problem);
  }
  return metas.sort((a, b) => b.transaction - a.transaction);
}

function reachable(file: PageFile, meta: Meta, records: Salvaged["records"], note: (problem: unknown) => void): number {
  let count = 0;
  try {
    const pages = new PageSet(Math.min(meta.lastPage, file.pages));
    for (const [name, tree] of tablesIn(file, meta, pages, note)) {
      if (!NAMES.has(name)) continue;
      const own = records.get(name as TableName)!;
      const take = (node: Node, value: () => Buffer): void => {
        const key = keyOf(name, node.key);
        const sealed = value();
        if (unseal(name, key, sealed) === null) note(new Error(`the record \`${key}\` of \`${name}\` is lost`));
        else {
          own.set(key, Buffer.from(sealed));
          count++;
        }
      };
      walkTree(file, meta, pages, tree, take, note);
    }
  } catch (problem) {
    note(problem);
  }
  return count;
}

/** Whole records of one table on any page, as far as they are not known. */
function scattered(file: PageFile, name: TableName, known: Map<number | string, Buffer>): void {
  const latest = new Map<number | string, { transaction: number; value: Buffer }>();
  for (let number = 2; number < file.pages; number++) {
    try {
      const page = file.page(number, PAGE_LEAF);
      const transaction = u64(page, 8);
      for (const node of nodesIn(page)) {
        const key = keyOf(name, node.key);
        const value = node.flags === NODE_BIG ? file.big(node).value() : node.value;
        const isLater = transaction >= (latest.get(key)?.transaction ?? 0);
        if (isLater && unseal(name, key, value) !== null) latest.set(key, { transaction, value: Buffer.from(value) });
      }
    } catch {
      // No page of records, or none that can be read.
    }
  }
  for (const [key, { value }] of latest) if (!known.has(key)) known.set(key, value);
}
