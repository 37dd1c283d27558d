/**
 * Where a thread puts documents before compiled code, some at a time: a slab of bytes to read, a slab to write to, and a
 * list of where documents begin and end. One pass over documents uses it at a time.
 */
import { BEHIND_BYTES, type DocumentsKernels, documentsKernels } from "../kernels/documents/kernels.ts";
import { GrowingMemory, ownMemory } from "../kernels/growing-memory.ts";
import { KIB, MIB } from "../limits.ts";

/** Fewer bytes than this are not worth the desk. */
export const DESK_BYTES_MIN = 64 * KIB;
export const SLAB_BYTES = MIB;
/** Documents in a slab, at most. */
export const SLAB_DOCUMENTS = 16_384;

const PAGES_FIRST = 64;
const FIRST_ADDRESS = 16;

/** What a name at the top of documents means; see NAME_IS_ID and NAME_UNREADABLE. */
type NameMeaning = (bytes: Buffer, start: number, end: number) => number;

export class Desk extends GrowingMemory {
  readonly kernels: DocumentsKernels;
  /** Addresses of the slabs, of the pairs of start and end, and of one number for each document. */
  input = 0;
  output = 0;
  pairs = 0;
  numbers = 0;
  #room = 0;
  #nameOf: NameMeaning = () => 0;

  constructor() {
    super(ownMemory(PAGES_FIRST));
    this.kernels = documentsKernels(this.memory, {
      isFiniteNumber: (start, length) =>
        Number.isFinite(Number(this.bytes.toString("latin1", start, start + length))) ? 1 : 0,
      nameOf: (start, length) => this.#nameOf(this.bytes, start, start + length),
    });
  }

  /** Begins a pass. */
  open(nameOf: NameMeaning = () => 0): void {
    this.#nameOf = nameOf;
    // Chosen anew, so that nobody can send names prepared to collide.
    this.kernels.open(FIRST_ADDRESS, Math.random() * 2 ** 32, Math.random() * 2 ** 32);
    this.pairs = this.kernels.allocate(8 * SLAB_DOCUMENTS);
    this.numbers = this.kernels.allocate(4 * SLAB_DOCUMENTS);
    this.#room = 0;
    this.#makeRoom(SLAB_BYTES);
  }

  #makeRoom(bytes: number): void {
    this.#room = bytes;
    this.input = this.kernels.allocate(bytes + BEHIND_BYTES);
    // An id takes a line feed more than its document may hold.
    this.output = this.kernels.allocate(bytes + SLAB_DOCUMENTS);
  }

  /** Puts bytes on the input slab. */
  put(bytes: Uint8Array): void {
    this.slab(bytes.length).set(bytes);
  }

  /** The input slab, or as much of it as is wanted, for bytes to be put there. */
  slab(bytes: number): Buffer {
    if (bytes > this.#room) this.#makeRoom(bytes);
    return this.bytes.subarray(this.input, this.input + bytes);
  }
}

let own: Desk | null = null;

/** That of this thread. */
export function desk(): Desk {
  own ??= new Desk();
  return own;
}
