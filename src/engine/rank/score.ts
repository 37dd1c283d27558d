/** From what every rule said about a document to one score, and to the details the interface shows. */

import { floatText } from "../../base/json/number.ts";
import type { JsonObject } from "../../base/json/value.ts";

import type { RankDetail } from "./result.ts";

/** Rank among `max` ranks, 1 being the worst. */
interface Rank {
  rank: number;
  max: number;
}

/** A later rank only divides what the earlier ones left equal. In 32 bits, as the interface defines it. */
function merged(ranks: readonly Rank[]): number {
  let rank = 1;
  let max = 1;
  for (const next of ranks) {
    rank = (Math.imul(Math.max(0, rank - 1), next.max) + next.rank) >>> 0;
    max = Math.imul(max, next.max) >>> 0;
  }
  return rank / max;
}

/** Between 0 and 1, the higher the better. */
export function globalScore(details: readonly RankDetail[]): number {
  const ranks: Rank[] = [];
  for (const detail of details) {
    if (detail.kind === "vector") return detail.similarity ?? 0;
    const rank = rankOf(detail);
    if (rank !== null) ranks.push(rank);
  }
  return merged(ranks);
}

const MATCH_TYPES = { 1: "noExactMatch", 2: "matchesStart", 3: "exactMatch" } as const;

type Kind = RankDetail["kind"];
type Said<K extends Kind> = Extract<RankDetail, { kind: K }>;

/** Where a detail stands, and what may be shown. */
interface Surroundings {
  order: number;
  following: RankDetail | undefined;
  isDisplayed(field: string): boolean;
}

interface Shown {
  name: string;
  view: JsonObject;
  /** The detail after it is part of it. */
  withNext?: boolean;
}

interface Saying<K extends Kind> {
  /** Null leaves the score as it is. */
  rank(detail: Said<K>): Rank | null;
  /** Null shows nothing. */
  show(detail: Said<K>, around: Surroundings): Shown | null;
}

/** What each kind of detail does to the score, and how it is shown. */
const SAYINGS: { readonly [K in Kind]: Saying<K> } = {
  words: {
    rank: ({ matching, max }) => ({ rank: matching, max }),
    show: (detail, { order }) => {
      const { matching, max } = detail;
      const view = { order, matchingWords: matching, maxMatchingWords: max, score: merged([rankOf(detail)!]) };
      return { name: "words", view };
    },
  },
  typo: {
    rank: ({ typos, max }) => ({ rank: max + 1 - typos, max: max + 1 }),
    show: (detail, { order }) => {
      const { typos, max } = detail;
      return {
        name: "typo",
        view: { order, typoCount: typos, maxTypoCount: max, score: merged([rankOf(detail)!]) },
      };
    },
  },
  proximity: {
    rank: (detail) => detail,
    show: ({ rank, max }, { order }) => ({ name: "proximity", view: { order, score: rank / max } }),
  },
  field: {
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
    rank: (detail) => detail,
    show: ({ rank, max }, { order }) => ({ name: "wordPosition", view: { order, score: rank / max } }),
  },
  exactAttribute: {
    rank: ({ rank }) => ({ rank, max: 3 }),
    show: (detail, { order, following }) => {
      const own = rankOf(detail)!;
      const view: JsonObject = { order, matchType: MATCH_TYPES[detail.rank] };
      if (following?.kind !== "exactWords") {
        view["score"] = merged([own]);
        return { name: "exactness", view };
      }
      if (detail.rank === 1) {
        view["matchingWords"] = following.matching;
        view["maxMatchingWords"] = following.max;
        view["score"] = merged([own, rankOf(following)!]);
      } else view["score"] = merged([own]);
      return { name: "exactness", view, withNext: true };
    },
  },
  exactWords: {
    rank: ({ matching, max }) => ({ rank: matching + 1, max: max + 1 }),
    // Part of what stands before it.
    show: () => null,
  },
  sort: {
    rank: () => null,
    show: (detail, { order, isDisplayed }) => {
      const shown = isDisplayed(detail.field);
      const name = shown ? `${detail.field}:${directionOf(detail)}` : `<hidden-rule-${order}>`;
      return { name, view: { order, value: shown ? detail.value : "<hidden>" } };
    },
  },
  geo: {
    rank: () => null,
    show: (detail, { order }) => {
      const { lat, lng, value, distance } = detail;
      const point = value === null ? null : { lat: value.lat, lng: value.lng };
      return { name: `_geoPoint(${lat}:${lng}):${directionOf(detail)}`, view: { order, value: point, distance } };
    },
  },
  vector: {
    rank: () => null,
    show: ({ target, value, similarity }, { order }) => {
      const numbers = value === null ? null : Array.from(value, (number) => Number(floatText(number)));
      return {
        name: `vectorSort(${Array.from(target).join(",")})`,
        view: { order, value: numbers, similarity },
      };
    },
  },
  skipped: {
    rank: () => ({ rank: 0, max: 1 }),
    show: (_detail, { order }) => ({ name: "skipped", view: { order } }),
  },
  pin: {
    rank: () => null,
    show: ({ position }, { order }) => ({ name: "pin", view: { order, position } }),
  },
};

function rankOf<K extends Kind>(detail: Said<K>): Rank | null {
  return (SAYINGS[detail.kind] as Saying<K>).rank(detail);
}

function shownOf<K extends Kind>(detail: Said<K>, around: Surroundings): Shown | null {
  return (SAYINGS[detail.kind] as Saying<K>).show(detail, around);
}

/** `_rankingScoreDetails`; sort fields that are not displayed stay hidden. */
export function detailsView(details: readonly RankDetail[], isDisplayed: (field: string) => boolean): JsonObject {
  const shown: JsonObject = {};
  let order = 0;
  for (let i = 0; i < details.length; i++) {
    const said = shownOf(details[i]!, { order, following: details[i + 1], isDisplayed });
    if (said !== null) shown[said.name] = said.view;
    if (said?.withNext) i++;
    order++;
  }
  return shown;
}

function directionOf({ descending }: { descending: boolean }): string {
  return descending ? "desc" : "asc";
}
