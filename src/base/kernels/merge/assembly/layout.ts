/** Structs that these kernels and their caller share. All fields are u32: numbers, or addresses in the memory. */

/** A segment that is merged. */
@unmanaged
export class Source {
  /** Of its terms: the number, and where text, entries, postings and positions begin. */
  termCount: u32;
  text: usize;
  entries: usize;
  postings: usize;
  positions: usize;
  setOffsets: usize;
  setFields: usize;
  /** i32 by row: what it is then, negative when it is dropped. u16 by field: the same. */
  rowMap: usize;
  fieldMap: usize;
  /** u32 by term, written by `mergeTerms`: its number among all that have occurrences; of no meaning for others. */
  ordinals: usize;
  /** Where the words of each row begin, and the words in so many bytes each; 0 when there are none. */
  forwardStarts: usize;
  forwardWords: usize;
  forwardBytes: u32;
  /** u16 by field: what the merged segment calls it. */
  finalFields: usize;
}
