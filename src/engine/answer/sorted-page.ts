/** A page of documents in the order of sort expressions instead of internal ids. */
import { apiError } from "../../base/errors/errors.ts";
import type { IndexView } from "../../storage/index/view.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import { orderRows } from "../filter/order.ts";
import { checkSort, parseSort, SortError } from "../filter/sort.ts";
import type { Element } from "../rank/elements.ts";
import type { Page } from "./page.ts";

/** Throws `invalid_document_sort` for expressions that cannot be used on this index. */
export function sortedPage(
  view: IndexView,
  sort: readonly string[],
  rows: readonly Bitmap[],
  offset: number,
  limit: number,
): Page {
  try {
    const rules = parseSort(sort);
    checkSort(rules, view.settings);
    const segments = view.segments.map(({ rows: count, reader }) => ({
      rows: count,
      docids: reader.docids,
      columns: reader.columns,
      geo: reader.geo,
    }));
    const ordered = orderRows(segments, rows, rules, offset + limit);
    return { segments: ordered.segments.subarray(offset), rows: ordered.rows.subarray(offset) };
  } catch (error) {
    throw error instanceof SortError ? apiError("invalid_document_sort", error.message) : error;
  }
}

/** By what each document of such a page has its place. */
export function sortElements(view: IndexView, sort: readonly string[], page: Page): Element[][] {
  const rules = parseSort(sort);
  return Array.from(page.rows, (row, i) => {
    const { columns, geo } = view.segments[page.segments[i]!]!.reader;
    return rules.map((rule): Element => {
      const { descending } = rule;
      if (rule.kind === "field") {
        const value = columns?.column(rule.field)?.sortValue(row, descending) ?? null;
        return { kind: "sort", descending, value };
      }
      const metres = geo?.distance(row, rule.lat, rule.lng) ?? Number.POSITIVE_INFINITY;
      return { kind: "geo", descending, distance: Number.isFinite(metres) ? metres : null };
    });
  });
}
