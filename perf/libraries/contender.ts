/** What every engine of the comparison is given and must be able to do. Shapes only. */
import type { JsonObject } from "../../src/base/json/value.ts";

/** A kind of search; an engine that has no such thing leaves it out. */
export const SEARCH_CLASSES = [
  "common word",
  "one letter",
  "prefix",
  "two words",
  "typo",
  "phrase",
  "filter + facet",
] as const;
export type SearchClass = (typeof SEARCH_CLASSES)[number];

export type Document = Record<string, unknown> & { id: string | number };

export interface Collection {
  documents: Document[];
  /** Index settings that say the same as the next two, in our own words. */
  settings: JsonObject;
  /** Fields with the words, the most important first. */
  searchable: string[];
  /** A field of texts, or of lists of texts, to filter by and to count. */
  facet: string;
  /** Where to put files; emptied by the caller. */
  folder: string;
}

export interface Query {
  text: string;
  /** Of the class "filter + facet": only documents with this value count, and all values are counted. */
  value: string | null;
}

/** Documents shown of each search. */
export const HITS = 20;

export interface Contender<Answer = unknown> {
  name: string;
  classes: readonly SearchClass[];
  /** Makes the index. Timed. */
  build(): Promise<void> | void;
  /** Finds the first documents, with their contents. Timed. */
  search(query: Query, kind: SearchClass): Answer | Promise<Answer>;
  /** How many documents that answer holds. */
  hits(answer: Answer): number;
}

/** The values of the facet in one document. */
export function facetValues(document: Document, facet: string): string[] {
  const value = document[facet];
  return (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]).map(String);
}
