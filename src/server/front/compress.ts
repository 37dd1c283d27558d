/**
 * Response compression: which coding the client accepts, and the bytes of what the front itself answers in it. Large
 * bodies are left to the thread pool so that others are not kept waiting, short ones are only wrapped where they can be.
 */
import { brotliCompress, deflate, gzip } from "node:zlib";
import { BROTLI, CODINGS, COMPRESS_BYTES_MIN, type Coding, compressNow, ZLIB } from "../../engine/link/coding.ts";
import { gzipStored } from "../../engine/link/gzip.ts";

/** Up to this the hand-over to the thread pool costs more than the work. */
const INLINE_BYTES_MAX = 4096;

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

/**
 * The coding of a body of this length. Short ones are left plain, except for a client that names one coding and nothing
 * else: some of those do not look at the headers but take every answer to be in it.
 */
export function codingFor(acceptEncoding: string, bytes: number): Coding | null {
  const coding = chooseCoding(acceptEncoding);
  return bytes >= COMPRESS_BYTES_MIN || acceptEncoding === coding ? coding : null;
}

/** `order`: the coding that is taken where the client likes several equally comes first. */
export function negotiate(acceptEncoding: string, order: readonly Coding[] = CODINGS): Coding | null {
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
  for (const coding of order) {
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
  if (body.length < COMPRESS_BYTES_MIN && coding === "gzip") return gzipStored(body);
  if (body.length <= INLINE_BYTES_MAX) return compressNow(body, coding);
  if (coding === "gzip") gzip(body, ZLIB, done);
  else if (coding === "br") brotliCompress(body, BROTLI, done);
  else deflate(body, ZLIB, done);
  return null;
}
