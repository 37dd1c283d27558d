// Writes columns of whole numbers as `NumberColumns` reads them.
import { ByteSink } from "../../src/base/json/bytes.ts";

export class ColumnWriter {
  readonly #bytes = new ByteSink();

  add(...values: number[]): void {
    for (const value of values) this.#bytes.varint(value);
  }

  addSigned(value: number): void {
    this.#bytes.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  bytes(): Uint8Array {
    return this.#bytes.view();
  }
}

/** One after the other. */
export function joinColumns(columns: readonly ColumnWriter[]): Uint8Array {
  const file = new ByteSink();
  for (const column of columns) {
    const bytes = column.bytes();
    file.varint(bytes.length);
    file.bytes(bytes);
  }
  return file.copy();
}
