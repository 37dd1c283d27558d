/** What ranking hands on: documents in order, each with what every rule said about it. Shapes only. */

import type { Bitmap } from "../../storage/segment/bitmap.ts";
import type { MatchedQuery } from "../query/matched.ts";

/** One rule's word on a document, in the order of the rules. */
export type RankDetail =
  | { kind: "words"; matching: number; max: number }
  | { kind: "typo"; typos: number; max: number }
  | { kind: "proximity"; rank: number; max: number }
  /** The two halves of `attribute`; `split` when they stand as rules of their own. */
  | { kind: "field"; rank: number; max: number; split: boolean }
  | { kind: "position"; rank: number; max: number; split: boolean }
  /** 3 for an exact match, 2 for a matching start, 1 for neither. */
  | { kind: "exactAttribute"; rank: 1 | 2 | 3 }
  | { kind: "exactWords"; matching: number; max: number }
  | { kind: "sort"; field: string; descending: boolean; value: number | string | null }
  | {
      kind: "geo";
      lat: number;
      lng: number;
      descending: boolean;
      value: { lat: number; lng: number } | null;
      distance: number | null;
    }
  | { kind: "vector"; target: ArrayLike<number>; value: ArrayLike<number> | null; similarity: number | null }
  | { kind: "skipped" }
  /** Instead of all rules: a document that was put in its place. */
  | { kind: "pin"; position: number };

export type DetailOf<K extends RankDetail["kind"]> = Extract<RankDetail, { kind: K }>;

export interface RankedHit {
  segment: number;
  row: number;
  docid: number;
  details: RankDetail[];
}

export interface RankResult {
  /** In order, from the very first document on: the caller cuts its page. */
  hits: RankedHit[];
  /** By segment: the documents that totals and facets count. May be empty where they are not wanted. */
  candidates: Bitmap[];
  total: number;
  /** Null for a placeholder search, and where it is not wanted. */
  query: (() => MatchedQuery) | null;
  /** The deadline came before the order was complete. */
  degraded: boolean;
}
