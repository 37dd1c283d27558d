/**
 * All arenas, as the writer sees them: hands out blocks, opens another arena when one is full, drops arenas that
 * have emptied. Which blocks are still needed is the business of its caller.
 */
import { outOfMemory } from "../../base/errors/errors.ts";
import { limits } from "../../base/limits.ts";
import { Arena } from "./arena.ts";
import type { BlockPointer } from "./control.ts";
import { collectGarbageSoon } from "./garbage.ts";

export interface ArenaHost {
  /** Hands a new memory to every thread; resolves when all of them can find it. */
  announce(id: number, memory: WebAssembly.Memory): Promise<void>;
  /** The memory of an arena is no longer used by any state; whoever keeps it may let go. */
  dismiss(id: number): void;
}

export class ArenaSet {
  readonly #host: ArenaHost;
  readonly #arenaBytesMax: number;
  readonly #bytesMax: number;
  readonly #workspaces: number;
  readonly #arenas = new Map<number, Arena>();
  #nextId = 0;
  #announced: Promise<unknown> = Promise.resolve();

  /** `bytesMax` is what all blocks together may take; `workspaces` what is set aside in each arena. */
  constructor(
    host: ArenaHost,
    arenaBytesMax: number = limits.arenaBytes,
    bytesMax = Number.POSITIVE_INFINITY,
    workspaces = 0,
  ) {
    this.#host = host;
    this.#arenaBytesMax = arenaBytesMax;
    this.#bytesMax = bytesMax;
    this.#workspaces = workspaces;
  }

  /**
   * Takes over the memories of a writer that died. `live` are the blocks the current directory leads to; nobody may
   * still pin an older state.
   */
  adopt(memories: ReadonlyMap<number, WebAssembly.Memory>, live: readonly BlockPointer[]): void {
    for (const [id, memory] of memories) {
      const inside = live.filter((block) => block.arena === id);
      this.#arenas.set(id, Arena.adopt(id, memory, inside, this.#arenaBytesMax, this.#workspaces));
      this.#nextId = Math.max(this.#nextId, id + 1);
    }
  }

  ids(): number[] {
    return [...this.#arenas.keys()];
  }

  /** Those that only empty, so that they can be dropped. */
  sealedIds(): number[] {
    return [...this.#arenas.values()].filter((arena) => arena.sealed).map((arena) => arena.id);
  }

  /** The number the next arena will have: never given before. */
  get nextId(): number {
    return this.#nextId;
  }

  get liveBytes(): number {
    return this.#sum((arena) => arena.liveBytes);
  }

  /** What the arenas hold resident, live or not. */
  get touchedBytes(): number {
    return this.#sum((arena) => arena.touchedBytes);
  }

  /** A block of uninitialized bytes. Its address means nothing to other threads before `announced()` resolves. */
  allocate(length: number): BlockPointer {
    if (this.liveBytes + length > this.#bytesMax) throw outOfMemory(this.#bytesMax);
    for (const arena of this.#arenas.values()) {
      const offset = arena.allocate(length);
      if (offset >= 0) return { arena: arena.id, offset, length };
    }
    const arena = Arena.create(this.#nextId++, this.#arenaBytesMax, this.#workspaces);
    const offset = arena.allocate(length);
    if (offset < 0) throw outOfMemory(null);
    this.#arenas.set(arena.id, arena);
    this.#announced = Promise.all([this.#announced, this.#host.announce(arena.id, arena.memory)]);
    return { arena: arena.id, offset, length };
  }

  /** Resolves when every thread can find every arena opened so far. */
  async announced(): Promise<void> {
    await this.#announced;
  }

  bytes(block: BlockPointer): Uint8Array {
    return this.#arena(block.arena).bytes(block.offset, block.length);
  }

  /** Gives the bytes back at once: nobody may see the block any more. */
  free(block: BlockPointer): void {
    const arena = this.#arena(block.arena);
    arena.free(block.offset, block.length);
    if (arena.sealed && arena.liveBytes === 0) {
      this.#arenas.delete(arena.id);
      this.#host.dismiss(arena.id);
      collectGarbageSoon();
    }
  }

  /** The arena whose live blocks had better move elsewhere, sealed so that they do; null when none. */
  evacuation(): number | null {
    for (const arena of this.#arenas.values()) {
      if (arena.sealed) return arena.id;
    }
    for (const arena of this.#arenas.values()) {
      if (!arena.shouldEvacuate()) continue;
      arena.seal();
      return arena.id;
    }
    return null;
  }

  #arena(id: number): Arena {
    const arena = this.#arenas.get(id);
    if (arena === undefined) throw new RangeError(`arena ${id} is not open`);
    return arena;
  }

  #sum(of: (arena: Arena) => number): number {
    let total = 0;
    for (const arena of this.#arenas.values()) total += of(arena);
    return total;
  }
}
