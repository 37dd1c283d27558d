/** Memory of one thread in which compiled code works and which it makes grow, as bytes and as words. */
import { Buffer } from "node:buffer";

/** Of WebAssembly: what a page takes, and how many a memory can have. */
export const WASM_PAGE_BYTES = 64 * 1024;
export const WASM_PAGES_MAX = 65_536;

/** A memory of this thread alone. */
export function ownMemory(pagesFirst: number): WebAssembly.Memory<ArrayBuffer> {
  return new WebAssembly.Memory<ArrayBuffer>({ initial: pagesFirst, maximum: WASM_PAGES_MAX });
}

/**
 * The same for a memory that becomes large. Nobody shares it, but one that can be shared is not counted towards garbage collection: each
 * time that a counted one grows, from 64 MiB on, the engine begins a collection. To copy inside of it is for compiled code, which is quick.
 */
export function largeMemory(pagesFirst: number): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: pagesFirst, maximum: WASM_PAGES_MAX, shared: true });
}

export class GrowingMemory<Room extends ArrayBufferLike = ArrayBuffer> {
  protected readonly memory: WebAssembly.Memory<Room>;
  #bytes: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  #words = new Uint32Array<ArrayBufferLike>(new ArrayBuffer(0));

  constructor(memory: WebAssembly.Memory<Room>) {
    this.memory = memory;
  }

  /** The memory as it is now: of no use after a call that makes it grow. */
  get bytes(): Buffer {
    if (this.#bytes.buffer !== this.memory.buffer) this.#look();
    return this.#bytes;
  }

  get words(): Uint32Array {
    if (this.#words.buffer !== this.memory.buffer) this.#look();
    return this.#words;
  }

  #look(): void {
    this.#bytes = Buffer.from(this.memory.buffer);
    this.#words = new Uint32Array(this.memory.buffer);
  }
}
