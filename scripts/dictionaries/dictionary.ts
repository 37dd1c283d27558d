// What an analyser needs of a dictionary of morphemes, in plain form.

/** What a word may be: how it goes with the word before (left) and after (right), and what it costs. */
export interface Entry {
  leftId: number;
  rightId: number;
  cost: number;
}

export interface Category {
  /** Whether its unknown words are considered even where the dictionary knows one. */
  invoke: boolean;
  /** Whether its characters that follow each other are one unknown word. */
  group: boolean;
  /** What words made of its characters that the dictionary does not know may be. */
  unknown: readonly Entry[];
}

export interface Dictionary {
  /** The order of entries counts: of equally cheap ones the first is taken. */
  words: ReadonlyMap<string, readonly Entry[]>;
  leftIds: number;
  rightIds: number;
  /** Cost of a word with this right id before one with that left id, at left id * rightIds + right id. */
  matrix: Int16Array;
  categories: readonly Category[];
  /** By UTF-16 unit: its category, and `NO_CATEGORY` or a second one. */
  category: Uint8Array;
  secondCategory: Uint8Array;
}
