/**
 * An arena: one shared WebAssembly memory, grown on demand, and the writer's account of which bytes of it are taken.
 * Other threads only ever see the memory (`arena-views.ts`). An arena never moves a block by itself.
 */
import { WASM_PAGE_BYTES } from "../../base/kernels/growing-memory.ts";
import { limits, MIB } from "../../base/limits.ts";
import { type Extent, FreeSpace } from "./free-space.ts";

/** The first page belongs to the static data of kernels instantiated over the memory; no block has offset 0. */
export const HEAD_BYTES = WASM_PAGE_BYTES;
/** Growing costs a broadcast to all threads, untouched pages cost nothing. */
const GROWTH_BYTES = 16 * MIB;
/** Below this an arena is not worth copying, however empty it is. */
const EVACUATION_BYTES_MIN = 64 * MIB;
const EVACUATION_LIVE_SHARE = 0.75;
const SMALLEST_ARENA_BYTES = 64 * MIB;

export class Arena {
  readonly id: number;
  readonly memory: WebAssembly.Memory;
  #space: FreeSpace;
  #view: Uint8Array;
  /** Where blocks begin: after the head and the workspaces. */
  readonly #begin: number;
  /** The most bytes ever in use: pages up to here are resident and stay so until the arena is dropped. */
  #touched: number;
  /** A sealed arena only empties. */
  #sealed = false;

  private constructor(id: number, memory: WebAssembly.Memory, space: FreeSpace, begin: number, touched: number) {
    this.id = id;
    this.#begin = begin;
    this.memory = memory;
    this.#space = space;
    this.#touched = touched;
    this.#view = new Uint8Array(memory.buffer);
  }

  /** `workspaces` is what threads that search have set aside for themselves, before all blocks. */
  static create(id: number, bytesMax: number = limits.arenaBytes, workspaces = 0): Arena {
    const { memory, bytes } = reserve(bytesMax, workspaces + SMALLEST_ARENA_BYTES);
    const begin = HEAD_BYTES + workspaces;
    const arena = new Arena(id, memory, new FreeSpace(begin, bytes), begin, 0);
    if (workspaces > 0 && !arena.#grow(workspaces)) throw new RangeError("no memory is left for searches");
    return arena;
  }

  /** Takes over a memory whose former writer is gone; everything outside `live` is free. */
  static adopt(
    id: number,
    memory: WebAssembly.Memory,
    live: Iterable<Extent>,
    bytesMax: number = limits.arenaBytes,
    workspaces = 0,
  ): Arena {
    const begin = HEAD_BYTES + workspaces;
    return new Arena(id, memory, FreeSpace.around(begin, bytesMax, live), begin, memory.buffer.byteLength - begin);
  }

  get liveBytes(): number {
    return this.#space.takenBytes;
  }

  get touchedBytes(): number {
    return this.#touched;
  }

  get sealed(): boolean {
    return this.#sealed;
  }

  /** Offset of a new block, or -1 when the arena has no room. */
  allocate(length: number): number {
    if (this.#sealed) return -1;
    const offset = this.#space.allocate(length);
    if (offset < 0) return -1;
    const missing = this.#space.end - this.#view.byteLength;
    if (missing > 0 && !this.#grow(missing)) {
      this.#space.free(offset, length);
      return -1;
    }
    this.#touched = Math.max(this.#touched, this.#space.end - this.#begin);
    return offset;
  }

  free(offset: number, length: number): void {
    this.#space.free(offset, length);
  }

  bytes(offset: number, length: number): Uint8Array {
    return this.#view.subarray(offset, offset + length);
  }

  /** From now on nothing is allocated here; once empty the arena can be dropped. */
  seal(): void {
    this.#sealed = true;
  }

  /** Whether so much of what is resident holds nothing that copying the rest elsewhere gives memory back. */
  shouldEvacuate(): boolean {
    return this.#touched >= EVACUATION_BYTES_MIN && this.liveBytes < this.#touched * EVACUATION_LIVE_SHARE;
  }

  #grow(missing: number): boolean {
    const wanted = Math.ceil(missing / WASM_PAGE_BYTES);
    try {
      this.memory.grow(Math.max(wanted, GROWTH_BYTES / WASM_PAGE_BYTES));
    } catch {
      try {
        this.memory.grow(wanted);
      } catch {
        return false;
      }
    }
    this.#view = new Uint8Array(this.memory.buffer);
    return true;
  }
}

/** Where address space is short (containers with a limit on it) a smaller memory is better than none. */
function reserve(bytesMax: number, bytesMin: number): { memory: WebAssembly.Memory; bytes: number } {
  for (let bytes = bytesMax; ; bytes = Math.floor(bytes / 2 / WASM_PAGE_BYTES) * WASM_PAGE_BYTES) {
    try {
      const maximum = Math.floor(bytes / WASM_PAGE_BYTES);
      return {
        memory: new WebAssembly.Memory({ initial: 1, maximum, shared: true }),
        bytes: maximum * WASM_PAGE_BYTES,
      };
    } catch (error) {
      if (bytes < 2 * bytesMin) throw error;
    }
  }
}
