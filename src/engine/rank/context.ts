/** What all rules of one search share. Shapes only. */
import type { IndexView } from "../../storage/index/view.ts";
import type { Corpus } from "../query/corpus.ts";
import type { Deadline } from "../query/deadline.ts";
import type { QueryGraph } from "../query/graph.ts";
import type { Agreement } from "./agreement.ts";
import type { Documents } from "./documents.ts";
import type { Matches } from "./matches.ts";
import type { Interpretations } from "./reading.ts";
import type { RankDetail } from "./result.ts";

export interface RankContext {
  view: IndexView;
  corpus: Corpus;
  matches: Matches;
  graph: QueryGraph;
  clock: Deadline;
  /** Documents that left the race because an equal one was shown. Null when all stay. */
  isExcluded: ((segment: number, row: number) => boolean) | null;
  /** Null for a search over a whole index. */
  agreement: Agreement | null;
}

/** Documents that a rule holds equal. */
export interface Bucket {
  documents: Documents;
  interpretations: Interpretations;
  detail: RankDetail;
  /** Its number, where buckets are told apart by nothing else. */
  step?: number;
}

/** A rule at work on some documents: buckets, best first. */
export interface Sorting {
  next(): Bucket | null;
  /** What it has not handed out yet. */
  rest(): Documents;
}

/** Makes a sorting; throws TimeIsUp rather than taking too long. Documents are listed when a rule asks for them. */
export type Rule = (documents: () => Documents, interpretations: Interpretations) => Sorting;
