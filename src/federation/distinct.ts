/** Keeps hits apart by the values of one attribute, whichever index they come from. */
import type { ColumnsReader } from "../segment/columns/reader.ts";

export class SeenValues {
  readonly #attribute: string;
  readonly #numbers = new Set<number>();
  readonly #strings = new Set<string>();

  constructor(attribute: string) {
    this.#attribute = attribute;
  }

  /** False when an accepted row had one of the values of this one; a row without value is always accepted. */
  accept(columns: ColumnsReader, row: number): boolean {
    const column = columns.column(this.#attribute);
    if (column === null) return true;
    const numbers = column.numbersOf(row);
    const strings = column.stringsOf(row);
    if (numbers.some((number) => this.#numbers.has(number))) return false;
    if (strings.some(({ normalized }) => this.#strings.has(normalized))) return false;
    for (const number of numbers) this.#numbers.add(number);
    for (const { normalized } of strings) this.#strings.add(normalized);
    return true;
  }
}
