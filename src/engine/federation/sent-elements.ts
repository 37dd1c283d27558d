/**
 * A hit's place as servers tell it each other (`_federation.weightedScoreValues`), one object for each element:
 *
 *   {"weightedScore":0.98}  {"vectorSort":0.71}  {"sort":{"asc":true,"value":12}}  {"geoSort":{"asc":false,"distance":3.5}}
 */
import type { Element } from "../rank/elements.ts";

type Sent =
  | { weightedScore: number }
  | { vectorSort: number }
  | { sort: { asc: boolean; value: unknown } }
  | { geoSort: { asc: boolean; distance: unknown } };

export function sentElements(elements: readonly Element[]): string {
  return JSON.stringify(elements.map(sent));
}

function sent(element: Element): Sent {
  switch (element.kind) {
    case "score":
      return element.byMeaning ? { vectorSort: element.score } : { weightedScore: element.score };
    case "sort":
      return { sort: { asc: !element.descending, value: element.value } };
    case "geo":
      return { geoSort: { asc: !element.descending, distance: element.distance } };
  }
}

/** Null for what is no such list. */
export function receivedElements(values: unknown): Element[] | null {
  if (!Array.isArray(values)) return null;
  const elements = values.map(received);
  return elements.some((element) => element === null) ? null : (elements as Element[]);
}

function received(value: unknown): Element | null {
  if (typeof value !== "object" || value === null) return null;
  const { weightedScore, vectorSort, sort, geoSort } = value as Partial<Record<string, unknown>>;
  if (typeof weightedScore === "number") return { kind: "score", score: weightedScore };
  if (typeof vectorSort === "number") return { kind: "score", score: vectorSort, byMeaning: true };
  const by = (sort ?? geoSort) as { asc?: unknown; value?: unknown; distance?: unknown } | null | undefined;
  if (typeof by !== "object" || by === null || typeof by.asc !== "boolean") return null;
  const descending = !by.asc;
  const compared = sort === undefined ? by.distance : by.value;
  const isNumber = typeof compared === "number";
  if (sort === undefined) return { kind: "geo", descending, distance: isNumber ? compared : null };
  return { kind: "sort", descending, value: isNumber || typeof compared === "string" ? compared : null };
}
