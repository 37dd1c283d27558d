/** What totals and facets of a search over parts count: asked of the parts, where they did not tell already. */
import type { FieldFacets } from "../../answer/facets.ts";
import type { PartFacets, SentSet } from "../../parts/questions.ts";
import type { RankedHit } from "../../rank/result.ts";
import type { Candidates } from "../candidates.ts";
import { mergedFacets } from "./facets.ts";
import type { IndexInParts } from "./index-in-parts.ts";

interface KnownCounts {
  count: number;
  /** The names that were counted, and what parts told; null where none were. */
  names: readonly string[] | null;
  facets: readonly PartFacets[];
}

export class CandidatesInParts implements Candidates {
  readonly #index: IndexInParts;
  /** By part. */
  readonly #sets: readonly SentSet[];
  readonly #known: KnownCounts | null;

  constructor(index: IndexInParts, sets: readonly SentSet[], known: KnownCounts | null = null) {
    this.#index = index;
    this.#sets = sets;
    this.#known = known;
  }

  static none(index: IndexInParts): CandidatesInParts {
    const sets = Array.from({ length: index.count }, (): SentSet => ({ kind: "listed", docids: [] }));
    return new CandidatesInParts(index, sets);
  }

  /** By part. */
  get sets(): readonly SentSet[] {
    return this.#sets;
  }

  get count(): number {
    return this.#known?.count ?? sum(this.#ask(null).map(({ count }) => count));
  }

  or(other: CandidatesInParts): CandidatesInParts {
    return new CandidatesInParts(
      this.#index,
      this.#sets.map((set, part) => ({ kind: "any", of: [set, other.#sets[part]!] })),
    );
  }

  with(hits: readonly RankedHit[]): CandidatesInParts {
    return this.#changed(hits, []);
  }

  without(hits: readonly RankedHit[]): CandidatesInParts {
    return this.#changed([], hits);
  }

  #changed(added: readonly RankedHit[], taken: readonly RankedHit[]): CandidatesInParts {
    if (added.length + taken.length === 0) return this;
    const of = (hits: readonly RankedHit[], part: number): number[] =>
      hits.filter(({ segment }) => segment === part).map(({ docid }) => docid);
    return new CandidatesInParts(
      this.#index,
      this.#sets.map((set, part) => ({ kind: "changed", of: set, with: of(added, part), without: of(taken, part) })),
    );
  }

  facets(names: readonly string[]): FieldFacets[] {
    const { settings } = this.#index.view;
    if (this.#known !== null && this.#known.names?.join("\0") === names.join("\0")) {
      return mergedFacets(settings, names, this.#known.facets, this.#known.count);
    }
    const counted = this.#ask(names);
    return mergedFacets(
      settings,
      names,
      counted.map(({ facets }) => facets!),
      sum(counted.map(({ count }) => count)),
    );
  }

  #ask(facets: readonly string[] | null): { count: number; facets: PartFacets | null }[] {
    const asked = this.#sets.map((set) => ({ set, facets }));
    return this.#index.askEach("count", asked).map((answer) => answer!.answer);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
