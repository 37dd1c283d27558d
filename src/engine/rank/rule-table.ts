/**
 * The ranking rules, an entry for each: who sorts by it, what a cost means, what that does to the score and how it is
 * shown. Beside it the names under which settings list them. What an entry lacks, the compiler finds.
 */
import type { BuiltInRule } from "../../base/contract/settings.ts";
import { floatText } from "../../base/json/number.ts";
import type { JsonObject } from "../../base/json/value.ts";
import { RULES as COMPILED } from "../../base/kernels/search/kernels.ts";
import type { SortRule } from "../filter/sort.ts";
import type { RowSets } from "../query/row-sets.ts";
import { agreedByPlace, agreedByVector } from "./agreed-sort.ts";
import { FieldRule, PositionRule } from "./attribute.ts";
import type { RankContext, Rule } from "./context.ts";
import { type CostRule, CostSort, pathMax, type Said, unspent } from "./cost-sort.ts";
import { ExactAttributeSort, ExactWordsRule } from "./exactness.ts";
import type { FieldWeights } from "./field-weights.ts";
import { GeoSort } from "./geo.ts";
import { BATCH } from "./geo-buckets.ts";
import { ProximityRule } from "./proximity.ts";
import { chosenPaths } from "./reading.ts";
import type { KeywordRequest } from "./request.ts";
import type { DetailOf, RankDetail } from "./result.ts";
import { SameCostSort } from "./same-cost-sort.ts";
import { FieldSort } from "./sort.ts";
import type { Strategy } from "./strategy.ts";
import { TypoRule } from "./typo.ts";
import { VectorSort } from "./vector-sort.ts";
import { WordsSort } from "./words.ts";

export type RuleName =
  | { kind: "words" | "typo" | "proximity" | "exactAttribute" | "exactWords" | "vector" }
  | { kind: "field" | "position"; split: boolean }
  | { kind: "sort"; rule: SortRule };

export type RuleKind = RuleName["kind"];
type Named<K extends RuleKind> = RuleName & { kind: K };

/** Rules about words, as settings name them. */
export type RelevancyRule = Exclude<BuiltInRule, "sort">;

/** What each rule about words stands for, given those that came before it. `words` is put in its place by whoever reads the list. */
export const RELEVANCY: { readonly [name in RelevancyRule]: (seen: ReadonlySet<string>) => RuleName[] } = {
  words: () => [],
  typo: () => [{ kind: "typo" }],
  proximity: () => [{ kind: "proximity" }],
  attribute: (seen) => {
    if (seen.has("attributeRank") || seen.has("wordPosition")) return [];
    return [
      { kind: "field", split: false },
      { kind: "position", split: false },
    ];
  },
  attributeRank: (seen) => (seen.has("attribute") ? [] : [{ kind: "field", split: true }]),
  wordPosition: (seen) => (seen.has("attribute") ? [] : [{ kind: "position", split: true }]),
  exactness: () => [{ kind: "exactAttribute" }, { kind: "exactWords" }],
};

/** What a rule is made for. */
export interface Ranked {
  context: RankContext;
  request: KeywordRequest;
  /** Null when there are no words to match. */
  strategy: Strategy | null;
  /** All documents, where the rule is the first and they need not be listed. */
  universe: RowSets | null;
  weights: FieldWeights;
}

/** Rank among `max` ranks, 1 being the worst. */
export interface Rank {
  rank: number;
  max: number;
}

/** Where a detail stands, and what may be shown. */
export interface Surroundings {
  order: number;
  following: RankDetail | undefined;
  isDisplayed(field: string): boolean;
}

export interface Shown {
  name: string;
  view: JsonObject;
  /** The detail after it is part of it. */
  withNext?: boolean;
}

/** What is said about a document does to its score, and how it is shown. */
export interface Saying<D> {
  /** Null leaves the score as it is. */
  rank(detail: D): Rank | null;
  /** Null shows nothing. */
  show(detail: D, around: Surroundings): Shown | null;
}

