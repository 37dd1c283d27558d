/** Bytes in edit scripts: integers from 0 to 255, and the blobs that hold them. */
import { EditProblem } from "./syntax.ts";
import { Blob, Char, typeName, type Value } from "./values.ts";

/** The lowest eight bits. */
export function byteOf(value: bigint): bigint {
  return BigInt.asUintN(8, value);
}

export function blobOf(bytes: Uint8Array): Blob {
  return new Blob(Array.from(bytes, BigInt));
}

export function bytesOf({ bytes }: Blob): Buffer {
  return Buffer.from(bytes.map(Number));
}

/** What `+=` and `append` put behind the bytes: a byte, those of a text, or those of another blob. */
export function appended(value: Value): Value[] {
  if (typeof value === "bigint") return [byteOf(value)];
  if (value instanceof Blob) return value.bytes;
  const text = value instanceof Char ? value.text : value;
  if (typeof text === "string") return blobOf(Buffer.from(text)).bytes;
  throw new EditProblem(`expected an integer, a string or a blob, found ${typeName(value)}`);
}
