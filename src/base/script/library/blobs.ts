/** Blobs: lists of bytes. Most of what can be done with them is done as with arrays of integers. */
import { appended, byteOf, bytesOf } from "../bytes.ts";
import { EditProblem } from "../syntax.ts";
import { Blob, Range, type Value } from "../values.ts";
import { type Caller, type Entry, integerArgument, type Method, stretchOf, wrongArgument } from "./arguments.ts";
import { arrayWalks } from "./array-walks.ts";
import { arrays } from "./arrays.ts";
import { blobNumbers, stretch } from "./blob-numbers.ts";

/** Bytes a blob may be made with. */
const BYTES_MAX = 1_000_000;

/** `blob()`, `blob(size)`, `blob(size, byte)`. */
export function makeBlob(args: Value[], { spend }: Pick<Caller, "spend">): Blob {
  const size = args.length === 0 ? 0n : integerArgument(args, 0);
  if (size > BYTES_MAX) throw new EditProblem("the blob becomes too large");
  const byte = args.length > 1 ? byteOf(integerArgument(args, 1)) : 0n;
  spend(Number(size));
  return new Blob(Array.from({ length: Math.max(0, Number(size)) }, () => byte));
}

/** As an array does it, which gives arrays: here they are blobs. `nothing` is given where an array gives `()`. */
function asArray(name: string, nothing: Value, arrange: (args: Value[]) => Value[] = (args) => args): Entry<Blob> {
  const [, count, run] = [...arrays, ...arrayWalks].find(([known]) => known === name)!;
  const method: Method<Blob> = (self, args, place, caller) => {
    const result = run(self.bytes, arrange(args), place, caller);
    return Array.isArray(result) ? new Blob(result) : (result ?? nothing);
  };
  return [name, count, method];
}

/** With the byte that is the argument at `which`. */
function withByte(which: number): (args: Value[]) => Value[] {
  return (args) => args.with(which, byteOf(integerArgument(args, which)));
}

/** Keeps a stretch and gives the rest. One that lies behind the end keeps nothing; one of no length is none. */
function retained({ bytes }: Blob, args: Value[]): Blob {
  const [first, count] = args;
  const length = first instanceof Range ? first.limit - first.start : count;
  if (bytes.length === 0 || (length as bigint) <= 0n) return new Blob([]);
  const { start, end } = stretchOf(args, bytes.length);
  const gone = [...bytes.slice(0, start), ...bytes.slice(end)];
  bytes.splice(0, bytes.length, ...bytes.slice(start, end));
  return new Blob(gone);
}

function splicing(args: Value[]): Value[] {
  const last = args.at(-1) ?? null;
  if (!(last instanceof Blob)) throw wrongArgument("a blob", last);
  return [...args.slice(0, -1), last.bytes];
}

export const blobs: Entry<Blob>[] = [
  ...["len", "is_empty", "reverse", "clear", "truncate", "chop", "extract", "split"].map((name) => asArray(name, null)),
  ...["get", "pop", "shift", "remove"].map((name) => asArray(name, 0n)),
  asArray("push", null, withByte(0)),
  asArray("insert", null, withByte(1)),
  asArray("set", null, withByte(1)),
  asArray("pad", null, withByte(1)),
  asArray("splice", null, splicing),
  asArray("drain", null, stretch),
  ["retain", [1, 2], (self, args) => retained(self, stretch(args))],
  asArray("append", null, ([added = null]) => [appended(added)]),
  ["contains", 1, (self, args) => self.bytes.includes(byteOf(integerArgument(args, 0)))],
  ["to_array", 0, (self) => [...self.bytes]],
  ["as_string", 0, (self) => bytesOf(self).toString("utf8")],
  ...blobNumbers,
];
