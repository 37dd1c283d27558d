/** A request while a reader serves it: the state it sees, and who waits for it. */
import type { Catalog, Snapshot } from "../../storage/index/catalog.ts";
import type { AnswerCache } from "../cache/answer-cache.ts";
import type { Slots } from "../link/slots.ts";
import { Asking } from "./asking.ts";
import type { RequestContext } from "./task.ts";

/** What all requests of a reader share. */
export interface Serving {
  readonly catalog: Pick<Catalog, "pin">;
  readonly slots: Pick<Slots, "isCanceled">;
  readonly kept: AnswerCache;
  /** Counts searches whose answers are incomplete. */
  readonly degraded: Int32Array;
}

/** A class, not an object with functions of its own: one is made for every request, and all code that it reaches sees one shape. */
export class ServedRequest implements RequestContext {
  readonly kept: AnswerCache;
  readonly #serving: Serving;
  readonly #slot: number;
  #snapshot: Snapshot | null = null;
  #parts: Asking | null = null;

  constructor(serving: Serving, slot: number) {
    this.kept = serving.kept;
    this.#serving = serving;
    this.#slot = slot;
  }

  snapshot(): Snapshot {
    this.#snapshot ??= this.#serving.catalog.pin();
    return this.#snapshot;
  }

  canceled(): boolean {
    return this.#serving.slots.isCanceled(this.#slot);
  }

  get parts(): Asking {
    this.#parts ??= new Asking();
    return this.#parts;
  }

  set parts(asking: Asking) {
    this.#parts = asking;
  }

  countDegraded(): void {
    Atomics.add(this.#serving.degraded, 0, 1);
  }

  /** Once it is answered. */
  release(): void {
    this.#snapshot?.release();
  }
}
