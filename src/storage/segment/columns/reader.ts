/**
 * Opens a columns part (bytes that start on a multiple of 64) and finds its fields by name. What a field holds is in
 * `column.ts`. It never changes a byte.
 */
import { ByteBuffer } from "flatbuffers";
import type { Bitmap } from "../bitmap.ts";
import { ColumnsPart } from "../generated/columns-part.ts";
import { Column } from "./column.ts";
import { FacetCountCache } from "./facet-count-cache.ts";
import { PlacedRows } from "./placed-rows.ts";
import { RowSetCache } from "./row-set-cache.ts";
import type { ColumnHome } from "./scan.ts";

export class ColumnsReader {
  readonly rows: number;
  readonly #part: ColumnsPart;
  readonly #data: Uint8Array;
  #positions: Map<string, number> | null = null;
  readonly #opened = new Map<string, Column>();
  readonly #home: ColumnHome | null;
  /** How many live rows have each value, of fields whose facets were asked for. */
  readonly kept = new FacetCountCache();
  readonly #keptRows = new RowSetCache();

  /** `home`: the segment it is part of; null for a part on its own. */
  constructor(part: Uint8Array, home: ColumnHome | null = null) {
    this.#home = home;
    this.#part = ColumnsPart.getRootAsColumnsPart(new ByteBuffer(part));
    this.rows = this.#part.rows();
    this.#data = this.#part.dataArray() ?? new Uint8Array(0);
  }

  /** Names of all fields that some row has, sorted by UTF-16 units. */
  fields(): string[] {
    return [...this.#names().keys()];
  }

  /** Null when no row of this segment has the field, or it was not kept as a column. */
  column(field: string): Column | null {
    let column = this.#opened.get(field);
    if (column === undefined) {
      const position = this.#names().get(field);
      if (position === undefined) return null;
      column = new Column(this.#part.columns(position)!, this.rows, this.#data, this.#home, this.#keptRows);
      this.#opened.set(field, column);
    }
    return column;
  }

  /** A set of rows where kernels find it; the caller releases it. */
  place(rows: Bitmap): PlacedRows {
    if (this.#home === null) throw new Error("the columns belong to no segment");
    return new PlacedRows(rows, this.#home.home.workspace);
  }

  #names(): Map<string, number> {
    if (this.#positions === null) {
      this.#positions = new Map();
      for (let i = 0; i < this.#part.columnsLength(); i++) this.#positions.set(this.#part.columns(i)!.name()!, i);
    }
    return this.#positions;
  }
}
