/** From what every rule said about a document to one score, and to the details the interface shows. */
import { floatText } from "../json/number.ts";
import type { JsonObject } from "../tasks/task.ts";
import type { RankDetail } from "./result.ts";

/** Rank among `max` ranks, 1 being the worst. */
interface Rank {
  rank: number;
  max: number;
}

/** Null for details that leave the score as it is. */
function rankOf(detail: RankDetail): Rank | null {
  switch (detail.kind) {
    case "words":
      return { rank: detail.matching, max: detail.max };
    case "typo":
      return { rank: detail.max + 1 - detail.typos, max: detail.max + 1 };
    case "proximity":
    case "field":
    case "position":
      return detail;
    case "exactAttribute":
      return { rank: detail.rank, max: 3 };
    case "exactWords":
      return { rank: detail.matching + 1, max: detail.max + 1 };
    case "skipped":
      return { rank: 0, max: 1 };
    default:
      return null;
  }
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

/** `_rankingScoreDetails`; sort fields that are not displayed stay hidden. */
export function detailsView(details: readonly RankDetail[], isDisplayed: (field: string) => boolean): JsonObject {
  const view: JsonObject = {};
  let order = 0;
  for (let i = 0; i < details.length; i++) {
    const detail = details[i]!;
    const following = details[i + 1];
    switch (detail.kind) {
      case "words":
        view["words"] = {
          order,
          matchingWords: detail.matching,
          maxMatchingWords: detail.max,
          score: merged([rankOf(detail)!]),
        };
        break;
      case "typo":
        view["typo"] = {
          order,
          typoCount: detail.typos,
          maxTypoCount: detail.max,
          score: merged([rankOf(detail)!]),
        };
        break;
      case "proximity":
        view["proximity"] = { order, score: detail.rank / detail.max };
        break;
      case "field":
        if (detail.split) view["attributeRank"] = { order, score: detail.rank / detail.max };
        else {
          const attribute: JsonObject = { order, attributeRankingOrderScore: detail.rank / detail.max };
          if (following?.kind === "position") {
            attribute["queryWordDistanceScore"] = following.rank / following.max;
            attribute["score"] = merged([detail, following]);
            i++;
          }
          view["attribute"] = attribute;
        }
        break;
      case "position":
        view["wordPosition"] = { order, score: detail.rank / detail.max };
        break;
      case "exactAttribute": {
        const exactness: JsonObject = { order, matchType: MATCH_TYPES[detail.rank] };
        const own: Rank = { rank: detail.rank, max: 3 };
        const words = following?.kind === "exactWords" ? following : null;
        if (words !== null) i++;
        if (detail.rank === 1 && words !== null) {
          exactness["matchingWords"] = words.matching;
          exactness["maxMatchingWords"] = words.max;
          exactness["score"] = merged([own, rankOf(words)!]);
        } else exactness["score"] = merged([own]);
        view["exactness"] = exactness;
        break;
      }
      case "sort": {
        const shown = isDisplayed(detail.field);
        const key = shown ? `${detail.field}:${directionOf(detail)}` : `<hidden-rule-${order}>`;
        view[key] = { order, value: shown ? detail.value : "<hidden>" };
        break;
      }
      case "geo":
        view[`_geoPoint(${detail.lat}:${detail.lng}):${directionOf(detail)}`] = {
          order,
          value: detail.value === null ? null : { lat: detail.value.lat, lng: detail.value.lng },
          distance: detail.distance,
        };
        break;
      case "vector":
        view[`vectorSort(${Array.from(detail.target).join(",")})`] = {
          order,
          value: detail.value === null ? null : Array.from(detail.value, (number) => Number(floatText(number))),
          similarity: detail.similarity,
        };
        break;
      case "skipped":
        view["skipped"] = { order };
        break;
      case "pin":
        view["pin"] = { order, position: detail.position };
        break;
      default:
        break;
    }
    order++;
  }
  return view;
}

function directionOf({ descending }: { descending: boolean }): string {
  return descending ? "desc" : "asc";
}
