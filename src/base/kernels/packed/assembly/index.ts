/** Documents from the form in which they are stored; see `kernels.ts`. */
import { OBJECT_END, OBJECT_START } from "../../shared/assembly/json";

/** Bytes below are numbers of names; compact JSON has none of them. */
const NAMES_MAX: u8 = 32;

/** What stands before the value of a name. */
@unmanaged
class Head {
  start: usize;
  length: usize;
}

/** Writes the document packed in `[from, end)` to `to`; returns where it ends. */
export function unpack(from: usize, end: usize, to: usize, heads: usize): usize {
  const first = to;
  if (from === end) to++;
  while (from < end) {
    const bytes = v128.load(from);
    v128.store(to, bytes);
    const names = <u32>i8x16.bitmask(i8x16.lt_u(bytes, i8x16.splat(NAMES_MAX)));
    const plain = min(names === 0 ? 16 : <usize>ctz(names), end - from);
    from += plain;
    to += plain;
    if (plain === 16 || from === end) continue;
    const head = changetype<Head>(heads + <usize>load<u8>(from) * offsetof<Head>());
    for (let i: usize = 0; i < head.length; i += 16) v128.store(to + i, v128.load(head.start + i));
    to += head.length;
    from++;
  }
  store<u8>(first, OBJECT_START);
  store<u8>(to, OBJECT_END);
  return to + 1;
}