interface RuleEntry<K extends RuleKind> extends Saying<DetailOf<K>> {
  /** Its number in compiled code; null where that does not know it, so that a search is done in steps. */
  compiled: number | null;
  build(rule: Named<K>, ranked: Ranked): Rule;
  /** What a cost means; `max`: how many different costs there could be. Null for rules that are not told by a cost. */
  said: ((rule: Named<K>, cost: number, max: number) => DetailOf<K>) | null;
}

const MATCH_TYPES = { 1: "noExactMatch", 2: "matchesStart", 3: "exactMatch" } as const;

export const RULES: { readonly [K in RuleKind]: RuleEntry<K> } = {
  words: {
    compiled: COMPILED.words,
    build: (_rule, { context, strategy, universe }) => {
      return (documents) => new WordsSort(context, strategy!, universe ?? documents().toSets());
    },
    said: (_rule, cost, max) => ({ kind: "words", matching: max - cost, max }),
    rank: ({ matching, max }) => ({ rank: matching, max }),
    show: ({ matching, max }, { order }) => {
      const view = { order, matchingWords: matching, maxMatchingWords: max, score: matching / max };
      return { name: "words", view };
    },
  },
  typo: {
    compiled: COMPILED.typo,
    build: byCost("typo", ({ context }) => new TypoRule(context)),
    said: (_rule, cost, max) => ({ kind: "typo", typos: cost, max: max - 1 }),
    rank: ({ typos, max }) => ({ rank: max + 1 - typos, max: max + 1 }),
    show: ({ typos, max }, { order }) => {
      const view = { order, typoCount: typos, maxTypoCount: max, score: (max + 1 - typos) / (max + 1) };
      return { name: "typo", view };
    },
  },
  proximity: {
    compiled: COMPILED.proximity,
    build: byCost("proximity", ({ context }) => new ProximityRule(context)),
    said: (_rule, cost, max) => ({ kind: "proximity", rank: max - cost, max }),
    rank: (detail) => detail,
    show: ({ rank, max }, { order }) => ({ name: "proximity", view: { order, score: rank / max } }),
  },
  field: {
    compiled: COMPILED.field,
    build: byCost("field", ({ context, weights }) => new FieldRule(context, weights)),
    said: ({ split }, cost, max) => ({ kind: "field", rank: max - cost, max, split }),
    rank: (detail) => detail,
    show: (detail, { order, following }) => {
      const score = detail.rank / detail.max;
      if (detail.split) return { name: "attributeRank", view: { order, score } };
      const view: JsonObject = { order, attributeRankingOrderScore: score };
      if (following?.kind !== "position") return { name: "attribute", view };
      view["queryWordDistanceScore"] = following.rank / following.max;
      view["score"] = merged([detail, following]);
      return { name: "attribute", view, withNext: true };
    },
  },
  position: {
    compiled: COMPILED.position,
    build: byCost("position", ({ context }) => new PositionRule(context)),
    said: ({ split }, cost, max) => ({ kind: "position", rank: max - cost, max, split }),
    rank: (detail) => detail,
    show: ({ rank, max }, { order }) => ({ name: "wordPosition", view: { order, score: rank / max } }),
  },
  exactAttribute: {
    compiled: COMPILED.exactAttribute,
    build: (_rule, { context }) => {
      return (documents, interpretations) => new ExactAttributeSort(context, documents(), interpretations);
    },
    said: (_rule, cost, max) => ({ kind: "exactAttribute", rank: (max - cost) as 1 | 2 | 3 }),
    rank: ({ rank }) => ({ rank, max: 3 }),
    show: ({ rank }, { order, following }) => {
      const own = { rank, max: 3 };
      const view: JsonObject = { order, matchType: MATCH_TYPES[rank] };
      if (following?.kind !== "exactWords") {
        view["score"] = merged([own]);
        return { name: "exactness", view };
      }
      if (rank === 1) {
        view["matchingWords"] = following.matching;
        view["maxMatchingWords"] = following.max;
        view["score"] = merged([own, { rank: following.matching + 1, max: following.max + 1 }]);
      } else view["score"] = merged([own]);
      return { name: "exactness", view, withNext: true };
    },
  },
  exactWords: {
    compiled: COMPILED.exactWords,
    build: byCost("exactWords", ({ context }) => new ExactWordsRule(context)),
    said: (_rule, cost, max) => ({ kind: "exactWords", matching: max - 1 - cost, max: max - 1 }),
    rank: ({ matching, max }) => ({ rank: matching + 1, max: max + 1 }),
    // Part of what stands before it.
    show: () => null,
  },
  vector: {
    compiled: null,
    build: (_rule, { context, request, universe }) => {
      const { clock, corpus, view } = context;
      const batch = Math.min(request.offset + request.limit, view.settings.pagination.maxTotalHits);
      const order = { ...request.vector!, batch };
      // Nobody goes beyond the first batch, unless some of it is left out, or all that is near enough is counted.
      const isCounted = request.exhaustive && request.rankingScoreThreshold !== null;
      return (documents, interpretations) => {
        const sets = universe ?? documents().toSets();
        if (context.agreement !== null) {
          const isEnough = context.isExcluded === null && !isCounted;
          return agreedByVector(context, context.agreement, documents(), sets, interpretations, order, isEnough);
        }
        return new VectorSort(order, corpus.spaces, sets, interpretations, clock, context.isExcluded);
      };
    },
    said: null,
    rank: () => null,
    show: ({ target, value, similarity }, { order }) => {
      const numbers = value === null ? null : Array.from(value, (number) => Number(floatText(number)));
      return { name: `vectorSort(${Array.from(target).join(",")})`, view: { order, value: numbers, similarity } };
    },
  },
  sort: {
    compiled: COMPILED.sort,
    build: ({ rule }, { context, request }) => {
      const { clock, view } = context;
      if (rule.kind === "field") {
        const columns = view.segments.map(({ reader }) => reader.columns.column(rule.field));
        return (documents, interpretations) =>
          new FieldSort(rule, columns, documents(), interpretations, clock, context.isExcluded, context.agreement);
      }
      const { agreement } = context;
      if (agreement !== null) {
        const { limit, offset, rankingScoreThreshold: threshold } = request;
        const isEnough = context.isExcluded === null && threshold === null && offset + limit <= BATCH;
        return (documents, interpretations) =>
          agreedByPlace(context, agreement, documents(), interpretations, rule, isEnough);
      }
      const readers = view.segments.map(({ reader }) => reader.geo);
      const docids = view.segments.map(({ reader }) => reader.docids);
      return (documents, interpretations) =>
        new GeoSort(rule, readers, docids, documents(), interpretations, clock, context.isExcluded);
    },
    said: null,
    rank: () => null,
    show: (detail, { order, isDisplayed }) => {
      const shown = isDisplayed(detail.field);
      const name = shown ? `${detail.field}:${directionOf(detail)}` : `<hidden-rule-${order}>`;
      return { name, view: { order, value: shown ? detail.value : "<hidden>" } };
    },
  },
};

