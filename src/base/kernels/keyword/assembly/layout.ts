/** Structs that kernels of words and those who call them share. Fields are u32: numbers, or addresses in the memory. */

/** Where the occurrences of a term are; see `storage/segment/postings/format.ts`. */
@unmanaged
export class Ref {
  docCount: u32;
  /** Of a term of several rows. */
  postings: u32;
  positions: u32;
  /** Of a term of one row, and the form of its record. */
  row: u32;
  form: u32;
}
