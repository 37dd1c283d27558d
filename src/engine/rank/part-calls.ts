/** What compiled search over a part of an index tells of itself and is told, between its memory and the agreement of the parts. */
import { HitDetail } from "../../base/kernels/search/generated/layout.ts";
import { AS_HERE, ORDER_WORDS, PATH_WORDS, type SearchPart } from "../../base/kernels/search/kernels.ts";
import type { Workspace } from "../../storage/memory/workspace.ts";
import { type KeyedAgreement, type PathKeys, type Place, type Step, stepOf, type ToldChoice } from "./agreement.ts";
import type { KnownNode, QueryNode } from "./query-nodes.ts";
import type { RankDetail, RankedHit } from "./result.ts";
import type { RuleName } from "./rule-table.ts";

export class PartCalls implements SearchPart {
  readonly knownOf: (node: QueryNode) => KnownNode | null;
  readonly #u32: Uint32Array;
  readonly #ranking: readonly RuleName[];
  /** What there is to say about documents sorted by values. */
  readonly #values: { readonly details: readonly RankDetail[] };
  readonly #agreement: KeyedAgreement;
  #agreed: readonly PathKeys[] = [];

  constructor(
    { u32 }: Workspace,
    ranking: readonly RuleName[],
    values: { readonly details: readonly RankDetail[] },
    agreement: KeyedAgreement,
    knownOf: (node: QueryNode) => KnownNode | null,
  ) {
    this.#u32 = u32;
    this.#ranking = ranking;
    this.#values = values;
    this.#agreement = agreement;
    this.knownOf = knownOf;
  }

  begin(details: number, levels: number): void {
    this.#agreement.begin(this.#placeAt(details, levels));
  }

  reach(cost: number): void {
    this.#agreement.reach(cost);
  }

  enter(details: number, levels: number, count: number): boolean {
    return this.#agreement.enter(this.#placeAt(details, levels), count);
  }

  choose(cost: number, paths: number, orders: number, count: number): number {
    const choices: ToldChoice[] = [];
    for (let i = 0; i < count; i++) {
      const path = this.#listAt((paths >>> 2) + i * PATH_WORDS);
      choices.push({ path, order: this.#listAt((orders >>> 2) + i * ORDER_WORDS) });
    }
    const agreed = this.#agreement.agreedOn(cost, choices);
    if (agreed === null) return AS_HERE;
    this.#agreed = agreed;
    return agreed.length;
  }

  putAgreed(paths: number): void {
    this.#agreed.forEach((path, i) => {
      const at = (paths >>> 2) + i * PATH_WORDS;
      this.#u32[at] = path.length;
      this.#u32.set(path, at + 1);
    });
  }

  holds(reading: number, phrase: number, here: boolean): boolean {
    return this.#agreement.holds(`${reading} ${phrase}`, here);
  }

  look(node: number): void {
    this.#agreement.look(node);
  }

  sumFrequencies(counts: number, terms: number): void {
    const at = counts >>> 2;
    this.#u32.set(this.#agreement.frequencies(Array.from(this.#u32.subarray(at, at + terms))), at);
  }

  /** What was found, in order. */
  show(hits: readonly RankedHit[]): void {
    let said: RankDetail[] | null = null;
    let place: Place = [];
    for (const { details, docid, row, segment } of hits) {
      // Documents of one bucket share what is said about them.
      if (details !== said) place = details.map(stepOf);
      said = details;
      this.#agreement.show(place, segment, row, docid, details);
    }
  }

  #placeAt(details: number, levels: number): Step[] {
    const place: Step[] = [];
    for (let level = 0; level < levels; level++) {
      const cost = this.#u32[(details >>> 2) + level * HitDetail.WORDS + HitDetail.cost]!;
      place.push(this.#ranking[level]!.kind === "sort" ? stepOf(this.#values.details[cost]!) : cost);
    }
    return place;
  }

  /** Numbers, with how many there are before them. */
  #listAt(at: number): number[] {
    return Array.from(this.#u32.subarray(at + 1, at + 1 + this.#u32[at]!));
  }
}
