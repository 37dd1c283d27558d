/**
 * The control block: the one place every thread looks at to learn which state of the indexes is current.
 * It holds the epoch, the pointer to the directory and one pin per thread. It never allocates and never waits.
 *
 * ```
 *  publish (writer)                         pin (reader)
 *  1 write new blocks                       1 e = epoch
 *  2 directory = pointer to them            2 slot = e
 *  3 epoch = e + 1                          3 epoch still e? otherwise again from 1
 *  4 old blocks may be freed once           4 read directory and all it leads to
 *    no slot holds an epoch <= e            5 slot = 0
 * ```
 * All accesses are sequentially consistent. A reader that passed step 3 stored its pin before the writer's step 3, so
 * the writer sees it in step 4. A reader may see the directory of step 2 under the older epoch: that only keeps more.
 *
 * Epoch-based reclamation: Fraser 2004, "Practical lock-freedom".
 */
import { limits } from "../../base/limits.ts";

/** Bytes in one arena. Offsets are multiples of 64. */
export interface BlockPointer {
  arena: number;
  offset: number;
  length: number;
}

/** Blocks begin on a cache line: kernels may load whole vectors, and a packed pointer needs fewer bits. */
export const BLOCK_ALIGNMENT = 64;

const EPOCH_WORD = 0;
const DIRECTORY_LONG = 1;
const FIRST_PIN_WORD = 16;
/** Each pin has a cache line of its own, so that pinning in one thread never slows another. */
const WORDS_PER_PIN = 16;
const PINS = limits.readersMax + 1;
const FIRST_EPOCH = 1;
/** A slot without a pin. No epoch has this number. */
const UNPINNED = 0;

/** Pin slot of the front thread; reader `n` has slot `n + 1`. */
export const FRONT_PIN = 0;

export function readerPin(reader: number): number {
  return reader + 1;
}

/** Epochs wrap around at 32 bits; no pin lives long enough for the difference to be ambiguous. */
export function isOlder(epoch: number, than: number): boolean {
  return ((epoch - than) | 0) < 0;
}

const ARENA_BITS = 16n;
const UNITS_BITS = 26n;
const LENGTH_BITS = 22n;
const LENGTH_UNITS_MAX = 2 ** Number(LENGTH_BITS) - 1;

/** Arena, offset and length (both in units of 64 bytes) in one word, so that one store replaces all three. */
function pack(block: BlockPointer): bigint {
  const units = Math.ceil(block.length / BLOCK_ALIGNMENT);
  if (units > LENGTH_UNITS_MAX || block.offset % BLOCK_ALIGNMENT !== 0) throw new RangeError("not a directory block");
  const word =
    (BigInt(block.arena) << (UNITS_BITS + LENGTH_BITS)) |
    (BigInt(block.offset / BLOCK_ALIGNMENT) << LENGTH_BITS) |
    BigInt(units);
  return BigInt.asIntN(64, word);
}

function unpack(word: bigint): BlockPointer {
  const field = (shift: bigint, bits: bigint): number => Number(BigInt.asUintN(Number(bits), word >> shift));
  return {
    arena: field(UNITS_BITS + LENGTH_BITS, ARENA_BITS),
    offset: field(LENGTH_BITS, UNITS_BITS) * BLOCK_ALIGNMENT,
    length: field(0n, LENGTH_BITS) * BLOCK_ALIGNMENT,
  };
}

export class Control {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #longs: BigInt64Array;

