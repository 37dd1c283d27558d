/** Small reads from bytes that may lie in shared memory, which neither TextDecoder nor Buffer methods accept as it is. */
import { Buffer } from "node:buffer";

let scratch = Buffer.alloc(1024);

/** UTF-8 text of `bytes[start, end)`. */
export function textOf(bytes: Uint8Array, start: number, end: number): string {
  const count = end - start;
  if (count > scratch.length) scratch = Buffer.alloc(count * 2);
  for (let i = 0; i < count; i++) scratch[i] = bytes[start + i]!;
  return scratch.toString("utf8", 0, count);
}

/** The same bytes outside shared memory. */
export function privateCopy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes.length);
  copy.set(bytes);
  return copy;
}
