/**
 * The pages of an LMDB file as they lie on disk, read without LMDB: it trusts its file, and ends the process over a byte that
 * is wrong. Everything here is checked before it is followed. Little endian, 64 bits.
 *
 *   page     0 u64 number   8 u64 transaction  16 u16 –  18 u16 flags  20 u16 lower  22 u16 upper (or u32 pages)  24 …
 *   meta    24 u32 magic   28 u32 version  32 u64 address  40 u64 map size  48 free tree  96 main tree  144 u64 last page
 *          152 u64 transaction
 *   tree     0 u32 pad (page size)  4 u16 flags  6 u16 depth  8 u64 branches 16 leaves 24 overflow 32 entries 40 root
 *   node     0 u32 size (or u48 page of a branch)  4 u16 flags  6 u16 key size  8 key, value (or overflow: u64 page, …)
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

export const PAGE_HEADER_BYTES = 24;
export const TREE_BYTES = 48;
const META_END = 160;
const NODE_HEADER_BYTES = 8;
const OVERFLOW_BYTES = 24;
/** What a compacted copy writes beside every large value for the commit that it is of; the pages of the value keep theirs. */
const COPIED = 1;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const NO_PAGE = 2n ** 64n - 1n;
export const PAGE_BRANCH = 1;
export const PAGE_LEAF = 2;
const PAGE_OVERFLOW = 4;
const PAGE_META = 8;
export const NODE_BIG = 1;
export const NODE_TREE = 2;
const PAGE_SIZES = new Set([4096, 8192, 16384, 32768, 65536]);
const COMMON_PAGE_SIZE = 4096;
const MAP_BYTES_MAX = 2 ** 46;

/** Something in the file is not as it must be. */
export class FileDamage extends Error {
  override readonly name = "FileDamage";
}

export interface Tree {
  pageSize: number;
  flags: number;
  depth: number;
  branches: number;
  leaves: number;
  overflow: number;
  entries: number;
  /** Null for a tree without a page. */
  root: number | null;
}

export interface Meta {
  page: number;
  free: Tree;
  main: Tree;
  lastPage: number;
  transaction: number;
}

export interface Node {
  flags: number;
  key: Buffer;
  /** Of a leaf. */
  value: Buffer;
  /** Size of the value, wherever it lies. */
  size: number;
  /** Of a branch: the page below. */
  child: number;
}

export class PageFile {
  readonly pageSize: number;
  readonly pages: number;
  readonly #fd: number;
  readonly #flags: number;

