/**
 * Bodies of documents that are lent: read into memory of compiled code, which unpacks them, and kept there as long as
 * others leave them room.
 *
 * ```
 *   [ heads of the names of one segment | a body as it is stored | bodies lent lately ]
 * ```
 */
import { WASM_PAGE_BYTES } from "../../../base/kernels/growing-memory.ts";
import { BEHIND_BYTES, HEAD_WORDS, type PackedKernels, packedKernels } from "../../../base/kernels/packed/kernels.ts";
import { MIB } from "../../../base/limits.ts";
import { LatelyRead } from "./lately-read.ts";
import { NAMES_MAX } from "./packed.ts";

/** Of what is kept, unless told otherwise, as readers are. */
const KEPT_BYTES = MIB;
const BODY_BYTES_MAX = 256 * 1024;
/** More than names take in practice; with longer ones bodies are not lent but read. */
const HEADS_BYTES = 8 * 1024;
const HEAD_TEXTS_AT = NAMES_MAX * HEAD_WORDS * Uint32Array.BYTES_PER_ELEMENT;
const STORED_AT = HEADS_BYTES + BEHIND_BYTES;
const KEPT_AT = STORED_AT + BODY_BYTES_MAX + BEHIND_BYTES;

/** A file of bodies that may be lent. */
export interface Lender {
  /** By number of a name: what stands before its value; null when bodies are stored as they are. */
  readonly heads: readonly Uint8Array[] | null;
  length(row: number): number;
  readStored(from: number, to: number, into: Uint8Array, at: number): number;
}

export class Lending {
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  readonly #kernels: PackedKernels;
  readonly #kept: LatelyRead;
  /** The names that lie in the memory. */
  #heads: readonly Uint8Array[] | null = null;

  constructor(keptBytes: number = KEPT_BYTES) {
    // Pages that nothing was written to yet take no room.
    const pages = Math.ceil((KEPT_AT + keptBytes + BEHIND_BYTES) / WASM_PAGE_BYTES);
    const memory = new WebAssembly.Memory<ArrayBuffer>({ initial: pages, maximum: pages });
    this.#bytes = new Uint8Array(memory.buffer);
    this.#words = new Uint32Array(memory.buffer);
    this.#kernels = packedKernels(memory);
    this.#kept = new LatelyRead(this.#bytes.subarray(KEPT_AT, KEPT_AT + keptBytes), BODY_BYTES_MAX);
  }

  /** A number for a file, never given twice. */
  newOwner(): number {
    return this.#kept.newOwner();
  }

  /** The body, good until the next call; null when it is too long to be lent. */
  lend(lender: Lender, owner: number, row: number): Uint8Array | null {
    const length = lender.length(row);
    let at = this.#kept.find(owner, row);
    if (at < 0) {
      if (lender.heads !== null && !this.#useHeads(lender.heads)) return null;
      at = this.#kept.add(owner, row, length + BEHIND_BYTES);
      if (at < 0) return null;
      try {
        this.#read(lender, row, KEPT_AT + at);
      } catch (problem) {
        this.#kept.forget(owner, row);
        throw problem;
      }
    }
    return this.#bytes.subarray(KEPT_AT + at, KEPT_AT + at + length);
  }

  #read(lender: Lender, row: number, at: number): void {
    if (lender.heads === null) {
      lender.readStored(row, row + 1, this.#bytes, at);
      return;
    }
    const stored = lender.readStored(row, row + 1, this.#bytes, STORED_AT);
    this.#kernels.unpack(STORED_AT, STORED_AT + stored, at, 0);
  }

  /** Whether there is room for them. */
  #useHeads(heads: readonly Uint8Array[]): boolean {
    if (this.#heads === heads) return true;
    if (heads.reduce((sum, head) => sum + head.length, HEAD_TEXTS_AT) > HEADS_BYTES) return false;
    this.#heads = heads;
    let at = HEAD_TEXTS_AT;
    heads.forEach((head, i) => {
      this.#words[i * HEAD_WORDS] = at;
      this.#words[i * HEAD_WORDS + 1] = head.length;
      this.#bytes.set(head, at);
      at += head.length;
    });
    return true;
  }
}
