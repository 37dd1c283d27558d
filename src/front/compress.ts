/**
 * Response compression: which coding the client accepts, and the bytes in it. Quick levels, since the connection is
 * usually faster than a thorough encoder; large bodies are left to the thread pool so that others are not kept waiting.
 */
import { brotliCompress, brotliCompressSync, constants, deflate, deflateSync, gzip, gzipSync } from "node:zlib";

export type Coding = "gzip" | "br" | "deflate";

/** Below this the headers cost more than the body saves. */
export const COMPRESS_BYTES_MIN = 1024;
/** Up to this the hand-over to the thread pool costs more than the work. */
const INLINE_BYTES_MAX = 4096;

const ZLIB = { level: 1 };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/** In order of preference between codings the client likes equally. */
const CODINGS: readonly Coding[] = ["gzip", "br", "deflate"];

/** Clients repeat themselves: a few headers make up all the traffic. */
const chosen = new Map<string, Coding | null>();
const CHOSEN_MAX = 256;

export function chooseCoding(acceptEncoding: string): Coding | null {
  if (acceptEncoding === "") return null;
  const known = chosen.get(acceptEncoding);
  if (known !== undefined) return known;
  const coding = negotiate(acceptEncoding);
  if (chosen.size >= CHOSEN_MAX) chosen.clear();
  chosen.set(acceptEncoding, coding);
  return coding;
}

function negotiate(acceptEncoding: string): Coding | null {
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const [name, ...params] = part.split(";").map((piece) => piece.trim());
    const q = params.find((param) => param.startsWith("q="));
    const weight = q === undefined ? 1 : Number(q.slice(2));
    if (name) weights.set(name, Number.isFinite(weight) ? weight : 0);
  }
  const weightOf = (name: string): number => weights.get(name) ?? weights.get("*") ?? 0;
  let best: Coding | null = null;
  let bestWeight = 0;
  for (const coding of CODINGS) {
    if (weightOf(coding) > bestWeight) {
      best = coding;
      bestWeight = weightOf(coding);
    }
  }
  // Whoever prefers the plain form says so with a higher weight for it.
  return best !== null && (weights.get("identity") ?? 0) > bestWeight ? null : best;
}

/** The compressed bytes, at once for small bodies, else through `done`. Returns null when `done` will be called. */
export function compress(
  body: Uint8Array,
  coding: Coding,
  done: (error: Error | null, bytes: Uint8Array) => void,
): Uint8Array | null {
  if (body.length <= INLINE_BYTES_MAX) {
    if (coding === "gzip") return gzipSync(body, ZLIB);
    return coding === "br" ? brotliCompressSync(body, BROTLI) : deflateSync(body, ZLIB);
  }
  if (coding === "gzip") gzip(body, ZLIB, done);
  else if (coding === "br") brotliCompress(body, BROTLI, done);
  else deflate(body, ZLIB, done);
  return null;
}
