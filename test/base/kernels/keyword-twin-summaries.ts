/** The kernels over summaries of rows, in the plainest way. */
import { Ref } from "../../../src/base/kernels/keyword/generated/layout.ts";
import type { SummaryKernels } from "../../../src/base/kernels/keyword/kernels.ts";
import type { Views } from "./keyword-twin.ts";
import { bucketOf, occurrences } from "./keyword-twin-words.ts";

export function summaryTwin(views: Views): SummaryKernels {
  const { u8 } = views;
  const lower = (bits: number, list: number, n: number, plane: number, value: (rank: number) => number): void => {
    const rows = views.list(list, n);
    let rank = 0;
    let counted = 0;
    for (const [p, row] of rows.entries()) {
      if (!views.has(bits, row)) continue;
      for (; counted < row; counted++) if (views.has(bits, counted)) rank++;
      views.setU16(plane, p, Math.min(views.u16(plane, p), value(rank)));
    }
  };
  const summarize = (places: readonly number[], i: number, masks: number, firsts: number): void => {
    u8[masks + i] = places.reduce((mask, place) => mask | (1 << (place >>> 16)), 0);
    views.setU16(firsts, i, Math.min(65_535, ...places.map((place) => place & 0xffff)));
  };
  return {
    tableSummaries(starts, places, m, masks, firsts) {
      for (let i = 0; i < m; i++) {
        summarize(views.span(places, views.u32(starts, i), views.u32(starts, i + 1)), i, masks, firsts);
      }
    },
    wordSummaries(refs, count, setOffsets, setFields, _bits, _ranks, _m, masks, firsts) {
      const ofRows = new Map<number, number[]>();
      for (let i = 0; i < count; i++) {
        for (const { row, places } of occurrences(views, refs + i * 4 * Ref.WORDS, setOffsets, setFields)) {
          ofRows.set(row, [...(ofRows.get(row) ?? []), ...places]);
        }
      }
      const rows = [...ofRows].sort(([a], [b]) => a - b);
      for (const [i, [, places]] of rows.entries()) summarize(places, i, masks, firsts);
    },
    maskValues(bits, _ranks, masks, list, n, values, plane) {
      lower(bits, list, n, plane, (i) => views.u16(values, u8[masks + i]!));
    },
    firstValues(bits, _ranks, firsts, list, n, values, plane) {
      lower(bits, list, n, plane, (i) => u8[values + bucketOf(views.u16(firsts, i))]!);
    },
  };
}
