/** Ids of documents as one payload: a list in JSON, with the trailer and the checksum that documents have. */
import { decodePayload, encodePayload } from "./prepare.ts";

export function encodeIds(ids: readonly string[]): Uint8Array[] {
  const bytes = Buffer.from(JSON.stringify(ids));
  return encodePayload({ bytes, ranges: new Uint32Array(0) });
}

/** Throws when a byte of it has changed. */
export function decodeIds(encoded: Uint8Array): string[] {
  const { buffer, byteOffset, length } = decodePayload(encoded).bytes;
  return JSON.parse(Buffer.from(buffer, byteOffset, length).toString("utf8")) as string[];
}
