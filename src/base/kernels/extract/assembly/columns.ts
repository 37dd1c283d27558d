/** Values of faceted fields: every different text is kept once, every value is a row and the number of its text. */
import { Log } from "../../shared/assembly/log";
import { allocate, allocateZeros } from "../../shared/assembly/region";
import { Table } from "../../shared/assembly/table";

/** A value of a row: the number of its spelling doubled, plus one for texts. */
@unmanaged
export class Value {
  row: u32;
  spelling: u32;

  get isText(): bool {
    return (this.spelling & 1) !== 0;
  }

  /** The number of its spelling among those of its kind. */
  get number(): u32 {
    return this.spelling >> 1;
  }
}

@unmanaged
export class Column {
  /** Rows that have the field, whose value is null, is empty. */
  present: Log;
  nulls: Log;
  empties: Log;
  /** Different spellings of numbers and texts. */
  numbers: Table;
  texts: Table;
  /** A `Value` after the other. */
  values: Log;

  number(row: u32, start: usize, length: u32): void {
    this.values.pushPair(row, numberOf(this.numbers, start, length) << 1);
  }

  text(row: u32, start: usize, length: u32): void {
    if (length > 0) this.values.pushPair(row, (numberOf(this.texts, start, length) << 1) | 1);
  }
}

/** Strings are numbered from 0 in order of appearance. */
function numberOf(table: Table, start: usize, length: u32): u32 {
  const entry = table.entry(start, length);
  if (table.isNew) entry.value = table.count - 1;
  return entry.value;
}

export function addRow(rows: Log, row: u32): void {
  if (rows.length === 0 || rows.last !== row) rows.push(row);
}

export function newColumn(): usize {
  const column = changetype<Column>(allocate(offsetof<Column>()));
  column.present = newLog();
  column.nulls = newLog();
  column.empties = newLog();
  column.values = newLog();
  column.numbers = newTable();
  column.texts = newTable();
  return changetype<usize>(column);
}

function newLog(): Log {
  return changetype<Log>(allocateZeros(offsetof<Log>()));
}

function newTable(): Table {
  const table = changetype<Table>(allocate(offsetof<Table>()));
  table.prepare();
  return table;
}

/** Lists of a column, by these numbers; what is left is its values. */
const PRESENT: u32 = 0;
const NULLS: u32 = 1;
const EMPTIES: u32 = 2;

/** How many numbers a list of a column has; with `out`, they are written there. */
export function columnList(column: usize, which: u32, out: usize): u32 {
  const own = changetype<Column>(column);
  const list =
    which === PRESENT ? own.present : which === NULLS ? own.nulls : which === EMPTIES ? own.empties : own.values;
  if (out !== 0) list.copyTo(out);
  return list.length;
}

/** A number that is not read from a document. */
export function addNumber(column: usize, row: u32, spelled: usize, length: u32): void {
  const own = changetype<Column>(column);
  addRow(own.present, row);
  own.number(row, spelled, length);
}

/** How many spellings of numbers a column has. */
export function countNumbers(column: usize): u32 {
  return changetype<Column>(column).numbers.count;
}
