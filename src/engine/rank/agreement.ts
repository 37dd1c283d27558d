/**
 * What a search over one part of an index is told of the other parts, and tells them: whatever follows from all documents of a
 * bucket together, and from those that were shown before. Shapes only; a search over a whole index has none.
 */
import type { QueryGraph } from "../query/graph.ts";
import type { Distinct } from "./distinct.ts";
import type { Interpretation, Interpretations } from "./reading.ts";
import type { RankDetail } from "./result.ts";

/** Ranks that `exactAttribute` tells apart. */
const EXACT_RANKS = 3;

/** Where a rule puts a bucket: a cost, the number of an agreed bucket, or the value that is sorted by. */
export type Step = number | { value: number | string | null; descending: boolean };

/** Of a bucket: where each rule so far has put it. */
export type Place = readonly Step[];

/** An interpretation that some document chose; the list of numbers tells which one goes first, in all parts alike. */
export interface Choice {
  path: Interpretation;
  order: readonly number[];
}

/** An interpretation as the keys of its readings. */
export type PathKeys = readonly number[];

/** The same of a choice. */
export interface ToldChoice {
  path: PathKeys;
  order: readonly number[];
}

/** A document as its part knows it, for orders that only all parts together can tell. */
export type Measured =
  | { kind: "geo"; docid: number; distance: number | null; point: { lat: number; lng: number } | null }
  | { kind: "vector"; docid: number; distance: number | null; value: readonly number[] | null };

export interface AgreedBucket {
  docids: readonly number[];
  detail: RankDetail;
}

export interface Agreement {
  /** What the query was found to mean. */
  open(graph: QueryGraph): void;
  /** How many documents match each term. */
  frequencies(here: number[]): number[];
  /** Documents that other parts show count here as well. */
  attend(distinct: Distinct): void;
  /** The bucket that is sorted from now on. */
  begin(place: Place): void;
  /** The rule that sorts it comes to a bucket of its own: what other parts show before that one has been shown. */
  reach(step: Step): void;
  /** The interpretations that documents of that bucket chose. */
  chosen(step: Step, here: readonly Choice[]): Interpretations;
  /** Whether something holds for some document of the bucket that is sorted; `name` tells questions about it apart. */
  holds(name: string, here: boolean): boolean;
  /** The order of the documents in the bucket that is sorted; null as long as it is not agreed. */
  order(here: () => Measured[]): readonly AgreedBucket[] | null;
  /** Enters a bucket of so many documents; false when all that is shown comes before it. */
  enter(place: Place, count: number): boolean;
  /** Comes to a document of a bucket; false when all that is shown comes before it. */
  come(place: Place, docid: number): boolean;
  /** The document is shown. */
  show(place: Place, segment: number, row: number, docid: number, details: RankDetail[]): void;
  /** The sort is over: whatever other parts show has been shown. */
  end(): void;
}

/** The same for compiled search, which knows interpretations by the keys of their readings, and nodes by their numbers. */
export interface KeyedAgreement
  extends Pick<Agreement, "frequencies" | "begin" | "reach" | "holds" | "enter" | "show"> {
  /** What was agreed on; null as long as nothing is. */
  agreedOn(step: Step, here: readonly ToldChoice[]): readonly PathKeys[] | null;
  /** The typos of a node are looked at. */
  look(node: number): void;
}

/** By what a detail holds and not by its rule, so that another rule that tells a rank needs nothing here. */
export function stepOf(detail: RankDetail): Step {
  if ("matching" in detail) return detail.max - detail.matching;
  if ("rank" in detail) return ("max" in detail ? detail.max : EXACT_RANKS) - detail.rank;
  switch (detail.kind) {
    case "typo":
      return detail.typos;
    case "sort":
      return { value: detail.value, descending: detail.descending };
    // Their buckets have numbers.
    case "geo":
    case "vector":
    case "pin":
      return 0;
    // What no rule got to comes last.
    case "skipped":
      return Number.MAX_SAFE_INTEGER;
  }
}
