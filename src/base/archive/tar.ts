/**
 * The blocks of a tar archive: headers as numbers and names, both ways. Bytes only; files and streams are next door.
 *
 *   [header 512] [content, zeros up to a multiple of 512] ... [1024 zeros]
 *
 * Written: ustar headers, the size in base 256 beyond 8 GiB, long names as a GNU record before the entry.
 * Read: these, and the records of POSIX (pax) archives for long names and large sizes.
 */

export const BLOCK_BYTES = 512;
/** Longest name a reader believes; longer ones are damage or an attack. */
export const NAME_BYTES_MAX = 4096;

const NAME_BYTES = 100;
const OCTAL_SIZE_MAX = 0o77777777777;
const LONG_NAME = "././@LongLink";

export const TYPE_FILE = "0";
export const TYPE_DIRECTORY = "5";
export const TYPE_LONG_NAME = "L";
export const TYPE_EXTENDED = "x";

interface TarHeader {
  name: string;
  size: number;
  type: string;
}

/** The archive is damaged, cut short, or none at all. */
export class ArchiveDamage extends Error {
  override readonly name = "ArchiveDamage";
}

/** Zeros that follow `size` bytes of content. */
export function paddingOf(size: number): number {
  return (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;
}

/** The blocks before the content of a file. `mtime` in seconds. */
export function encodeHeader(name: string, size: number, mtime: number): Uint8Array {
  const bytes = Buffer.from(name);
  if (bytes.length <= NAME_BYTES) return headerBlock(bytes, size, mtime, TYPE_FILE);
  const long = Buffer.concat([bytes, Buffer.alloc(1)]);
  return Buffer.concat([
    headerBlock(Buffer.from(LONG_NAME), long.length, 0, TYPE_LONG_NAME),
    long,
    Buffer.alloc(paddingOf(long.length)),
    headerBlock(bytes.subarray(0, NAME_BYTES), size, mtime, TYPE_FILE),
  ]);
}

/** A folder with a short name. */
export function encodeFolder(name: string, mtime: number): Uint8Array {
  return headerBlock(Buffer.from(`${name.replace(/\/$/, "")}/`), 0, mtime, TYPE_DIRECTORY);
}

function headerBlock(name: Uint8Array, size: number, mtime: number, type: string): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  block.set(name, 0);
  writeOctal(block, 100, 8, type === TYPE_DIRECTORY ? 0o700 : 0o600);
  writeOctal(block, 108, 8, 0);
  writeOctal(block, 116, 8, 0);
  if (size <= OCTAL_SIZE_MAX) writeOctal(block, 124, 12, size);
  else {
    block[124] = 0x80;
    block.writeBigUInt64BE(BigInt(size), 128);
  }
  writeOctal(block, 136, 12, mtime);
  block.write(type, 156, "latin1");
  block.write("ustar\x0000", 257, "latin1");
  block.write(`${checksum(block).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

function writeOctal(block: Buffer, at: number, width: number, value: number): void {
  block.write(`${value.toString(8).padStart(width - 1, "0")}\0`, at, "latin1");
}

/** Sum of all bytes, those of the checksum itself counted as spaces. */
function checksum(block: Uint8Array): number {
  let sum = 8 * 0x20;
  for (let i = 0; i < BLOCK_BYTES; i++) if (i < 148 || i >= 156) sum += block[i]!;
  return sum;
}

export function isZeroBlock(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0);
}

export function decodeHeader(block: Buffer): TarHeader {
  if (readOctal(block, 148, 8) !== checksum(block)) throw new ArchiveDamage("a header does not match its checksum");
  const magic = block.toString("latin1", 257, 262);
  const prefix = magic === "ustar" && block[262] === 0 ? textAt(block, 345, 155) : "";
  const name = textAt(block, 0, NAME_BYTES);
  const type = block[156] === 0 ? TYPE_FILE : String.fromCharCode(block[156]!);
  return { name: prefix === "" ? name : `${prefix}/${name}`, size: readSize(block), type };
}

function readSize(block: Buffer): number {
  if (block[124]! < 0x80) return readOctal(block, 124, 12);
  const size = block.readBigUInt64BE(128);
  if (block[124] !== 0x80 || block.readUIntBE(125, 3) !== 0 || size > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new ArchiveDamage("an entry is too large");
  }
  return Number(size);
}

function readOctal(block: Buffer, at: number, width: number): number {
  const text = textAt(block, at, width).trim();
  if (!/^[0-7]*$/.test(text)) throw new ArchiveDamage("a header holds no number where one belongs");
  return text === "" ? 0 : Number.parseInt(text, 8);
}

function textAt(block: Buffer, at: number, width: number): string {
  const end = block.indexOf(0, at);
  return block.toString("utf8", at, end < 0 || end > at + width ? at + width : end);
}

/** The `path` and `size` of a pax record: lines of `<length> <key>=<value>\n`. */
export function decodeExtended(bytes: Buffer): { name?: string; size?: number } {
  const found: { name?: string; size?: number } = {};
  let at = 0;
  while (at < bytes.length && bytes[at] !== 0) {
    const space = bytes.indexOf(0x20, at);
    const length = space < 0 ? Number.NaN : Number(bytes.toString("latin1", at, space));
    if (!Number.isSafeInteger(length) || length <= space - at || at + length > bytes.length) {
      throw new ArchiveDamage("an extended header is malformed");
    }
    const record = bytes.toString("utf8", space + 1, at + length - 1);
    const equals = record.indexOf("=");
    const value = record.slice(equals + 1);
    if (record.slice(0, equals) === "path") found.name = value;
    if (record.slice(0, equals) === "size") found.size = Number(value);
    at += length;
  }
  if (found.size !== undefined && !(Number.isSafeInteger(found.size) && found.size >= 0)) {
    throw new ArchiveDamage("an extended header holds no valid size");
  }
  return found;
}
