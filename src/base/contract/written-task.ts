/** A task whose details and content another thread has written as JSON: it is stored as it is, and not looked into here. */

export interface WrittenTask {
  details: Uint8Array;
  content: Uint8Array;
}

const LENGTH_BYTES = 4;

/** `u32 bytes of the details | details | content`. */
export function encodeWritten({ details, content }: WrittenTask): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(LENGTH_BYTES + details.length + content.length);
  bytes.writeUInt32LE(details.length, 0);
  bytes.set(details, LENGTH_BYTES);
  bytes.set(content, LENGTH_BYTES + details.length);
  return bytes;
}

export function decodeWritten(bytes: Uint8Array): WrittenTask {
  const end = LENGTH_BYTES + new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true);
  return { details: bytes.subarray(LENGTH_BYTES, end), content: bytes.subarray(end) };
}