  /** `flags`: those with which the environment is opened and that the database keeps in the file. */
  constructor(path: string, flags = 0) {
    this.#flags = flags;
    this.#fd = openSync(path, "r");
    try {
      must(fstatSync(this.#fd).isFile(), "it is no file");
      const head = Buffer.alloc(META_END);
      readSync(this.#fd, head, 0, META_END, 0);
      const { pageSize } = treeAt(head, 48);
      // When the first page is damaged the second one will tell whether that of most systems is right.
      this.pageSize = PAGE_SIZES.has(pageSize) ? pageSize : COMMON_PAGE_SIZE;
      this.pages = Math.floor(fstatSync(this.#fd).size / this.pageSize);
    } catch (problem) {
      closeSync(this.#fd);
      throw problem;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** A page of one of these kinds, in a memory of its own. */
  page(number: number, kinds: number): Buffer {
    const page = this.bytes(number, 1);
    must(u64(page, 0) === number, `page ${number} says that it is another`);
    const flags = page.readUInt16LE(18);
    must((flags & kinds) !== 0 && (flags & (flags - 1)) === 0, `page ${number} is of another kind`);
    return page;
  }

  bytes(number: number, count: number): Buffer {
    must(number + count <= this.pages, `page ${number} lies beyond the end of the file`);
    const bytes = Buffer.allocUnsafe(count * this.pageSize);
    const read = readSync(this.#fd, bytes, 0, bytes.length, number * this.pageSize);
    must(read === bytes.length, `page ${number} could not be read`);
    return bytes;
  }

  /** The bytes of a value that has pages of its own, and how many these are. */
  big(node: Node): { first: number; count: number; value(): Buffer } {
    must(node.value.length === OVERFLOW_BYTES, "a large value is not where it should be");
    const first = u64(node.value, 0);
    const count = u64(node.value, 16);
    must(
      count === Math.floor((PAGE_HEADER_BYTES - 1 + node.size) / this.pageSize) + 1,
      `page ${first} has another size`,
    );
    const head = this.page(first, PAGE_OVERFLOW);
    const transaction = u64(node.value, 8);
    must(
      head.readUInt32LE(20) === count && (transaction === COPIED || u64(head, 8) === transaction),
      `page ${first} belongs to another value`,
    );
    this.#withinFile(first + count - 1);
    return {
      first,
      count,
      value: () => this.bytes(first, count).subarray(PAGE_HEADER_BYTES, PAGE_HEADER_BYTES + node.size),
    };
  }

  #withinFile(number: number): void {
    must(number < this.pages, `page ${number} lies beyond the end of the file`);
  }

  /** One of the two head pages, as it must be. */
  meta(number: 0 | 1): Meta {
    const page = this.page(number, PAGE_META);
    must(page.readUInt32LE(24) === MAGIC, `page ${number} does not begin as it must`);
    must(page.readUInt32LE(28) === DATA_VERSION, `page ${number} is of another version`);
    must(u64(page, 32) === 0, `page ${number} wants a fixed address`);
    const mapBytes = u64(page, 40);
    must(mapBytes % 4096 === 0 && mapBytes < MAP_BYTES_MAX, `page ${number} gives no size of the map`);
    const meta = this.metaAsItIs(number);
    const { free, main } = meta;
    const isRight = free.pageSize === this.pageSize && free.flags === (INTEGER_KEYS | this.#flags);
    must(isRight, `page ${number} describes free pages wrongly`);
    must(main.pageSize === 0 && main.flags === 0, `page ${number} describes its tables wrongly`);
    return meta;
  }

  /** The same, whatever is wrong with it. */
  metaAsItIs(number: 0 | 1): Meta {
    const page = this.bytes(number, 1);
    return {
      page: number,
      free: treeAt(page, 48),
      main: treeAt(page, 48 + TREE_BYTES),
      lastPage: u64(page, 144),
      transaction: u64(page, 152),
    };
  }
}

export const INTEGER_KEYS = 8;

export function must(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new FileDamage(problem);
}

/** The nodes of a branch or leaf, each within the page. */
export function nodesIn(page: Buffer): Node[] {
  const number = u64(page, 0);
  const isLeaf = page.readUInt16LE(18) === PAGE_LEAF;
  const lower = page.readUInt16LE(20);
  const upper = page.readUInt16LE(22);
  const room = page.length - PAGE_HEADER_BYTES;
  must(
    page.readUInt16LE(16) === 0 && lower % 2 === 0 && lower <= upper && upper <= room,
    `page ${number} is out of bounds`,
  );
  const nodes: Node[] = [];
  for (let at = 0; at < lower; at += 2) {
    const begin = page.readUInt16LE(PAGE_HEADER_BYTES + at) + PAGE_HEADER_BYTES;
    const inside = (end: number): void => must(end <= page.length, `page ${number} has a record out of bounds`);
    must(begin >= upper + PAGE_HEADER_BYTES, `page ${number} has a record out of bounds`);
    inside(begin + NODE_HEADER_BYTES);
    const flags = isLeaf ? page.readUInt16LE(begin + 4) : 0;
    must(flags === 0 || flags === NODE_BIG || flags === NODE_TREE, `page ${number} has a record of no known kind`);
    const size = isLeaf ? page.readUInt32LE(begin) : 0;
    const keyAt = begin + NODE_HEADER_BYTES;
    const valueAt = keyAt + page.readUInt16LE(begin + 6);
    const valueEnd = valueAt + (flags === NODE_BIG ? OVERFLOW_BYTES : size);
    inside(valueEnd);
    const child = isLeaf ? 0 : page.readUIntLE(begin, 6);
    nodes.push({ flags, size, child, key: page.subarray(keyAt, valueAt), value: page.subarray(valueAt, valueEnd) });
  }
  return nodes;
}

export function treeAt(bytes: Buffer, at: number): Tree {
  const root = bytes.readBigUInt64LE(at + 40);
  return {
    pageSize: bytes.readUInt32LE(at),
    flags: bytes.readUInt16LE(at + 4),
    depth: bytes.readUInt16LE(at + 6),
    branches: u64(bytes, at + 8),
    leaves: u64(bytes, at + 16),
    overflow: u64(bytes, at + 24),
    entries: u64(bytes, at + 32),
    root: root === NO_PAGE ? null : Number(root),
  };
}

export function u64(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
}
