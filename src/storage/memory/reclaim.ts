/**
 * Blocks that are no longer part of the current state but that a reader may still be looking at. The writer hands
 * them in with the last epoch that showed them and takes them back when nobody pins that epoch or an older one.
 *
 * Epoch-based reclamation: Fraser 2004, "Practical lock-freedom".
 */
import { type BlockPointer, type Control, isOlder } from "./control.ts";

export class Reclaimer {
  readonly #control: Control;
  readonly #free: (block: BlockPointer) => void;
  /** In the order of their epochs. */
  #retired: { block: BlockPointer; epoch: number }[] = [];

  constructor(control: Control, free: (block: BlockPointer) => void) {
    this.#control = control;
    this.#free = free;
  }

  get pending(): number {
    return this.#retired.length;
  }

  retire(block: BlockPointer, epoch: number): void {
    this.#retired.push({ block, epoch });
  }

  /** Frees what nobody can see any more. Returns how many blocks that were. */
  collect(): number {
    if (this.#retired.length === 0) return 0;
    const oldest = this.#control.oldestPin();
    let freed = 0;
    while (freed < this.#retired.length) {
      const { block, epoch } = this.#retired[freed]!;
      if (oldest !== null && !isOlder(epoch, oldest)) break;
      this.#free(block);
      freed++;
    }
    if (freed > 0) this.#retired = this.#retired.slice(freed);
    return freed;
  }
}
