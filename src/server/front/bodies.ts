/**
 * Request bodies: collected from the socket, decoded, and never larger than allowed. The limit counts decoded bytes
 * and is enforced while decoding, so a small compressed body cannot unfold into the memory of the server.
 */
import type { Transform } from "node:stream";
import zlib from "node:zlib";
import { ApiError, badRequest, payloadTooLarge } from "../../base/errors/errors.ts";
import { KIB, MIB } from "../../base/limits.ts";
import { collectGarbageSoon } from "../../storage/memory/garbage.ts";

const NOTHING = Buffer.alloc(0);
/** Longer bodies lie in memory that other threads can read, so that nobody has to copy them; others fit into the ring. */
const SHARED_BYTES = 192 * 1024;
/** V8 does not count shared memory towards garbage collection: one is asked for after this many bytes. */
const SHARED_BYTES_A_COLLECTION = 256 * 1024 * 1024;
/**
 * A body of unknown length that has become longer than this gets room once, for all that it may become: to move it from time to time
 * takes tens of milliseconds. Room that nothing is put into is address space, no memory.
 */
const MOVED_BYTES_MAX = 4 * MIB;
/** But no more than this at once, however long bodies may be. */
const ROOM_BYTES_MAX = 256 * MIB;
/** Bodies that are decompressed at the same time: each may become as long as is allowed. */
const DECODED_AT_ONCE = 2;
/** What is decompressed before it is put to the rest. */
const DECODED = { chunkSize: 256 * KIB };

/** Given the bytes, of which some names leave open what they are. */
type Decoder = (bytes: Uint8Array) => Transform;

/** A map, since the names come from clients: an object has members that nobody put there. */
const DECODERS = new Map<string, Decoder>([
  ["gzip", () => zlib.createGunzip(DECODED)],
  ["x-gzip", () => zlib.createGunzip(DECODED)],
  ["br", () => zlib.createBrotliDecompress(DECODED)],
  ["deflate", inflateEither],
]);
// Only newer versions of Node bring zstd.
const { createZstdDecompress } = zlib as { createZstdDecompress?: (options: typeof DECODED) => Transform };
if (createZstdDecompress) DECODERS.set("zstd", () => createZstdDecompress(DECODED));

/** Gathers the chunks of one body; the socket's memory is only lent for the length of a call. */
export class BodyCollector {
  readonly #limit: number;
  readonly #announced: number | null;
  readonly #shared: boolean;
  #bytes: Buffer = NOTHING;
  #length = 0;

  /** Throws when the announced length alone says no. */
  constructor(announced: number | null, limit: number, shared = false) {
    if (announced !== null && announced > limit) throw payloadTooLarge(limit);
    this.#limit = limit;
    this.#announced = announced;
    this.#shared = shared;
  }

  /** False once the body has grown beyond the limit: the rest need not be read. */
  add(chunk: Uint8Array): boolean {
    const needed = this.#length + chunk.length;
    if (needed > this.#limit) return false;
    if (needed > this.#bytes.length) this.#grow(needed);
    this.#bytes.set(chunk, this.#length);
    this.#length = needed;
    return true;
  }

  /** The whole body, which is kept here no longer: the request may outlive its use. */
  finish(): Buffer {
    const bytes = this.#length === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#length);
    this.#bytes = NOTHING;
    this.#length = 0;
    return bytes;
  }

  #grow(needed: number): void {
    // An announced length is believed from the first byte on; it costs address space only until it is filled.
    const bytes = Math.max(needed, this.#announced ?? Math.min(this.#unannounced(needed), this.#limit));
    const isShared = this.#shared && bytes > SHARED_BYTES;
    if (isShared) countShared(bytes);
    const larger = isShared ? Buffer.from(new SharedArrayBuffer(bytes)) : Buffer.allocUnsafe(bytes);
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }

  #unannounced(needed: number): number {
    const twice = Math.max(needed, this.#bytes.length * 2);
    return twice <= MOVED_BYTES_MAX ? twice : Math.max(twice, ROOM_BYTES_MAX);
  }
}

let sharedBytes = 0;

function countShared(bytes: number): void {
  sharedBytes += bytes;
  if (sharedBytes < SHARED_BYTES_A_COLLECTION) return;
  sharedBytes = 0;
  collectGarbageSoon();
}

/** Undoes `Content-Encoding`; rejects with the error to answer. `shared`: as for the collector. */
export function decodeBody(bytes: Buffer, encoding: string, limit: number, shared = false): Promise<Buffer> {
  const decoder = DECODERS.get(encoding);
  if (decoder === undefined) {
    return Promise.reject(
      badRequest(`The Content-Encoding \`${encoding}\` is not supported: use ${[...DECODERS.keys()].join(", ")}.`),
    );
  }
  if (bytes.length === 0) return Promise.resolve(bytes);
  return inTurn(
    () =>
      new Promise((resolve, reject) => {
        const collector = new BodyCollector(null, limit, shared);
        const decoding = decoder(bytes);
        decoding.on("data", (chunk: Buffer) => {
          if (!collector.add(chunk)) decoding.destroy(payloadTooLarge(limit));
        });
        decoding.on("end", () => resolve(collector.finish()));
        decoding.on("error", (error) => reject(decodeProblem(error, encoding)));
        decoding.end(bytes);
      }),
  );
}

let decoding = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(decode: () => Promise<T>): Promise<T> {
  if (decoding >= DECODED_AT_ONCE) await new Promise<void>((begin) => waiting.push(begin));
  else decoding++;
  try {
    return await decode();
  } finally {
    // The turn goes to the next one, or back.
    const next = waiting.shift();
    if (next === undefined) decoding--;
    else next();
  }
}

/** Empty for no encoding. */
export function encodingOf(header: string): string {
  const encoding = header.trim().toLowerCase();
  return encoding === "identity" ? "" : encoding;
}

function decodeProblem(error: Error, encoding: string): ApiError {
  if (error instanceof ApiError) return error;
  return badRequest(`The body is not valid ${encoding}: ${error.message}.`);
}

/** Named deflate, the wire holds either a zlib stream (as specified) or a bare one (as some clients send). */
function inflateEither(bytes: Uint8Array): Transform {
  const zlibHeader = (bytes[0]! & 0x0f) === 8 && bytes.length > 1 && ((bytes[0]! << 8) | bytes[1]!) % 31 === 0;
  return zlibHeader ? zlib.createInflate(DECODED) : zlib.createInflateRaw(DECODED);
}
