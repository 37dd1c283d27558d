/**
 * Lays out one FlatBuffers table whose vectors are already packed, without copying them: the small head is made here,
 * the vectors follow as they are. The generated accessors read it; tables with strings or sub-tables use the
 * FlatBuffers builder instead.
 *
 * ```
 * 0          4             4 + 4 + 2n     table                    vectors, data at multiples of 16
 * u32 root → vtable: sizes, n × u16 slots | i32 → vtable, n × 4 bytes | pad, u32 count, elements | ...
 * ```
 */
import { bytesOf } from "./byte-log.ts";
import type { Part } from "./parts.ts";

const DATA_ALIGNMENT = 16;

export interface PackedVector {
  chunks: Iterable<Uint8Array>;
  byteLength: number;
  /** Bytes of one element: 1, 2 or 4. */
  elementBytes: number;
}

/** A field of the table: a scalar of at most 32 bits, or a vector; null leaves the default. */
type FlatSlot = number | PackedVector | null;

export function bytesVector(chunks: readonly Uint8Array[]): PackedVector {
  let byteLength = 0;
  for (const chunk of chunks) byteLength += chunk.length;
  return { chunks, byteLength, elementBytes: 1 };
}

export function wordsVector(words: Uint32Array): PackedVector {
  return { chunks: [bytesOf(words)], byteLength: words.byteLength, elementBytes: 4 };
}

/** The generated class of a table: the names of its fields, in the order of the schema. */
interface PackedTable<Name extends string> {
  readonly SLOTS: readonly Name[];
}

/** A part holding one table; fields that are not given have their defaults. */
export function flatPart<Name extends string>(
  kind: number,
  { SLOTS }: PackedTable<Name>,
  given: { readonly [Field in NoInfer<Name>]?: FlatSlot },
): Part {
  const last = SLOTS.findLastIndex((name) => (given[name] ?? null) !== null);
  const slots = SLOTS.slice(0, last + 1).map((name): FlatSlot => given[name] ?? null);
  const vtable = 4;
  const vtableBytes = 4 + 2 * slots.length;
  const table = (vtable + vtableBytes + 3) & ~3;
  const tableBytes = 4 + 4 * slots.length;
  const head = new DataView(new ArrayBuffer(table + tableBytes));
  head.setUint32(0, table, true);
  head.setUint16(vtable, vtableBytes, true);
  head.setUint16(vtable + 2, tableBytes, true);
  head.setInt32(table, table - vtable, true);
  const pieces: Iterable<Uint8Array>[] = [[new Uint8Array(head.buffer)]];
  let length = head.byteLength;
  slots.forEach((slot, i) => {
    if (slot === null) return;
    const field = 4 + 4 * i;
    if (typeof slot === "number") {
      head.setUint16(vtable + 4 + 2 * i, field, true);
      head.setUint32(table + field, slot, true);
      return;
    }
    const dataBytes = slot.byteLength;
    if (dataBytes === 0) return;
    const data = Math.ceil((length + 4) / DATA_ALIGNMENT) * DATA_ALIGNMENT;
    const gap = new DataView(new ArrayBuffer(data - length));
    gap.setUint32(gap.byteLength - 4, dataBytes / slot.elementBytes, true);
    head.setUint16(vtable + 4 + 2 * i, field, true);
    head.setUint32(table + field, data - 4 - (table + field), true);
    pieces.push([new Uint8Array(gap.buffer)], slot.chunks);
    length = data + dataBytes;
  });
  return { kind, chunks: concatenated(pieces) };
}

export function* concatenated(pieces: Iterable<Uint8Array>[]): Generator<Uint8Array> {
  for (const chunks of pieces) yield* chunks;
}
