/** From what every rule said about a document to one score, and to the details the interface shows. */

import type { JsonObject } from "../../base/json/value.ts";
import type { DetailOf, RankDetail } from "./result.ts";
import {
  directionOf,
  merged,
  type Rank,
  RULES,
  type RuleKind,
  type Saying,
  type Shown,
  type Surroundings,
} from "./rule-table.ts";

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

type Kind = RankDetail["kind"];

/** What is said of a document by no rule of the index alone. */
const OTHERS: { readonly [K in Exclude<Kind, RuleKind>]: Saying<DetailOf<K>> } = {
  geo: {
    rank: () => null,
    show: (detail, { order }) => {
      const { lat, lng, value, distance } = detail;
      const point = value === null ? null : { lat: value.lat, lng: value.lng };
      return { name: `_geoPoint(${lat}:${lng}):${directionOf(detail)}`, view: { order, value: point, distance } };
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

const SAYINGS: { readonly [K in Kind]: Saying<DetailOf<K>> } = { ...RULES, ...OTHERS };

function rankOf<K extends Kind>(detail: DetailOf<K>): Rank | null {
  return (SAYINGS[detail.kind] as Saying<DetailOf<K>>).rank(detail);
}

function shownOf<K extends Kind>(detail: DetailOf<K>, around: Surroundings): Shown | null {
  return (SAYINGS[detail.kind] as Saying<DetailOf<K>>).show(detail, around);
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
