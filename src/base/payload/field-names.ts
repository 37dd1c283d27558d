/** Top-level names of documents, numbered as they appear. */
import type { JsonCursor } from "../json/cursor.ts";
import { KeyTable } from "../json/key-table.ts";

/** Numbers names by first appearance. Two spellings of one name (escapes) share its number. */
export class FieldNames {
  readonly #table = new KeyTable();
  fields: string[];
  readonly #byText = new Map<string, number>();

  constructor(fields: string[]) {
    this.fields = fields;
  }

  /** Those of other documents, from none on: their numbers begin anew. */
  begin(fields: string[]): void {
    this.fields = fields;
    this.#table.clear();
    this.#byText.clear();
  }

  /** The number of the KEY the cursor stands on. */
  number(bytes: Uint8Array, cursor: JsonCursor): number {
    const known = this.#table.get(bytes, cursor.start, cursor.end);
    if (known !== -1) return known;
    const name = cursor.text();
    let number = this.#byText.get(name);
    if (number === undefined) {
      number = this.fields.length;
      this.fields.push(name);
      this.#byText.set(name, number);
    }
    // Raw spellings are kept as they are: the backslash tells an escaped spelling from any plain one.
    this.#table.add(bytes, cursor.start, cursor.end, number);
    return number;
  }
}
