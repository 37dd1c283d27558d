/** The bodies of the rows that stay, in their new order, read from the files of the inputs while they are written. */
import { MergeTooLarge } from "../merge-memory.ts";
import type { RowPlan } from "../row-plan.ts";
import { NAMES_MAX, packedNames, renumbering } from "./packed.ts";
import type { DocumentsReader } from "./reader.ts";
import type { StoredBodies } from "./writer.ts";

const READ_BYTES = 1 << 20;

/** Packed when all inputs are. `arrived`: names at the top of the documents that stay. */
export function mergeBodies(
  readers: readonly DocumentsReader[],
  plan: RowPlan,
  arrived: readonly string[],
): StoredBodies {
  const isPacked = arrived.length <= NAMES_MAX && readers.every((reader) => reader.isPacked);
  const offsets = new Uint32Array(plan.rows + 1);
  let byteLength = 0;
  for (let i = 0; i < plan.rows; i++) {
    const reader = readers[plan.inputsOf[i]!]!;
    const row = plan.rowsOf[i]!;
    byteLength += isPacked ? reader.storedLength(row) : reader.length(row);
    offsets[i + 1] = byteLength;
  }
  // What an offset can say.
  if (byteLength >= 2 ** 32) throw new MergeTooLarge();
  const sources = isPacked ? packedSources(readers, packedNames(arrived)) : readers.map(plainSource);
  return { chunks: inOrder(sources, plan, offsets), offsets, isPacked };
}

/** Reads bodies of rows `[from, to)` to `into` at `at`; returns their length. */
type Source = (from: number, to: number, into: Uint8Array, at: number) => number;

function plainSource(reader: DocumentsReader): Source {
  return (from, to, into, at) => reader.readRows(from, to, into, at);
}

/** Names get the numbers that they have among all. */
function packedSources(readers: readonly DocumentsReader[], names: readonly string[]): Source[] {
  return readers.map((reader) => {
    const numbers = renumbering(reader.names!, names);
    return (from, to, into, at) => {
      const length = reader.readStored(from, to, into, at);
      if (numbers !== null) {
        for (let i = at; i < at + length; i++) if (into[i]! < NAMES_MAX) into[i] = numbers[into[i]!]!;
      }
      return length;
    };
  });
}

/** In pieces of about a megabyte; rows that stay side by side are read at once. */
function* inOrder(sources: readonly Source[], plan: RowPlan, offsets: Uint32Array): Generator<Uint8Array> {
  let buffer = new Uint8Array(READ_BYTES);
  let used = 0;
  for (let i = 0; i < plan.rows; ) {
    const runEnd = plan.runEnd(i);
    let end = i + 1;
    while (end < runEnd && offsets[end + 1]! - offsets[i]! <= READ_BYTES - used) end++;
    const bytes = offsets[end]! - offsets[i]!;
    if (used + bytes > buffer.length) {
      if (used > 0) yield buffer.subarray(0, used);
      used = 0;
      if (bytes > buffer.length) buffer = new Uint8Array(bytes);
    }
    const rows = plan.rowsOf;
    used += sources[plan.inputsOf[i]!]!(rows[i]!, rows[end - 1]! + 1, buffer, used);
    i = end;
  }
  if (used > 0) yield buffer.subarray(0, used);
}
