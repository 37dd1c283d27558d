/** Which row of which input becomes which row of a merged segment: ascending internal id, dropped rows left out. */
import type { Bitmap } from "./bitmap.ts";

/** What of an input decides about its rows. */
interface RowSource {
  reader: { rows: number; docids: Uint32Array };
  live: Bitmap | null;
}

export class RowPlan {
  readonly rows: number;
  readonly docids: Uint32Array;
  /** New row to input, and to the row there. */
  readonly inputsOf: Uint16Array;
  readonly rowsOf: Uint32Array;
  /** For each input: old row to new row, -1 when dropped. */
  readonly rowMaps: Int32Array[];

  constructor(rows: number, rowMaps: Int32Array[]) {
    this.rows = rows;
    this.docids = new Uint32Array(rows);
    this.inputsOf = new Uint16Array(rows);
    this.rowsOf = new Uint32Array(rows);
    this.rowMaps = rowMaps;
  }

  /** End of the run of new rows from `from` on that lie side by side in one input. */
  runEnd(from: number): number {
    const { inputsOf, rowsOf } = this;
    let end = from + 1;
    while (end < this.rows && inputsOf[end] === inputsOf[from] && rowsOf[end] === rowsOf[end - 1]! + 1) end++;
    return end;
  }
}

/** Inputs in one merge; an internal id and the number of its input fit one exact number. */
const INPUTS_MAX = 65_536;

export function mergeRows(inputs: readonly RowSource[]): RowPlan {
  if (inputs.length > INPUTS_MAX) throw new RangeError(`more than ${INPUTS_MAX} segments in one merge`);
  let rows = 0;
  for (const { reader, live } of inputs) rows += live === null ? reader.rows : live.count();
  const keys = new Float64Array(rows);
  let count = 0;
  let ordered = true;
  const nextRows = inputs.map(({ live }) => (live === null ? 0 : live.first()));
  inputs.forEach(({ reader, live }, input) => {
    for (
      let row = nextRows[input]!;
      row !== -1 && row < reader.rows;
      row = live === null ? row + 1 : live.next(row + 1)
    ) {
      keys[count] = reader.docids[row]! * INPUTS_MAX + input;
      if (count > 0 && keys[count]! < keys[count - 1]!) ordered = false;
      count++;
    }
  });
  if (!ordered) keys.sort();
  const plan = new RowPlan(
    rows,
    inputs.map(({ reader }) => new Int32Array(reader.rows).fill(-1)),
  );
  for (let i = 0; i < rows; i++) {
    const input = keys[i]! % INPUTS_MAX;
    const row = nextRows[input]!;
    const { live } = inputs[input]!;
    nextRows[input] = live === null ? row + 1 : live.next(row + 1);
    plan.docids[i] = (keys[i]! - input) / INPUTS_MAX;
    plan.inputsOf[i] = input;
    plan.rowsOf[i] = row;
    plan.rowMaps[input]![row] = i;
  }
  return plan;
}
