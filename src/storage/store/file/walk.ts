/** Walks one tree of an LMDB file, checking every page on the way, and counts what it is made of. */
import {
  type Meta,
  must,
  NODE_BIG,
  type Node,
  nodesIn,
  PAGE_BRANCH,
  PAGE_LEAF,
  type PageFile,
  type Tree,
  u64,
} from "./pages.ts";

/** Pages that belong to something: none may belong to two things. */
export class PageSet {
  readonly #bits: Uint8Array;
  readonly #lastPage: number;
  count = 0;

  constructor(lastPage: number) {
    must(lastPage < 2 ** 32, "the file cannot have that many pages");
    this.#lastPage = lastPage;
    this.#bits = new Uint8Array(Math.floor(lastPage / 8) + 1);
  }

  add(first: number, count = 1): void {
    must(first >= 2 && first + count - 1 <= this.#lastPage, `page ${first} is not one of the file`);
    for (let page = first; page < first + count; page++) {
      const bit = 1 << (page & 7);
      must((this.#bits[page >> 3]! & bit) === 0, `page ${page} is used twice`);
      this.#bits[page >> 3]! |= bit;
      this.count++;
    }
  }
}

/**
 * `onRecord` is told of each record; its second argument reads a value that may lie on pages of its own. With `onDamage`,
 * what cannot be read is told to it and left out; without, it is thrown.
 */
export function walkTree(
  file: PageFile,
  meta: Meta,
  pages: PageSet,
  tree: Tree,
  onRecord: (node: Node, value: () => Buffer) => void,
  onDamage?: (problem: unknown) => void,
): void {
  const found = { branches: 0, leaves: 0, overflow: 0, entries: 0 };
  const attempt = (action: () => void): void => {
    if (onDamage === undefined) {
      action();
      return;
    }
    try {
      action();
    } catch (problem) {
      onDamage(problem);
    }
  };
  const record = (node: Node): void => {
    if (node.flags !== NODE_BIG) {
      onRecord(node, () => node.value);
      return;
    }
    const big = file.big(node);
    pages.add(big.first, big.count);
    found.overflow += big.count;
    onRecord(node, big.value);
  };
  const visit = (number: number, depth: number): void => {
    const page = file.page(number, depth === tree.depth ? PAGE_LEAF : PAGE_BRANCH);
    must(u64(page, 8) <= meta.transaction, `page ${number} is from the future`);
    pages.add(number);
    const nodes = nodesIn(page);
    if (depth === tree.depth) {
      found.leaves++;
      found.entries += nodes.length;
      for (const node of nodes) attempt(() => record(node));
      return;
    }
    found.branches++;
    must(nodes.length >= 2, `page ${number} leads nowhere`);
    for (const { child } of nodes) attempt(() => visit(child, depth + 1));
  };
  attempt(() => {
    must((tree.root === null) === (tree.depth === 0), "a tree has no root");
    if (tree.root !== null) visit(tree.root, 1);
    for (const kind of ["branches", "leaves", "overflow", "entries"] as const) {
      must(found[kind] === tree[kind], `${tree[kind]} ${kind} are announced, and ${found[kind]} there`);
    }
  });
}
