/** Structs that are given to these kernels. Fields are u32: numbers, or addresses in the memory, 0 for what is not there. */

/** The texts of a column: see `storage/segment/columns/format.ts`. */
@unmanaged
export class Texts {
  /** Numbers, whose codes come before those of texts, and strings. */
  numberCount: u32;
  stringCount: u32;
  stringOffsets: u32;
  stringBytes: u32;
  /** 0 when every string has one spelling. */
  spellingStarts: u32;
  /** 0 when all are spelled as they are normalized; so are those that take no bytes. */
  spellingOffsets: u32;
  spellingBytes: u32;
}

/** Codes side by side: the first, and how far the last is from that. */
@unmanaged
export class CodeRange {
  first: u32;
  reach: u32;
}