/** The entry of a rule. */
export function entryOf<K extends RuleKind>(kind: K): RuleEntry<K> {
  return RULES[kind];
}

/** A later rank only divides what the earlier ones left equal. In 32 bits, as the interface defines it. */
export function merged(ranks: readonly Rank[]): number {
  let rank = 1;
  let max = 1;
  for (const next of ranks) {
    rank = (Math.imul(Math.max(0, rank - 1), next.max) + next.rank) >>> 0;
    max = Math.imul(max, next.max) >>> 0;
  }
  return rank / max;
}

export function directionOf({ descending }: { descending: boolean }): string {
  return descending ? "desc" : "asc";
}

/** Sorts by what readings cost. */
function byCost<K extends RuleKind>(kind: K, make: (ranked: Ranked) => CostRule): RuleEntry<K>["build"] {
  return (name, ranked) => {
    const rule = make(ranked);
    const { context } = ranked;
    const say = RULES[kind].said!;
    const said: Said = (cost, max) => say(name, cost, max);
    return (documents, interpretations) => {
      const cost = rule.sameForAll(interpretations);
      if (cost === null) return new CostSort(rule, said, context, documents(), interpretations);
      const [path] = interpretations.paths;
      const detail = said(cost, pathMax(rule, path!) + 1);
      return new SameCostSort(context, documents(), chosenPaths([unspent(rule, path!)]), detail);
    };
  };
}
