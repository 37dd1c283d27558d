import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError } from "../../../src/base/errors/errors.ts";
import { sortedPage } from "../../../src/engine/answer/sorted-page.ts";
import type { IndexView } from "../../../src/storage/index/view.ts";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";
import { ColumnsReader } from "../../../src/storage/segment/columns/reader.ts";
import { defaultSettings } from "../../../src/storage/settings/update.ts";
import { ColumnsBuilder } from "../../storage/segment/columns/builder.ts";

/** Two segments of three rows; ids interleave and one document has no price. */
function priceView(): IndexView {
  const segments = [
    { docids: [0, 2, 4], prices: [30, 10, null] },
    { docids: [1, 3, 5], prices: [20, 10, 5] },
  ].map(({ docids, prices }) => {
    const builder = new ColumnsBuilder(prices.length);
    prices.forEach((price, row) => {
      if (price === null) return;
      builder.present(row, "price");
      builder.number(row, "price", price);
    });
    const columns = new ColumnsReader(builder.finish());
    return { rows: prices.length, reader: { docids: Uint32Array.from(docids), columns, geo: null } };
  });
  const settings = { ...defaultSettings(), sortableAttributes: ["price"] };
  return { settings, segments } as unknown as IndexView;
}

describe("a sorted page of documents", () => {
  const view = priceView();
  const all = [Bitmap.full(3), Bitmap.full(3)];
  const docids = (sort: string[], offset: number, limit: number, rows = all) => {
    const page = sortedPage(view, sort, rows, offset, limit);
    return [...page.rows].map((row, i) => view.segments[page.segments[i]!]!.reader.docids[row]);
  };

  it("orders across segments, those without the field last, ties by internal id", () => {
    assert.deepEqual(docids(["price:asc"], 0, 20), [5, 2, 3, 1, 0, 4]);
    assert.deepEqual(docids(["price:desc"], 0, 20), [0, 1, 2, 3, 5, 4]);
  });

  it("takes the page out of the given rows only", () => {
    assert.deepEqual(docids(["price:asc"], 2, 2), [3, 1]);
    assert.deepEqual(docids(["price:asc"], 10, 2), []);
    assert.deepEqual(docids(["price:asc"], 0, 2, [Bitmap.of(3, [0, 2]), Bitmap.create(3)]), [0, 4]);
  });

  it("refuses what is not sortable or not a sort", () => {
    for (const sort of ["name:asc", "price", "price:up", "_geo:asc"]) {
      assert.throws(
        () => docids([sort], 0, 1),
        (error) => error instanceof ApiError && error.code === "invalid_document_sort",
        sort,
      );
    }
  });
});
