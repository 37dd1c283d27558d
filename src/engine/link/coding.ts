/**
 * Codings of answers, and the bytes in them. Quick levels, since the connection is usually faster than a thorough
 * encoder. Which coding a client accepts is the front's question.
 */
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";

/** In order of preference between codings a client likes equally. */
export const CODINGS = ["gzip", "br", "deflate"] as const;

export type Coding = (typeof CODINGS)[number];

/** Below this the headers cost more than the body saves, so it is left plain where the client takes that too. */
export const COMPRESS_BYTES_MIN = 1024;

export const ZLIB = { level: 1 };
export const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/** On the calling thread. */
export function compressNow(body: Uint8Array, coding: Coding): Buffer {
  if (coding === "gzip") return gzipSync(body, ZLIB);
  return coding === "br" ? brotliCompressSync(body, BROTLI) : deflateSync(body, ZLIB);
}
