/**
 * The memory in which segments are merged: their hot parts lie there, and compiled code works behind them. It is shared with
 * nobody; but memory that can be shared stays where it is when it grows, and with it all that readers have of segments.
 */
import { WASM_PAGES_MAX } from "../../base/kernels/growing-memory.ts";
import { BEHIND_BYTES, type MergeKernels, mergeKernels } from "../../base/kernels/merge/kernels.ts";

const PAGES_FIRST = 16;
/**
 * Hot parts of segments that are merged at once, at most: half of what can be addressed. The other half is for what a merge
 * makes of them there: numbers of rows and terms, 8 bytes each, and all occurrences of one term, 8 bytes each and twice.
 */
export const MERGED_HOT_BYTES_MAX = 2 ** 31;
/** Address 0 stands for nothing. */
const FIRST_ADDRESS = 16;

type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array;

/** There is no room for what a merge makes, in its memory or in one segment: fewer segments may fit. */
export class MergeTooLarge extends Error {
  override readonly name = MergeTooLarge.name;

  constructor() {
    super("the segments are too large to be merged at once");
  }
}

export class MergeMemory {
  readonly kernels: MergeKernels;
  readonly #memory: WebAssembly.Memory;
  /** The memory as it was whenever a view was made. */
  readonly #buffers = new Set<ArrayBufferLike>();

  constructor(pagesMax = WASM_PAGES_MAX) {
    this.#memory = new WebAssembly.Memory({ initial: PAGES_FIRST, maximum: pagesMax, shared: true });
    this.kernels = mergeKernels(this.#memory);
    // Chosen anew each time, so that nobody can send words prepared to collide.
    this.kernels.prepare(FIRST_ADDRESS, Math.random() * 2 ** 32, Math.random() * 2 ** 32);
  }

  room(bytes: number): Uint8Array {
    return this.bytesAt(this.kernels.allocate(bytes + BEHIND_BYTES), bytes);
  }

  /** Where numbers lie; they are copied unless they lie here. */
  addressOf(numbers: Numbers): number {
    if (this.#buffers.has(numbers.buffer)) return numbers.byteOffset;
    const { byteLength } = numbers;
    const copy = this.room(byteLength);
    copy.set(new Uint8Array(numbers.buffer, numbers.byteOffset, byteLength));
    return copy.byteOffset;
  }

  bytesAt(start: number, length: number): Uint8Array {
    const { buffer } = this.#memory;
    this.#buffers.add(buffer);
    return new Uint8Array(buffer, start, length);
  }

  wordsAt(start: number, length: number): Uint32Array {
    return new Uint32Array(this.#memory.buffer, start, length);
  }

  copyOfWords(start: number, length: number): Uint32Array {
    return this.wordsAt(start, length).slice();
  }
}
