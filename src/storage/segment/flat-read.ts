/**
 * How the generated accessors find their way in a FlatBuffer. A place is an offset from the start of the buffer; no
 * field lies at 0, which stands for one that is absent.
 */
import type { ByteBuffer } from "flatbuffers";

/** The root table. */
export function rootAt(buffer: ByteBuffer): number {
  return tableAt(buffer, buffer.position());
}

/** The field of a table whose entry is `slot` bytes into the table of fields; 0 when it is absent. */
export function fieldAt(buffer: ByteBuffer, table: number, slot: number): number {
  const offset = buffer.__offset(table, slot);
  return offset === 0 ? 0 : table + offset;
}

/** The table that the field or element at a place leads to. */
export function tableAt(buffer: ByteBuffer, at: number): number {
  return buffer.__indirect(at);
}

export function stringAt(buffer: ByteBuffer, at: number): string {
  return buffer.__string(at) as string;
}

/** How many elements the vector has to which the field at a place leads. */
export function lengthAt(buffer: ByteBuffer, at: number): number {
  return at === 0 ? 0 : buffer.__vector_len(at);
}

/** One of its elements. */
export function elementAt(buffer: ByteBuffer, at: number, index: number, elementBytes: number): number {
  return buffer.__vector(at) + index * elementBytes;
}

/** All of its elements, where they lie; null when it is absent. */
export function arrayAt<T>(
  arrayType: new (bytes: ArrayBufferLike, offset: number, length: number) => T,
  buffer: ByteBuffer,
  at: number,
): T | null {
  if (at === 0) return null;
  const bytes = buffer.bytes();
  return new arrayType(bytes.buffer, bytes.byteOffset + buffer.__vector(at), buffer.__vector_len(at));
}
