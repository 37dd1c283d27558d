/** What a row has of some fields, by name: numbers, then texts as they are spelled. */
import type { JsonObject } from "../../base/json/value.ts";
import type { ColumnsReader } from "../../storage/segment/columns/reader.ts";

export function columnValues(columns: ColumnsReader, row: number, fields: readonly string[]): JsonObject {
  const values = fields.map((field) => {
    const column = columns.column(field);
    const texts = column?.stringsOf(row).map(({ original }) => original) ?? [];
    return [field, [...(column?.numbersOf(row) ?? []), ...texts]];
  });
  return Object.fromEntries(values) as JsonObject;
}
