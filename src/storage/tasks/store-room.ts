/** Whether the store has room for more tasks. Where it has none, only what frees some is taken. */
import type { TaskContent } from "../../base/contract/task.ts";
import { apiError } from "../../base/errors/errors.ts";
import type { OwnStore } from "../store/store.ts";

/** The used size moves slowly, so it is measured once in this many tasks. */
const TASKS_PER_MEASURE = 1024;

export class StoreRoom {
  readonly #store: OwnStore;
  readonly #bytesMax: number;
  #untilMeasure = 0;
  #isFull = false;

  constructor(store: OwnStore, bytesMax: number) {
    this.#store = store;
    this.#bytesMax = bytesMax;
  }

  refuseWhenFull(content: TaskContent): void {
    if (this.#isFull || this.#untilMeasure-- <= 0) {
      this.#isFull = this.#store.sizeBytes() > this.#bytesMax;
      this.#untilMeasure = TASKS_PER_MEASURE;
    }
    if (!this.#isFull) return;
    const frees = content.type === "taskDeletion" || content.type === "taskCancelation";
    if (frees && content.matchedUids.length > 0) return;
    throw apiError("no_space_left_on_device", "The task store is full: delete finished tasks before adding new ones.");
  }

  /** Tasks may have been deleted. */
  measureAgain(): void {
    if (!this.#isFull) return;
    this.#isFull = false;
    this.#untilMeasure = 0;
  }
}
