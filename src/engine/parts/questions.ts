/** What a part of an index is asked by the server that a client has asked, and what it answers. Plain data. Shapes only. */
import type { FacetSearchQuery, HitsQuery } from "../../base/contract/search.ts";
import type { Json } from "../../base/json/value.ts";
import type { Spelling } from "../query/lexicon.ts";
import type { MatchedQuery } from "../query/matched.ts";
import type { DistinctValue } from "../rank/distinct.ts";
import type { Element } from "../rank/elements.ts";
import type { KeywordRequest } from "../rank/request.ts";
import type { RankDetail } from "../rank/result.ts";
import type { Report, Script } from "./script.ts";
import type { AgreedWords, FoundWords, WordsAsked } from "./words.ts";

/** A search, as each part runs it. */
export interface SentSearch {
  request: Omit<KeywordRequest, "vector" | "deadline">;
  vector: { embedder: string; numbers: readonly number[] } | null;
  searched: readonly string[] | null;
  locales: readonly string[] | null;
  filter: Json;
  /** Pinned documents, and those that share a value with one of them, are not to be found. */
  pinned: { docids: readonly number[]; distinct: string | null; values: readonly DistinctValue[] } | null;
}

/** A search with what has been agreed on about it. */
export interface ToldSearch {
  search: SentSearch;
  terms: readonly Spelling[];
  known: readonly AgreedWords[];
  script: Script;
}

/** Documents of a part, by how they are found. */
export type SentSet =
  | { kind: "ranked"; by: ToldSearch }
  | { kind: "filtered"; filter: Json }
  | { kind: "listed"; docids: readonly number[] }
  | { kind: "any"; of: readonly SentSet[] }
  | { kind: "changed"; of: SentSet; with: readonly number[]; without: readonly number[] };

/** A document, and what it has of the attribute that is distinct. */
export interface ValuedDocument {
  docid: number;
  values: readonly DistinctValue[];
}

/** A value of a facet among the documents of a part. */
export interface CountedText {
  /** In the form that counts as one, whatever its spelling. */
  text: string;
  /** That of its first document, and the number of that one. */
  spelling: string;
  docid: number;
  count: number;
}

export interface PartFacet {
  field: string;
  /** Ascending. */
  numbers: number[];
  numberCounts: number[];
  /** In order; of a facet that is shown in this order no more than can be shown. */
  texts: CountedText[];
}

export interface PartFacets {
  /** All that can be facets. */
  fields: readonly string[];
  counted: PartFacet[];
}

export interface SentHit {
  docid: number;
  details: readonly RankDetail[];
  /** As JSON text that begins with a comma. */
  members: string;
}

interface SimilarNeighbour {
  docid: number;
  distance: number;
  /** Number of the vector that it is near to. */
  target: number;
  value: number[];
}

export interface PartQuestions {
  /** Names of fields that have words, and of those that have values. */
  fields: { asked: Record<string, never>; answer: { words: string[]; columns: string[] } };
  words: { asked: WordsAsked & { searched: readonly string[] | null }; answer: FoundWords[] };
  /** `facets`: those to count in what is found. `values`: whether to tell those of all that is found. */
  rank: {
    asked: ToldSearch & { facets: readonly string[] | null; values: string | null };
    answer: Report & { count: number; facets: PartFacets | null; all: ValuedDocument[] | null };
  };
  count: {
    asked: { set: SentSet; facets: readonly string[] | null };
    answer: { count: number; facets: PartFacets | null };
  };
  /** Answer: by id; null for those that are not here or do not pass the filter. */
  pins: {
    asked: { filter: Json; ids: readonly string[]; distinct: string | null };
    answer: (ValuedDocument | null)[];
  };
  /** `known`: all fields of the index; null where they make no difference. Each hit is a piece; an empty one when it is gone. */
  hits: {
    asked: { hits: readonly SentHit[]; query: HitsQuery; matched: MatchedQuery | null; known: string[] | null };
    answer: null;
  };
  /** Columns of documents: their values of each field. */
  values: { asked: { docids: readonly number[]; fields: readonly string[] }; answer: Json[] };
  facetSearch: {
    asked: { set: SentSet; query: Pick<FacetSearchQuery, "facetName" | "facetQuery" | "locales"> };
    answer: (CountedText & { key: string })[];
  };
  order: {
    asked: { filter: Json; ids: readonly string[] | null; sort: readonly string[] | null; end: number };
    answer: { total: number; docids: number[]; places: Element[][] | null };
  };
  /** `places`: what each tells of its own, where it is for another server. Each is a piece; an empty one when it is gone. */
  documents: {
    asked: {
      docids: readonly number[];
      fields: string[] | null;
      known: string[] | null;
      retrieveVectors: boolean;
      places: string[] | null;
    };
    answer: null;
  };
  /** One piece, or none. */
  document: {
    asked: { id: string; fields: string[] | null; known: string[] | null; retrieveVectors: boolean };
    answer: null;
  };
  /** The vectors of a document; null where it is not, or may not be seen. */
  target: {
    asked: { id: string; embedder: string; visible: Json };
    answer: { docid: number; vectors: number[][] } | null;
  };
  similar: {
    asked: { filter: Json; without: number; embedder: string; vectors: readonly number[][]; most: number };
    answer: { neighbours: SimilarNeighbour[]; count: number };
  };
}

export type PartQuestion = keyof PartQuestions;

/** What goes with a question. */
export interface PartCall {
  indexUid: string;
  id: string;
  /** Of the one who asks: a part that has other settings cannot answer. */
  settingsVersion: number;
  shards: readonly number[];
  /** Null for what has all the time it wants. */
  leftMs: number | null;
}

/** What an answer tells beside itself. */
export interface PartAnswerHead<Answer> {
  version: number;
  contentVersion: number;
  answer: Answer;
  /** Bytes of each piece. */
  pieces: number[];
}
