/** Structs and numbers that these kernels and their callers share. All fields take 32 bits. */

/** Of room for what one call works with. */
export const SCRATCH_BYTES: usize = 12_288;
/** Longest word, in letters, that terms may be compared with. */
export const LETTERS_MAX: u32 = 250;
/** Bytes in front of the key that `termsAfterFirst` may write. */
export const KEY_MARGIN_BYTES: usize = 4;
/** No letter is this number: stands for the second letter of words that have but one, and for what is beside a word. */
export const NO_LETTER: u32 = 4_294_967_295;

/** Where a segment has its terms: texts, the offsets of blocks of them, and what the first term of each begins with. */
@unmanaged
export class Terms {
  text: u32;
  blocks: u32;
  /** u64 a block: see `keys`. 0 when they were not made. */
  keys: u32;
}

/** Terms side by side: the number of the first, and of the one behind the last. */
@unmanaged
export class Range {
  first: u32;
  end: u32;
}

/** A word that is cut in two: the numbers of both halves, -1 for one that is no term. */
@unmanaged
export class Halves {
  left: i32;
  right: i32;
}

/** A word that terms are compared with. */
@unmanaged
export class FuzzyWord {
  /** Code points, u32 each, and how many. */
  letters: u32;
  letterCount: u32;
  /** Edits that a term may be away: 1 or 2. */
  limit: u32;
  /** 1 where a term may go on behind the word. */
  isPrefix: u32;
}

/** Terms side by side that are as far from a word. */
@unmanaged
export class Near {
  first: u32;
  end: u32;
  distance: u32;
}

/** What terms begin with: see `prefix-hash`. Followed letters ascend, and so do those that follow each. */
@unmanaged
export class PrefixFilter {
  /** Lines of 64 bytes, and how many. */
  bits: u32;
  lines: u32;
  /** Letters that others follow, u32 each, where their followers begin, one more, and the followers. */
  letters: u32;
  letterCount: u32;
  starts: u32;
  followers: u32;
}
