/**
 * What parts of an index tell about one search, and what they are told when they are asked again. Plain data. A script is right
 * as soon as parts that follow it tell nothing that is not in it.
 */
import type { AgreedBucket, Measured, PathKeys, Place, ToldChoice } from "../rank/agreement.ts";
import type { DistinctValue } from "../rank/distinct.ts";
import type { RankDetail } from "../rank/result.ts";

/** A document in its place. */
export interface ShownDocument {
  place: Place;
  docid: number;
  /** Of the attribute that is distinct. */
  values: readonly DistinctValue[];
}

/** Nothing is shown beyond it: of the bucket at `place` all are shown, or those up to `docid`. */
export interface End {
  place: Place;
  docid: number | null;
}

/** By the key of a place, in the order of keys. */
export type Told<Value> = readonly [key: string, value: Value];

export interface Script {
  /** How many documents match each term; null when nobody needs to know. */
  frequencies: readonly number[] | null;
  /** By bucket, what its documents chose, in order. */
  choices: readonly Told<readonly PathKeys[]>[];
  /** By bucket and question. */
  holds: readonly Told<boolean>[];
  /** By bucket. */
  orders: readonly Told<readonly AgreedBucket[]>[];
  /** What other parts show, in order; told where values are distinct. */
  shown: readonly ShownDocument[];
  end: End | null;
}

/** Documents that no rule tells apart, in order. */
export interface ShownBucket {
  place: Place;
  /** What the rules said of them; null where nobody wants to know. */
  details: RankDetail[] | null;
  documents: (Omit<ShownDocument, "place"> & { segment: number; row: number })[];
}

export interface Report {
  frequencies: readonly number[] | null;
  /** How many documents of the part are in each; none where nobody wants to know. */
  buckets: { place: Place; count: number }[];
  choices: { place: Place; choices: ToldChoice[] }[];
  holds: { place: Place; name: string; here: boolean }[];
  measured: { place: Place; documents: Measured[] }[];
  shown: ShownBucket[];
  /** Nodes whose typos were looked at, and where; none where nobody wants to know. */
  looked: { node: number; place: Place }[];
  /** Time was up before its documents were in order. */
  degraded: boolean;
}
