/**
 * The part of a memory that belongs to one thread: where kernels find what they are given and leave what they make,
 * beside the segments they read. A stack: what was allocated last is given back first. It never touches shared blocks.
 */
import { WASM_PAGE_BYTES } from "../../base/kernels/growing-memory.ts";
import { MIB } from "../../base/limits.ts";

/** Of what is allocated: whole vectors are loaded from there. */
export const WORKSPACE_ALIGNMENT = 16;
const ALL_BYTES_MAX = 1024 * MIB;
const BYTES_MAX = 256 * MIB;
const BYTES_MIN = 16 * MIB;

/** Address space set aside in every arena for each of the threads that search; pages that stay untouched cost nothing. */
export function workspaceBytes(threads: number): number {
  const share = Math.floor(ALL_BYTES_MAX / Math.max(1, threads) / WASM_PAGE_BYTES) * WASM_PAGE_BYTES;
  return Math.min(BYTES_MAX, Math.max(BYTES_MIN, share));
}

/** One search wants more room than there is. */
export class WorkspaceFull extends Error {}

export class Workspace {
  readonly memory: WebAssembly.Memory;
  readonly start: number;
  /** One past the last byte that is this thread's. */
  readonly limit: number;
  /** One past the last byte of the stack. */
  #end: number;
  #at: number;
  #u8: Uint8Array;
  #u16: Uint16Array;
  #u32: Uint32Array;
  #f32: Float32Array;

  constructor(memory: WebAssembly.Memory, start: number, bytes: number) {
    this.memory = memory;
    this.start = start;
    this.limit = start + bytes;
    this.#end = this.limit;
    this.#at = start;
    // Views reach exactly as far as this thread's part and what lies below it.
    const { buffer } = memory;
    this.#u8 = new Uint8Array(buffer);
    this.#u16 = new Uint16Array(buffer);
    this.#u32 = new Uint32Array(buffer);
    this.#f32 = new Float32Array(buffer);
  }

  /** A memory of its own around a copy of `bytes`, for those that are in no arena. */
  static around(bytes: Uint8Array, room: number): { workspace: Workspace; at: number } {
    const total =
      WASM_PAGE_BYTES + Math.ceil((bytes.length + room) / WASM_PAGE_BYTES) * WASM_PAGE_BYTES + WASM_PAGE_BYTES;
    const pages = Math.ceil(total / WASM_PAGE_BYTES);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    const at = WASM_PAGE_BYTES + room;
    new Uint8Array(memory.buffer).set(bytes, at);
    return { workspace: new Workspace(memory, WASM_PAGE_BYTES, room), at };
  }

  /** Views of the whole memory, by address (divided by the size of an element). */
  get u8(): Uint8Array {
    return this.#u8;
  }

  get u16(): Uint16Array {
    return this.#u16;
  }

  get u32(): Uint32Array {
    return this.#u32;
  }

  get f32(): Float32Array {
    return this.#f32;
  }

  get end(): number {
    return this.#end;
  }

  /** Bytes that can still be allocated. */
  get room(): number {
    return this.#end - this.#at;
  }

  get mark(): number {
    return this.#at;
  }

  /** Address of uninitialized bytes, good until `release` to an earlier mark. */
  allocate(bytes: number): number {
    const at = this.#at;
    const next = at + Math.ceil(bytes / WORKSPACE_ALIGNMENT) * WORKSPACE_ALIGNMENT;
    if (next > this.#end) throw new WorkspaceFull(`${bytes} bytes do not fit in the workspace of a search`);
    this.#at = next;
    return at;
  }

  /** Takes the last part of the workspace away for good, for what is kept from search to search. */
  split(bytes: number): number {
    if (this.#end - bytes < this.#at) throw new WorkspaceFull(`${bytes} bytes cannot be kept`);
    this.#end -= Math.ceil(bytes / WORKSPACE_ALIGNMENT) * WORKSPACE_ALIGNMENT;
    return this.#end;
  }

  /** Gives back everything allocated since `mark` was read. */
  release(mark: number): void {
    this.#at = mark;
  }
}
