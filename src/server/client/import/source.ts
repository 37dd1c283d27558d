/** What is imported: a file or a pipe, compressed or not, of a format that its name or its first bytes tell. */
import { createReadStream, promises as files } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { isGone } from "../../../base/files/if-there.ts";
import { OptionError } from "../../options/error.ts";
import type { Input } from "../terminal.ts";
import type { Format } from "./cutters.ts";

export interface Source {
  name: string;
  format: Format;
  /** Of the file as it lies there; null for a pipe. */
  bytes: number | null;
  /** Tells this very file from another, or a later one, of the same name; null for a pipe, which cannot be read again. */
  identity: string | null;
  /** How many of those bytes were read. */
  read(): number;
  chunks: AsyncIterable<Uint8Array>;
}

const CHUNK_BYTES = 256 * 1024;
/** What is looked at to tell text from something else. */
const HEAD_BYTES = 1024;
const GZIP = [0x1f, 0x8b];
const FORMATS: Record<string, Format> = { ".json": "json", ".ndjson": "ndjson", ".jsonl": "ndjson", ".csv": "csv" };

export function formatNamed(name: string): Format {
  const format = FORMATS[`.${name}`];
  if (format === undefined) throw new OptionError(`\`${name}\` is no format: there are json, ndjson, csv`);
  return format;
}

/** `offset`: bytes to pass over, as they are when decompressed. */
export async function openFile(file: string, wanted: Format | null, offset: number): Promise<Source> {
  const stat = await files.stat(file).catch((error: NodeJS.ErrnoException) => {
    if (isGone(error)) throw new OptionError(`there is no file \`${file}\``);
    throw new OptionError(`cannot read \`${file}\`: ${error.message}`);
  });
  if (!stat.isFile()) throw new OptionError(`\`${file}\` is no file`);
  const first = await firstBytes(file);
  const isGzip = GZIP.every((byte, i) => first[i] === byte);
  const raw = createReadStream(file, { start: isGzip ? 0 : offset, highWaterMark: CHUNK_BYTES });
  const start = isGzip ? 0 : offset;
  const { head, chunks } = await peeked(isGzip ? skipped(gunzipped(raw), offset) : raw);
  const named = FORMATS[path.extname(file.replace(/\.gz$/, "")).toLowerCase()] ?? null;
  const name = path.basename(file);
  return {
    name,
    // What stands in the middle of a file does not tell it.
    format: wanted !== null && offset > 0 ? wanted : formatOf(head, wanted ?? named, name),
    bytes: stat.size,
    identity: [path.resolve(file), stat.size, stat.mtimeMs].join(),
    read: () => start + raw.bytesRead,
    chunks,
  };
}

export async function openPipe(input: Input, wanted: Format | null): Promise<Source> {
  const name = "standard input";
  let bytes = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of input) {
      bytes += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  };
  const raw = await peeked(counted());
  const isGzip = GZIP.every((byte, i) => raw.head[i] === byte);
  const plain = isGzip ? await peeked(gunzipped(Readable.from(raw.chunks))) : raw;
  return {
    name,
    format: formatOf(plain.head, wanted, name),
    bytes: null,
    identity: null,
    read: () => bytes,
    chunks: plain.chunks,
  };
}

function gunzipped(raw: Readable): AsyncIterable<Uint8Array> {
  const plain = createGunzip({ chunkSize: CHUNK_BYTES });
  raw.once("error", (error) => plain.destroy(error));
  return raw.pipe(plain);
}

async function firstBytes(file: string): Promise<Uint8Array> {
  const handle = await files.open(file);
  try {
    return (await handle.read(Buffer.alloc(GZIP.length), 0, GZIP.length, 0)).buffer;
  } finally {
    await handle.close();
  }
}

/** The first chunk, and all of them. */
async function peeked(
  source: AsyncIterable<Uint8Array>,
): Promise<{ head: Uint8Array; chunks: AsyncIterable<Uint8Array> }> {
  const all = source[Symbol.asyncIterator]();
  const first = await all.next();
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for (let next = first; !next.done; next = await all.next()) yield next.value;
  };
  return { head: first.done ? new Uint8Array(0) : first.value, chunks: chunks() };
}

async function* skipped(source: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const chunk of source) {
    const rest = chunk.subarray(Math.min(left, chunk.length));
    left -= chunk.length - rest.length;
    if (rest.length > 0) yield rest;
  }
}

/** An array is JSON, objects are lines of it or go on over several, and anything else has a line of names first. */
function formatOf(head: Uint8Array, wanted: Format | null, name: string): Format {
  if (head.subarray(0, HEAD_BYTES).includes(0)) {
    throw new OptionError(`${name} is neither JSON, NDJSON nor CSV, in UTF-8, as it is or compressed by gzip`);
  }
  if (wanted === "ndjson" || wanted === "csv") return wanted;
  const text = Buffer.from(head)
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trimStart();
  if (text.startsWith("[")) return "json";
  if (text.startsWith("{")) return isObject(text.split("\n", 1)[0]!) ? "ndjson" : "objects";
  return wanted ?? "csv";
}

function isObject(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
