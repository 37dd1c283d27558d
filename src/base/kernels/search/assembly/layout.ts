/**
 * What the two sides of a search tell each other, as structs in one memory. `scripts/kernels.mjs` reads the offsets for
 * TypeScript from here. All fields take four bytes; addresses that may be missing are 0 then.
 */

/** A segment as a search sees it. */
@unmanaged
export class Segment {
  rows: u32;
  /** Bytes of a set of its rows, whole lines (see `lines`), and where they are in a set of all rows. */
  setBytes: u32;
  setAt: u32;
  hasDeletes: u32;
  /** The vocabulary: see the terms part. */
  termCount: u32;
  text: u32;
  termBlocks: u32;
  blockKeys: u32;
  /** A `PrefixFilter` of the vocabulary; 0 where it has none. */
  prefixFilter: u32;
  entries: u32;
  postings: u32;
  positions: u32;
  /** Field sets: u32 offsets, u16 fields. */
  setOffsets: u32;
  setFields: u32;
  setCount: u32;
  fieldCount: u32;
  /** Where terms with other first two letters begin, one more than there are, and the second letters. */
  branchStarts: u32;
  branchSeconds: u32;
  branchCount: u32;
  /** The words of each row in their order, and the bytes of one: see `forward`. 0 when the segment does not tell. */
  forwardStarts: u32;
  forwardWords: u32;
  forwardWordBytes: u32;
  /** Prefixes whose rows it tells, a `StoredPrefix` each. */
  prefixes: u32;
  prefixCount: u32;
  /** Internal ids, u32 a row. */
  docids: u32;
  /** Word counts of fields: see the field lengths part. */
  lengthFields: u32;
  lengthRows: u32;
  lengthCounts: u32;
  /** u8 by field set, 1 for those that tolerate typos at all; 0 when all do. */
  tolerantSets: u32;
  /** The same for what this search looks at: where words count, and where they count with typos. */
  searchedSets: u32;
  searchedTolerantSets: u32;
  /** u8 by field, 1 for those that are searched; 0 for all. */
  searchedFields: u32;
  /** u16 by field and by field set: what they weigh, NO_COST where nothing is searched. */
  fieldWeights: u32;
  setWeights: u32;
  /** u8 by weight, below `lightWeights`, and field set: 1 for those with a field that weighs no more. */
  lightSets: u32;
}

/** Terms that begin with a prefix, and what is known of the rows that have one: see the common prefixes part. */
@unmanaged
export class StoredPrefix {
  first: u32;
  end: u32;
  rows: u32;
  bits: u32;
  ranks: u32;
  firsts: u32;
  masks: u32;
}

/** An index as a search sees it. */
@unmanaged
export class Index {
  segments: u32;
  segmentCount: u32;
  /** Bytes of a set of the rows of all segments, without its map. */
  setBytes: u32;
  /** Rows that are not deleted. */
  live: u32;
  hasDeletes: u32;
  /** Whether no word is kept from matching somewhere because typos are not tolerated there. */
  toleratesEverywhere: u32;
  /** Numbers tolerate no typos: pairs of code points, first and last, that are numeric. */
  limitsNumbers: u32;
  numberRanges: u32;
  numberRangeCount: u32;
  /** The search looks at some fields only. */
  isRestricted: u32;
  /** Words are near when they share a field. */
  byAttribute: u32;
  /** What the last of the searchable attributes weighs. */
  heaviest: u32;
  /** So many documents are sorted as sets, and words are looked up in lists of as many. */
  many: u32;
  /** For how many weights segments tell which field sets do not weigh more. */
  lightWeights: u32;
  /** Findings that last from search to search: see `findings`. */
  findings: u32;
  findingsBytes: u32;
  /** Words that were unpacked, the same way: see `tables`. */
  tables: u32;
  tablesBytes: u32;
  /** Empty sets that are lent to searches, and how many there are: see `sets`. */
  sets: u32;
  setCount: u32;
}

/** Words in a row; a word of no length is a stop word. Followed by text and length of each. */
@unmanaged
export class PhraseInput {
  count: u32;
}

