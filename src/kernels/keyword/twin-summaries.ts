/** The kernels over summaries of tables, in the plainest way. */
import type { SummaryKernels } from "./kernels.ts";
import type { Views } from "./twin.ts";
import { bucketOf } from "./twin-words.ts";

export function summaryTwin(views: Views): SummaryKernels {
  const { u8 } = views;
  const lower = (
    rows: number,
    m: number,
    list: number,
    n: number,
    plane: number,
    value: (i: number) => number,
  ): void => {
    const ranks = new Map(views.list(rows, m).map((row, i) => [row, i]));
    for (const [p, row] of views.list(list, n).entries()) {
      const rank = ranks.get(row);
      if (rank !== undefined) views.setU16(plane, p, Math.min(views.u16(plane, p), value(rank)));
    }
  };
  return {
    tableSummaries(starts, places, m, masks, firsts) {
      for (let i = 0; i < m; i++) {
        const own = views.list(places, views.u32(starts, i + 1)).slice(views.u32(starts, i));
        u8[masks + i] = own.reduce((mask, place) => mask | (1 << (place >>> 16)), 0);
        views.setU16(firsts, i, Math.min(65_535, ...own.map((place) => place & 0xffff)));
      }
    },
    tableMaskValues(rows, masks, m, list, n, values, plane) {
      lower(rows, m, list, n, plane, (i) => views.u16(values, u8[masks + i]!));
    },
    tableFirstValues(rows, firsts, m, list, n, values, plane) {
      lower(rows, m, list, n, plane, (i) => u8[values + bucketOf(views.u16(firsts, i))]!);
    },
  };
}
