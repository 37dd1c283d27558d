/** What formatting needs to know of a parsed query and of the words it turned out to mean. Shapes only. */

export interface MatchedTerm {
  /** Positions in the query that the term covers. */
  firstPosition: number;
  lastPosition: number;
  isPrefix: boolean;
  /** The normalized word of the query. */
  typed: string;
  /** Of a prefix, those that came first are meant; the order of others says nothing, and some may be there twice. */
  words: string[];
  phrases: (string | null)[][];
}

export interface MatchedQuery {
  /** In the order in which they are tried. */
  terms: MatchedTerm[];
  /** Query words that are stop words: they are highlighted too. */
  stopWords: string[];
}
