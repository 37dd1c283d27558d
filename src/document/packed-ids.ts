/**
 * Ids of documents on their way between threads: one run of shared bytes, which no thread on the way has to take apart,
 * instead of thousands of strings.
 */
import { Buffer } from "node:buffer";

/** Ids hold only ASCII letters, digits, hyphens and underscores: a line feed tells them apart. */
const BETWEEN = "\n";

export type PackedIds = Uint8Array<SharedArrayBuffer>;

export function packIds(ids: readonly string[]): PackedIds {
  const text = Buffer.from(ids.join(BETWEEN), "latin1");
  const packed = new Uint8Array(new SharedArrayBuffer(text.length));
  packed.set(text);
  return packed;
}

export function unpackIds(packed: PackedIds): string[] {
  if (packed.length === 0) return [];
  const text = Buffer.allocUnsafe(packed.length);
  text.set(packed);
  return text.toString("latin1").split(BETWEEN);
}
