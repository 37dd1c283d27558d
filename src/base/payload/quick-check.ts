/** Checks that the documents of a large body are JSON, in compiled code. What is wrong with a body is for `JsonScanner` to say. */
import { desk, SLAB_BYTES, SLAB_DOCUMENTS } from "../document/desk.ts";
import { CHECK_CLOSED, CHECK_REFUSED, CHECK_STATE_BITS } from "../kernels/documents/kernels.ts";
import { limits } from "../limits.ts";
import type { RangeList } from "./ranges.ts";

/**
 * The offset behind the documents that begin at `start`: objects one after another, or the elements of an array whose
 * opening was read, up to and with its end. -1 when something is wrong; the ranges are of no meaning then.
 */
export function checkDocuments(body: Uint8Array, start: number, isArray: boolean, ranges: RangeList): number {
  const table = desk();
  const { kernels } = table;
  table.open();
  kernels.openBody(isArray, kernels.allocate(limits.jsonDepth), limits.jsonDepth);
  let slabBytes = SLAB_BYTES;
  let at = start;
  while (at < body.length) {
    const length = Math.min(slabBytes, body.length - at);
    table.put(body.subarray(at, at + length));
    const { input, pairs } = table;
    const answer = kernels.checkDocuments(input, input + length, at - input, pairs, SLAB_DOCUMENTS);
    const state = answer & ((1 << CHECK_STATE_BITS) - 1);
    if (state === CHECK_REFUSED) return -1;
    const found = 2 * (answer >>> CHECK_STATE_BITS);
    ranges.append(table.words.subarray(pairs / 4, pairs / 4 + found));
    const done = kernels.nextOfBody() - input;
    at += done;
    if (state === CHECK_CLOSED) return at;
    if (done > 0) continue;
    // Not one document fits in: the last one is cut short, or it is larger than the slab.
    if (at + length === body.length) return -1;
    slabBytes *= 2;
  }
  return isArray || ranges.isEmpty ? -1 : at;
}
