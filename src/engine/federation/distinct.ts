/** Keeps hits apart by the values of one attribute, whichever index they come from. */
import type { ColumnsReader } from "../../storage/segment/columns/reader.ts";

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
    const strings = column.stringsOf(row).map(({ normalized }) => normalized);
    return this.acceptValues(column.numbersOf(row), strings);
  }

  /** The same for values that are at hand; strings are normalized. */
  acceptValues(numbers: readonly number[], strings: readonly string[]): boolean {
    if (numbers.some((number) => this.#numbers.has(number))) return false;
    if (strings.some((string) => this.#strings.has(string))) return false;
    for (const number of numbers) this.#numbers.add(number);
    for (const string of strings) this.#strings.add(string);
    return true;
  }
}