/** A node of the query graph, as it was written. */
@unmanaged
export class NodeInput {
  text: u32;
  length: u32;
  /** Given instead of a text. */
  phrase: u32;
  isPrefix: u32;
  /** Typos allowed. */
  typos: u32;
  /** Positions in the query. */
  first: u32;
  last: u32;
  /** Terms covered. */
  from: u32;
  to: u32;
  /** Bytes before the seam of two joined words; 0 for what is not two words. */
  seam: u32;
  /** Addresses of phrases. */
  synonyms: u32;
  synonymCount: u32;
  /** A `KnownWords`, where the index lies in parts; 0 where words are looked for here. */
  known: u32;
}

/** What all parts of an index know of a node. Words are pairs of text and length, in byte order. */
@unmanaged
export class KnownWords {
  exists: u32;
  isCommonPrefix: u32;
  /** No completion comes after this one; none of a length where all that begin so are. */
  lastCompletion: u32;
  lastLength: u32;
  /** All words with typos are taken, so that those of the part are the ones to be found in it; else they are listed. */
  takesAll: u32;
  one: u32;
  oneCount: u32;
  two: u32;
  twoCount: u32;
  /** Bytes before the cut of a word that was cut in two; 0 when it was not. */
  cut: u32;
}

/** Bytes that somebody else keeps. */
@unmanaged
export class Text {
  at: u32;
  length: u32;
}

/** What is asked, and what was found. */
@unmanaged
export class Request {
  index: u32;
  /** Room to work in. */
  room: u32;
  roomEnd: u32;
  /** Rows that pass the filter, and whether the map tells only lines that hold some. */
  universe: u32;
  isTrimmed: u32;
  nodes: u32;
  nodeCount: u32;
  termCount: u32;
  /** Phrases that no document may hold, single words among them. */
  negatives: u32;
  negativeCount: u32;
  /** u8 each: see `rules`. */
  rules: u32;
  ruleCount: u32;
  strategy: u32;
  limit: u32;
  wanted: u32;
  hasThreshold: u32;
  /** Ranks that nobody will see need not be found for a document that is alone. */
  wantsDetails: u32;
  /** A double in two words. */
  thresholdLow: u32;
  thresholdHigh: u32;
  /** A field of which every value is shown once. */
  isDistinct: u32;
  /** The index is a part of one: see `agreement`. */
  isPart: u32;
  /** Whether the words of `NodeOutput` are to be spelled. */
  wantsWords: u32;

  hits: u32;
  hitCount: u32;
  /** A set: what totals and facets count. */
  candidates: u32;
  candidateCount: u32;
  isDegraded: u32;
  /** What nodes were found to stand for: see `NodeOutput`. */
  outputs: u32;
  /** Nodes whose typos were looked for, in that order. */
  tierOrder: u32;
  tierOrderCount: u32;
  /** Words of all nodes, spelled: a byte for the length of each, then its bytes. */
  words: u32;
  wordsEnd: u32;
}

/** What a rule said of a document: its cost, and the number of costs it could have been. */
@unmanaged
export class HitDetail {
  cost: u32;
  most: u32;
}

@unmanaged
export class Hit {
  segment: u32;
  row: u32;
  docid: u32;
  /** Number of rules, then a `HitDetail` for each; a cost of SKIPPED ends early. */
  details: u32;
}

/** What a node was found to stand for. Words are pairs of segment and ordinal, in byte order. */
@unmanaged
export class NodeOutput {
  exists: u32;
  isCommonPrefix: u32;
  /** Ranges of ordinals by segment, pairs; null when completions are listed as words. */
  ranges: u32;
  completions: u32;
  completionCount: u32;
  hasTiers: u32;
  one: u32;
  oneCount: u32;
  two: u32;
  twoCount: u32;
  /** Bytes before the cut of a word that was cut in two; 0 when it was not. */
  cut: u32;
  /** How many of the spelled words are its own: completions, unless it is a word itself, `one`, `two`. Or UNSPELLED. */
  wordCount: u32;
}

/** A term, by the first segment that has it. */
@unmanaged
export class SegmentTerm {
  segment: u32;
  ordinal: u32;
}
