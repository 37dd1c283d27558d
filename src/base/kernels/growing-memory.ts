/** Memory of one thread in which compiled code works and which it makes grow, as bytes and as words. */
import { Buffer } from "node:buffer";

/** Of WebAssembly: what a page takes, and how many a memory can have. */
export const WASM_PAGE_BYTES = 64 * 1024;
export const WASM_PAGES_MAX = 65_536;

export class GrowingMemory {
  protected readonly memory: WebAssembly.Memory<ArrayBuffer>;
  #bytes = Buffer.alloc(0);
  #words = new Uint32Array(0);

  constructor(pagesFirst: number) {
    this.memory = new WebAssembly.Memory<ArrayBuffer>({ initial: pagesFirst, maximum: WASM_PAGES_MAX });
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