  /** Opens the block another thread made. */
  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer);
    this.#longs = new BigInt64Array(buffer);
  }

  static create(): Control {
    const control = new Control(new SharedArrayBuffer((FIRST_PIN_WORD + PINS * WORDS_PER_PIN) * 4));
    Atomics.store(control.#words, EPOCH_WORD, FIRST_EPOCH);
    return control;
  }

  get epoch(): number {
    return Atomics.load(this.#words, EPOCH_WORD);
  }

  /** The current directory; `length` is rounded up to whole units. Null before the first publication. */
  directory(): BlockPointer | null {
    const word = Atomics.load(this.#longs, DIRECTORY_LONG);
    return word === 0n ? null : unpack(word);
  }

  /**
   * Writer only: shows `directory` to everyone who pins from now on.
   * Returns the last epoch under which the state before could be seen: what it alone held is retired with that.
   */
  publish(directory: BlockPointer): number {
    Atomics.store(this.#longs, DIRECTORY_LONG, pack(directory));
    return this.advance();
  }

  /** Writer only: begins a new epoch with the same directory. Returns the one that ended. */
  advance(): number {
    const ended = this.epoch;
    Atomics.store(this.#words, EPOCH_WORD, epochAfter(ended));
    return ended;
  }

  /** The epoch that `publish` will begin. Writer only. */
  nextEpoch(): number {
    return epochAfter(this.epoch);
  }

  /** Protects everything visible now until the slot is cleared or moved. Never waits. */
  pin(slot: number): number {
    const word = pinWord(slot);
    let epoch: number;
    do {
      epoch = Atomics.load(this.#words, EPOCH_WORD);
      Atomics.store(this.#words, word, epoch);
    } while (Atomics.load(this.#words, EPOCH_WORD) !== epoch);
    return epoch;
  }

  /** Moves the pin of a slot on to a later epoch that its thread also holds. */
  movePin(slot: number, epoch: number): void {
    Atomics.store(this.#words, pinWord(slot), epoch);
  }

  /** Also called for a thread that died with its pin in place. */
  unpin(slot: number): void {
    Atomics.store(this.#words, pinWord(slot), UNPINNED);
  }

  /** The oldest epoch anyone holds, or null. */
  oldestPin(): number | null {
    let oldest: number | null = null;
    for (let slot = 0; slot < PINS; slot++) {
      const epoch = Atomics.load(this.#words, pinWord(slot));
      if (epoch !== UNPINNED && (oldest === null || isOlder(epoch, oldest))) oldest = epoch;
    }
    return oldest;
  }
}

function pinWord(slot: number): number {
  return FIRST_PIN_WORD + slot * WORDS_PER_PIN;
}

function epochAfter(epoch: number): number {
  const next = (epoch + 1) | 0;
  return next === UNPINNED ? next + 1 : next;
}

/**
 * The pins of one thread. It may hold several at once (requests that wait for something); the shared slot holds the
 * oldest of them, which protects the later ones too.
 */
export class Pins {
  readonly #control: Control;
  readonly #slot: number;
  /** Held epochs, oldest first, with how many holders each has. */
  readonly #held: { epoch: number; holders: number }[] = [];

  constructor(control: Control, slot: number) {
    this.#control = control;
    this.#slot = slot;
  }

  take(): number {
    const held = this.#held;
    if (held.length === 0) {
      const epoch = this.#control.pin(this.#slot);
      held.push({ epoch, holders: 1 });
      return epoch;
    }
    const epoch = this.#control.epoch;
    const newest = held[held.length - 1]!;
    if (newest.epoch === epoch) newest.holders++;
    else held.push({ epoch, holders: 1 });
    return epoch;
  }

  release(epoch: number): void {
    const held = this.#held;
    const at = held.findIndex((pin) => pin.epoch === epoch);
    if (at < 0) throw new Error(`epoch ${epoch} is not pinned`);
    if (--held[at]!.holders > 0) return;
    if (at === held.length - 1) held.pop();
    else held.splice(at, 1);
    if (held.length === 0) this.#control.unpin(this.#slot);
    else if (at === 0) this.#control.movePin(this.#slot, held[0]!.epoch);
  }

  /** The oldest epoch this thread still holds, or null. */
  oldest(): number | null {
    return this.#held.length === 0 ? null : this.#held[0]!.epoch;
  }
}
