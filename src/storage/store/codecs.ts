/** How values become bytes: JSON for small records, raw bytes for payloads and manifests. Tasks have their own (`task-record.ts`). */
import type { Codec } from "./table.ts";

export function jsonCodec<V>(): Codec<V> {
  return {
    encode: (value) => Buffer.from(JSON.stringify(value)),
    decode: (bytes) => JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")) as V,
  };
}

export const bytesCodec: Codec<Uint8Array> = {
  encode: (value) => value,
  decode: (bytes) => new Uint8Array(bytes),
};

/** Presence is all that counts. */
export const markCodec: Codec<true> = {
  encode: () => MARK,
  decode: () => true,
};

const MARK = Buffer.from([1]);
