/** The stored form of many documents at once, in compiled code; those it cannot read are stored one by one. */

import type { ByteSink } from "../json/bytes.ts";
import { NAME_UNREADABLE } from "../kernels/documents/kernels.ts";
import { desk, SLAB_BYTES, SLAB_DOCUMENTS } from "./desk.ts";
import { rankTableOf } from "./entries.ts";
import { storeDocument } from "./order.ts";

/** Receives where each document ends in `out`, in order. */
type EndVisitor = (place: number, end: number) => void;

export class DocumentLayer {
  readonly #order: ReadonlyMap<string, number>;
  readonly #out: ByteSink;

  /** Nothing else may use the desk of this thread as long as this is used. */
  constructor(order: ReadonlyMap<string, number>, out: ByteSink) {
    this.#order = order;
    this.#out = out;
    const ranks = rankTableOf(order);
    desk().open((bytes, start, end) => {
      const rank = ranks.get(bytes, start, end);
      return rank < 0 ? NAME_UNREADABLE : rank;
    });
  }

  /** How many of the documents from `first` on lie close enough together to be laid at once. */
  run(begins: Float64Array, ends: Float64Array, first: number, last: number): number {
    const limit = Math.min(last, first + SLAB_DOCUMENTS);
    let next = first + 1;
    while (next < limit && begins[next]! >= ends[next - 1]! && ends[next]! - begins[first]! <= SLAB_BYTES) next++;
    return next - first;
  }

  /** Lays the documents `first .. first + count - 1`, which `run` allows; offset `origin` is the first byte of `bytes`. */
  lay(
    bytes: Uint8Array,
    origin: number,
    begins: Float64Array,
    ends: Float64Array,
    first: number,
    count: number,
    visit: EndVisitor,
  ): void {
    const table = desk();
    const base = begins[first]!;
    table.put(bytes.subarray(base - origin, ends[first + count - 1]! - origin));
    for (let done = 0; done < count; ) {
      const { input, numbers, output, pairs, words } = table;
      for (let i = done; i < count; i++) {
        words[pairs / 4 + 2 * (i - done)] = begins[first + i]! - base;
        words[pairs / 4 + 2 * (i - done) + 1] = ends[first + i]! - base;
      }
      const laid = table.kernels.layDocuments(input, pairs, count - done, output, numbers);
      this.#take(first + done, laid, visit);
      done += laid;
      if (done === count) break;
      const at = first + done++;
      storeDocument(bytes, begins[at]! - origin, ends[at]! - origin, this.#order, this.#out);
      visit(at, this.#out.length);
    }
  }

  #take(first: number, laid: number, visit: EndVisitor): void {
    if (laid === 0) return;
    const { bytes, numbers, output, words } = desk();
    const before = this.#out.length;
    this.#out.bytes(bytes, output, output + words[numbers / 4 + laid - 1]!);
    for (let i = 0; i < laid; i++) visit(first + i, before + words[numbers / 4 + i]!);
  }
}
