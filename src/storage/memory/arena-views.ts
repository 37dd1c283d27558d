/**
 * All arenas, as a reading thread sees them: from arena number to bytes. It never writes, and it lets go of an arena
 * as soon as the directory no longer names it, so that the memory can be unmapped.
 */
import { HEAD_BYTES } from "./arena.ts";
import type { BlockPointer } from "./control.ts";
import { Workspace } from "./workspace.ts";

interface View {
  memory: WebAssembly.Memory;
  bytes: Uint8Array;
  workspace: Workspace | null;
}

/** Which of the workspaces that arenas begin with is this thread's. */
interface Seat {
  number: number;
  bytes: number;
}

export class ArenaViews {
  readonly #refill: () => void;
  readonly #seat: Seat | null;
  readonly #views = new Map<number, View>();

  /** `refill` fetches memories that were handed over but not yet added, without waiting. */
  constructor(refill: () => void = () => {}, seat: Seat | null = null) {
    this.#refill = refill;
    this.#seat = seat;
  }

  add(id: number, memory: WebAssembly.Memory): void {
    this.#views.set(id, { memory, bytes: new Uint8Array(memory.buffer), workspace: null });
  }

  /** This thread's part of an arena; null for a thread without a seat. */
  workspace(id: number): Workspace | null {
    if (this.#seat === null) return null;
    const view = this.#view(id);
    const { bytes, number } = this.#seat;
    view.workspace ??= new Workspace(view.memory, HEAD_BYTES + number * bytes, bytes);
    return view.workspace;
  }

  memories(): ReadonlyMap<number, WebAssembly.Memory> {
    return new Map([...this.#views].map(([id, view]) => [id, view.memory]));
  }

  memory(id: number): WebAssembly.Memory {
    return this.#view(id).memory;
  }

  bytes(block: BlockPointer): Uint8Array {
    const view = this.#view(block.arena);
    const end = block.offset + block.length;
    if (end > view.bytes.byteLength) refresh(view);
    if (end > view.bytes.byteLength) throw new RangeError(`block beyond arena ${block.arena}`);
    return view.bytes.subarray(block.offset, end);
  }

  /**
   * Whether an arena below `next` is known that is not among `ids`: one to forget. One from `next` on was handed over
   * ahead of the state that uses it.
   */
  hasOther(ids: ReadonlySet<number>, next: number): boolean {
    this.#refill();
    for (const id of this.#views.keys()) if (id < next && !ids.has(id)) return true;
    return false;
  }

  /** Forgets every arena below `next` that is not among `ids`. */
  keepOnly(ids: ReadonlySet<number>, next: number): void {
    for (const id of [...this.#views.keys()]) if (id < next && !ids.has(id)) this.#views.delete(id);
  }

  #view(id: number): View {
    let view = this.#views.get(id);
    if (view === undefined) {
      this.#refill();
      view = this.#views.get(id);
    }
    if (view === undefined) throw new RangeError(`arena ${id} was never handed over`);
    return view;
  }
}

/** A buffer object keeps the length it had; the memory gives out a longer one after it grew in another thread. */
function refresh(view: View): void {
  const before = view.bytes.byteLength;
  view.bytes = new Uint8Array(view.memory.buffer);
  if (view.bytes.byteLength > before) return;
  // The engine tells a thread of growth elsewhere at its next interrupt check; growing by nothing asks at once.
  view.memory.grow(0);
  view.bytes = new Uint8Array(view.memory.buffer);
}
