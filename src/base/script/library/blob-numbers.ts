/** Numbers and texts in blobs: read from a stretch of bytes and written there, the lowest byte first (`le`) or last (`be`). */
import { type Blob, Range, type Value } from "../values.ts";
import { type Entry, integerArgument, stretchOf, textArgument, wrongArgument } from "./arguments.ts";

const NUMBER_BYTES = 8;

interface Stretch {
  start: number;
  count: number;
}

/** `(range)` or `(start, count)`, and nothing else. */
export function stretch(args: Value[]): Value[] {
  if (args.length === 1 && args[0] instanceof Range) return args;
  integerArgument(args, 0);
  integerArgument(args, 1);
  return args;
}

/** The bytes that they name. */
function stretchIn({ bytes }: Blob, args: Value[]): Stretch {
  const { start, end } = stretchOf(stretch(args), bytes.length);
  return { start, count: end - start };
}

/** Bytes that are missing are zeros behind those that are there. */
function reading(read: (bytes: Buffer) => Value): (self: Blob, args: Value[]) => Value {
  return (self, args) => {
    const { start, count } = stretchIn(self, args);
    const bytes = Buffer.alloc(NUMBER_BYTES);
    bytes.set(self.bytes.slice(start, start + Math.min(count, NUMBER_BYTES)).map(Number));
    return count === 0 ? read(Buffer.alloc(NUMBER_BYTES)) : read(bytes);
  };
}

/** Bytes that have no room are left out. */
function writing(bytesOf: (args: Value[], count: number) => Uint8Array): (self: Blob, args: Value[]) => Value {
  return (self, args) => {
    const { start, count } = stretchIn(self, args.slice(0, -1));
    const written = bytesOf(args, count).subarray(0, count);
    self.bytes.splice(start, written.length, ...Array.from(written, BigInt));
    return null;
  };
}

function numberBytes(isLittle: boolean): (args: Value[]) => Uint8Array {
  return (args) => {
    const value = args.at(-1) ?? null;
    const bytes = Buffer.alloc(NUMBER_BYTES);
    if (typeof value === "bigint") isLittle ? bytes.writeBigInt64LE(value) : bytes.writeBigInt64BE(value);
    else if (typeof value === "number") isLittle ? bytes.writeDoubleLE(value) : bytes.writeDoubleBE(value);
    else throw wrongArgument("a number", value);
    return bytes;
  };
}

export const blobNumbers: Entry<Blob>[] = [
  ["parse_le_int", [1, 2], reading((bytes) => bytes.readBigInt64LE())],
  ["parse_be_int", [1, 2], reading((bytes) => bytes.readBigInt64BE())],
  ["parse_le_float", [1, 2], reading((bytes) => bytes.readDoubleLE())],
  ["parse_be_float", [1, 2], reading((bytes) => bytes.readDoubleBE())],
  ["write_le", [2, 3], writing(numberBytes(true))],
  ["write_be", [2, 3], writing(numberBytes(false))],
  ["write_utf8", [2, 3], writing((args) => Buffer.from(textArgument(args, args.length - 1)))],
  [
    "write_ascii",
    [2, 3],
    writing((args) => Buffer.from([...textArgument(args, args.length - 1)].filter((c) => c < "\x80").join(""))),
  ],
];
