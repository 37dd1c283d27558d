/** A rule that cannot tell its documents apart, known without looking at them: they are one bucket. */
import { stepOf } from "./agreement.ts";
import type { Bucket, RankContext, Sorting } from "./context.ts";
import type { Documents } from "./documents.ts";
import type { Interpretations } from "./reading.ts";
import type { RankDetail } from "./result.ts";

export class SameCostSort implements Sorting {
  readonly #bucket: Bucket;
  readonly #context: RankContext;
  #handedOut = false;

  constructor(context: RankContext, documents: Documents, interpretations: Interpretations, detail: RankDetail) {
    this.#bucket = { documents, interpretations, detail };
    this.#context = context;
  }

  next(): Bucket | null {
    if (this.#handedOut) return null;
    this.#context.agreement?.reach(stepOf(this.#bucket.detail));
    const documents = this.rest();
    this.#handedOut = true;
    return { ...this.#bucket, documents };
  }

  rest(): Documents {
    const { documents } = this.#bucket;
    const handedOut = this.#handedOut;
    const { isExcluded } = this.#context;
    if (handedOut) return documents.filter(() => false);
    return isExcluded === null ? documents : documents.filter((segment, row) => !isExcluded(segment, row));
  }
}
