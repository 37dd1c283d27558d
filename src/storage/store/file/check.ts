/**
 * Whether the file of a store is what it should be, found out before LMDB maps it: its head pages fit each other, every page
 * belongs to exactly one thing, tables are what they are named, and records are whole.
 * The records of tasks and payloads are looked at only when they are read: they may be many.
 */
import { existsSync, statSync } from "node:fs";
import { unseal } from "../seal.ts";
import { FENCE, TABLES, type TableName } from "../tables.ts";
import { keyOf, textOf } from "./keys.ts";
import {
  FileDamage,
  INTEGER_KEYS,
  type Meta,
  must,
  NODE_TREE,
  type Node,
  PAGE_BRANCH,
  PAGE_LEAF,
  PageFile,
  TREE_BYTES,
  type Tree,
  treeAt,
  u64,
} from "./pages.ts";
import { PageSet, walkTree } from "./walk.ts";

const VERSIONED = 0x100;
const READ_LATER = new Set<string>(["tasks", "payloads"] satisfies TableName[]);

export class DamagedStore extends Error {
  override readonly name = "DamagedStore";

  constructor(path: string, problem: Error) {
    super(
      `the store \`${path}\` is damaged: ${problem.message}. Start from a snapshot or a dump, ` +
        "or with --recover, which keeps what is whole",
      { cause: problem },
    );
  }
}

/** Throws `DamagedStore` unless the file is whole, or not there yet. */
export function checkStoreFile(path: string): void {
  if (!existsSync(path) || statSync(path).size === 0) return;
  try {
    check(path);
  } catch (problem) {
    throw problem instanceof FileDamage ? new DamagedStore(path, problem) : problem;
  }
}

function check(path: string): void {
  const file = new PageFile(path);
  try {
    const meta = latestMeta(file);
    const pages = new PageSet(meta.lastPage);
    const tables = tablesIn(file, meta, pages);
    // Records from before there was a fence have no seals either: they get theirs when the store is opened.
    const isSealed = (tables.get(FENCE)?.entries ?? 0) > 0;
    for (const [name, tree] of tables) {
      walkTree(file, meta, pages, tree, (node, value) => {
        if (!isSealed || name === FENCE || READ_LATER.has(name)) return;
        const key = keyOf(name, node.key);
        must(unseal(name, key, value()) !== null, `the record \`${key}\` of the table \`${name}\` is damaged`);
      });
    }
    checkFreePages(file, meta, pages);
  } finally {
    file.close();
  }
}

/** The two follow each other, and each transaction has its place: no change of a bit lets an older one pass for the latest. */
export function latestMeta(file: PageFile): Meta {
  const even = file.meta(0);
  const odd = file.meta(1);
  // In a compacted copy, too, the first head page is that of a new file; the second one tells all.
  const isNew = even.transaction === 0 && even.main.root === null;
  must(isNew || Math.abs(even.transaction - odd.transaction) === 1, "its two head pages do not follow each other");
  must(isNew || even.transaction % 2 === 0, "its two head pages are not in their places");
  const meta = even.transaction > odd.transaction ? even : odd;
  // The pages of a copy are numbered anew, but not by the commit that they are of.
  if (!isNew && meta.main.root !== null) {
    const root = file.page(meta.main.root, PAGE_BRANCH | PAGE_LEAF);
    must(u64(root, 8) === meta.transaction, `page ${meta.main.root} is not of the last commit`);
  }
  return meta;
}

/** All tables by name. A store that was never written to may lack some. */
export function tablesIn(
  file: PageFile,
  meta: Meta,
  pages: PageSet,
  onDamage?: (problem: unknown) => void,
): Map<string, Tree> {
  const flags = new Map<string, number>([[FENCE, VERSIONED]]);
  for (const [name, keys] of TABLES) flags.set(name, keys === "uint32" ? INTEGER_KEYS : 0);
  const tables = new Map<string, Tree>();
  const onTable = (node: Node): void => {
    const name = textOf(node.key);
    must(node.flags === NODE_TREE && node.value.length === TREE_BYTES, "a table is not described as it must be");
    const tree = treeAt(node.value, 0);
    must(flags.get(name) === tree.flags && tree.pageSize === 0, `the table \`${name}\` is not described as it must be`);
    tables.set(name, tree);
  };
  walkTree(file, meta, pages, meta.main, onTable, onDamage);
  return tables;
}

/** What belongs to nothing else is free, and is told so exactly once. */
function checkFreePages(file: PageFile, meta: Meta, pages: PageSet): void {
  walkTree(file, meta, pages, meta.free, (node, value) => {
    must(node.key.length === 8 && u64(node.key, 0) <= meta.transaction, "free pages are from the future");
    const bytes = value();
    const count = u64(bytes, 0);
    must(8 * (count + 1) <= bytes.length, "free pages are not listed as they must be");
    for (let i = 1; i <= count; i++) {
      const entry = Number(bytes.readBigInt64LE(8 * i));
      if (entry > 0) pages.add(entry);
      else if (entry < 0) pages.add(u64(bytes, 8 * ++i), -entry);
    }
  });
  const expected = meta.lastPage - 1;
  must(pages.count === expected, `${expected} pages are announced, and ${pages.count} there`);
}
