/** Structs that these kernels write and their callers read. All fields are u32. */

/** A spelling of a number of a column that is left to the host: its number among them, and where it is. */
@unmanaged
export class OddNumber {
  number: u32;
  at: u32;
  length: u32;
}

/** What an output held when it was emptied. */
@unmanaged
export class Taken {
  start: usize;
  length: u32;
}

/** What `orderColumn` tells, each a number of 32 bits. */
@unmanaged
export class ColumnOrder {
  stringCount: u32;
  spellingCount: u32;
  /** One offset more than strings, and their bytes. */
  stringOffsets: usize;
  stringBytes: usize;
  /** The first spelling of each string; one more than strings. */
  spellingStarts: usize;
  /** One offset more than spellings, and the bytes of those that differ from their string. */
  spellingOffsets: usize;
  spellingBytes: usize;
  /** By number of a spelling: its place in order, and that of its string. */
  spellingRanks: usize;
  stringRanks: usize;
}

/** A prefix that many places of words begin with: its first term and the one behind its last, its rows, and what is known of them. */
@unmanaged
export class CommonPrefix {
  first: u32;
  end: u32;
  rows: u32;
  at: usize;
  bytes: u32;
}
