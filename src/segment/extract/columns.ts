/** From what the compiled walk gathered of a column to its builder: every different spelling becomes a string once. */
import { COLUMN_EMPTIES, COLUMN_NULLS, COLUMN_PRESENT, COLUMN_VALUES } from "../../kernels/extract/kernels.ts";
import type { ColumnBuilder } from "../columns/builder.ts";
import type { Workshop } from "./workshop.ts";

export function takeColumn(shop: Workshop, column: number, builder: ColumnBuilder): void {
  const { kernels } = shop;
  const list = (which: number) => shop.list((out) => kernels.columnList(column, which, out));
  builder.take({
    present: list(COLUMN_PRESENT),
    nulls: list(COLUMN_NULLS),
    empties: list(COLUMN_EMPTIES),
    numbers: spellings(shop, column, false).map(Number),
    texts: spellings(shop, column, true),
    values: list(COLUMN_VALUES),
  });
}

function spellings(shop: Workshop, column: number, texts: boolean): string[] {
  const places = shop.list((out) => shop.kernels.columnSpellings(column, texts, out), 2);
  const { bytes } = shop;
  const found: string[] = [];
  for (let i = 0; i < places.length; i += 2) {
    found.push(bytes.toString("utf8", places[i]!, places[i]! + places[i + 1]!));
  }
  return found;
}
