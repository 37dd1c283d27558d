/** What totals and facets of a search count, in an index that lies here. */
import type { IndexView } from "../../storage/index/view.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import { type FieldFacets, facetDistribution } from "../answer/facets.ts";
import { or } from "../query/row-sets.ts";
import type { RankedHit } from "../rank/result.ts";

/** Not changed by anything that is asked of it; combined only with what is of the same index. */
export interface Candidates {
  readonly count: number;
  or(other: Candidates): Candidates;
  with(hits: readonly RankedHit[]): Candidates;
  without(hits: readonly RankedHit[]): Candidates;
  /** Throws `invalid_search_facets`. */
  facets(names: readonly string[]): FieldFacets[];
}

export class CandidatesHere implements Candidates {
  readonly #view: IndexView;
  readonly #rows: readonly Bitmap[];

  constructor(view: IndexView, rows: readonly Bitmap[]) {
    this.#view = view;
    this.#rows = rows;
  }

  get count(): number {
    return this.#rows.reduce((sum, rows) => sum + rows.count(), 0);
  }

  or(other: CandidatesHere): CandidatesHere {
    return new CandidatesHere(this.#view, or([...this.#rows], [...other.#rows]));
  }

  with(hits: readonly RankedHit[]): CandidatesHere {
    return this.#changed(hits, (rows, row) => rows.set(row));
  }

  without(hits: readonly RankedHit[]): CandidatesHere {
    return this.#changed(hits, (rows, row) => rows.clear(row));
  }

  #changed(hits: readonly RankedHit[], change: (rows: Bitmap, row: number) => void): CandidatesHere {
    if (hits.length === 0) return this;
    const all = this.#rows.map((rows) => rows.copy());
    for (const { row, segment } of hits) change(all[segment]!, row);
    return new CandidatesHere(this.#view, all);
  }

  facets(names: readonly string[]): FieldFacets[] {
    return facetDistribution(this.#view, this.#rows, names);
  }
}
