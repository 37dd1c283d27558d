/**
 * Drives the rules: the first one cuts the documents in buckets, the next one cuts each bucket, and so on, until enough
 * documents are in order. Only buckets that reach the page are refined.
 *
 * A bucket sort by several keys, most significant first and lazy: see docs/decisions/bucket-sort.md.
 */

import { type Deadline, TimeIsUp } from "../query/deadline.ts";
import type { RowSets, RowSpaces } from "../query/row-sets.ts";
import { type Agreement, type Place, stepOf } from "./agreement.ts";
import type { Bucket, Rule, Sorting } from "./context.ts";
import type { Distinct } from "./distinct.ts";
import { Documents } from "./documents.ts";
import type { Interpretations } from "./reading.ts";
import type { RankDetail, RankedHit } from "./result.ts";
import { globalScore } from "./score.ts";

interface SortPlan {
  rules: readonly Rule[];
  spaces: RowSpaces;
  docids: readonly Uint32Array[];
  clock: Deadline;
  distinct: Distinct | null;
  agreement: Agreement | null;
  threshold: number | null;
  /** Hits to hand out, and how many must be found before sorting may stop. */
  limit: number;
  wanted: number;
  /** Ranks that nobody will see need not be found for a document that is alone. */
  wantsDetails: boolean;
}

/** Of all documents; of all buckets, where no other parts need to know. */
const ANYWHERE: Place = [];

export class BucketSort {
  readonly hits: RankedHit[] = [];
  /** What is left of the documents: without equals of those shown, and without those below the threshold. */
  readonly candidates: RowSets;
  degraded = false;
  readonly #plan: SortPlan;
  #shown: RowSets | null = null;
  #isOver = false;

  constructor(plan: SortPlan, universe: RowSets) {
    this.#plan = plan;
    const changes = plan.distinct !== null || plan.threshold !== null;
    this.candidates = changes ? plan.spaces.copyOf(universe) : universe;
    if (plan.distinct !== null) this.#shown = plan.spaces.none();
  }

  run(universe: RowSets, interpretations: Interpretations): void {
    const { spaces } = this.#plan;
    if (this.#plan.rules.length === 0) this.#showFirst(universe);
    else
      this.#sort(
        0,
        spaces.count(universe),
        once(() => Documents.of(spaces, universe)),
        interpretations,
        [],
        ANYWHERE,
      );
    const { agreement, distinct } = this.#plan;
    agreement?.end();
    if (distinct === null) return;
    distinct.rows(this.candidates).forEach((rows, segment) => {
      this.candidates[segment]!.andNotWith(rows.andNotWith(this.#shown![segment]!));
    });
  }

  #sort(
    level: number,
    count: number,
    documents: () => Documents,
    interpretations: Interpretations,
    details: readonly RankDetail[],
    place: Place,
  ): void {
    const { agreement, clock, rules, threshold, wanted } = this.#plan;
    let sorting: Sorting | null = null;
    const rest = (): Documents => (sorting === null ? documents() : sorting.rest());
    let left = count;
    while (this.hits.length < wanted && left > 0 && !this.#isOver) {
      let bucket: Bucket | null;
      try {
        if (clock.isOver()) throw new TimeIsUp();
        agreement?.begin(place);
        sorting ??= rules[level]!(documents, interpretations);
        bucket = sorting.next();
      } catch (problem) {
        if (!(problem instanceof TimeIsUp)) throw problem;
        this.degraded = true;
        this.#show(rest(), [...details, { kind: "skipped" }], placeOf(agreement, place, { kind: "skipped" }));
        return;
      }
      if (bucket === null) return;
      const { documents: found, detail } = bucket;
      left -= found.count;
      const own = placeOf(agreement, place, detail, bucket.step);
      this.#isOver = agreement?.enter(own, found.count) === false;
      if (this.#isOver) return;
      const ranks = [...details, detail];
      if (threshold !== null && globalScore(ranks) < threshold) {
        found.removeFrom(this.candidates);
        rest().removeFrom(this.candidates);
        return;
      }
      if (found.count === 0) continue;
      if (level === rules.length - 1 || (found.count === 1 && this.#needsNoRanks())) this.#show(found, ranks, own);
      else this.#sort(level + 1, found.count, () => found, bucket.interpretations, ranks, own);
    }
  }

  #needsNoRanks(): boolean {
    return !this.#plan.wantsDetails && this.#plan.threshold === null;
  }

  /** Documents that no rule tells apart, in the order of their ids. */
  #show(documents: Documents, details: readonly RankDetail[], place: Place): void {
    const { agreement, distinct, docids, limit } = this.#plan;
    const ranks = [...details];
    documents.inOrder(docids, (segment, row, docid) => {
      agreement?.come(place, docid);
      if (distinct !== null) {
        if (distinct.has(segment, row)) return true;
        distinct.add(segment, row);
        this.#shown![segment]!.set(row);
      }
      agreement?.show(place, segment, row, docid, ranks);
      if (this.hits.length < limit) this.hits.push({ segment, row, docid, details: ranks });
      return distinct !== null || this.hits.length < limit;
    });
  }

  /** Without rules nothing beyond the last hit is looked at. */
  #showFirst(universe: RowSets): void {
    const { agreement, distinct, docids, limit } = this.#plan;
    const heads = universe.map((rows) => rows.first());
    while (this.hits.length < limit) {
      let next = -1;
      heads.forEach((row, segment) => {
        if (row !== -1 && (next === -1 || docids[segment]![row]! < docids[next]![heads[next]!]!)) next = segment;
      });
      if (next === -1) return;
      const row = heads[next]!;
      const docid = docids[next]![row]!;
      if (agreement?.come(ANYWHERE, docid) === false) return;
      heads[next] = universe[next]!.next(row + 1);
      if (distinct?.has(next, row)) continue;
      distinct?.add(next, row);
      this.#shown?.[next]?.set(row);
      agreement?.show(ANYWHERE, next, row, docid, []);
      this.hits.push({ segment: next, row, docid, details: [] });
    }
  }
}

function placeOf(agreement: Agreement | null, place: Place, detail: RankDetail, step?: number): Place {
  return agreement === null ? ANYWHERE : [...place, step ?? stepOf(detail)];
}

/** What `make` makes, made when first asked for. */
function once<Value>(make: () => Value): () => Value {
  let value: Value | null = null;
  return () => {
    value ??= make();
    return value;
  };
}
