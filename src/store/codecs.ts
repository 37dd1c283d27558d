/**
 * How values become bytes: JSON for small records, raw bytes for payloads, bytes with a checksum for manifests.
 * Task records have a codec of their own (`task-record.ts`).
 */
import { crc32 } from "node:zlib";
import type { Codec } from "./table.ts";

const CHECKSUM_BYTES = 4;

export function jsonCodec<V>(): Codec<V> {
  return {
    encode: (value) => Buffer.from(JSON.stringify(value)),
    decode: (bytes) => JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")) as V,
  };
}

export const bytesCodec: Codec<Uint8Array> = {
  encode: ownBytes,
  decode: (bytes) => new Uint8Array(bytes),
};

/** Verified on every read: a manifest decides which files are data, so a flipped bit must never pass for one. */
export const checkedBytesCodec: Codec<Uint8Array> = {
  encode(value) {
    const stored = Buffer.allocUnsafe(value.byteLength + CHECKSUM_BYTES);
    stored.set(value, 0);
    stored.writeUInt32LE(crc32(stored.subarray(0, value.byteLength)), value.byteLength);
    return stored;
  },
  decode(bytes, key) {
    const end = bytes.byteLength - CHECKSUM_BYTES;
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (end < 0 || body.readUInt32LE(end) !== crc32(body.subarray(0, end))) {
      throw new Error(`Stored record \`${key}\` does not match its checksum.`);
    }
    return new Uint8Array(body.subarray(0, end));
  },
};

/** Presence is all that counts. */
export const markCodec: Codec<true> = {
  encode: () => MARK,
  decode: () => true,
};

const MARK = Buffer.from([1]);

/** The database reads value bytes from its own thread after the call, so they may not be shared memory. */
function ownBytes(value: Uint8Array): Uint8Array {
  return value.buffer instanceof SharedArrayBuffer ? new Uint8Array(value) : value;
}
