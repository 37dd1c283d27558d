/**
 * Sort expressions: `field:asc`, `field:desc`, `_geoPoint(lat, lng):asc|desc`. Reads and checks them; the order itself is
 * made in `order.ts`.
 */
import { isSortable, sortsGeo } from "../../storage/settings/patterns.ts";
import type { Settings } from "../../storage/settings/settings.ts";

export type SortRule =
  | { kind: "field"; field: string; descending: boolean }
  | { kind: "geo"; lat: number; lng: number; descending: boolean };

/** A sort expression that cannot be used. Which code it gets is the route's choice. */
export class SortError extends Error {
  override readonly name = "SortError";
}

const FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

export function parseSort(expressions: readonly string[]): SortRule[] {
  return expressions.map(parseSortExpression);
}

export function parseSortExpression(text: string): SortRule {
  const direction = /:(asc|desc)$/.exec(text);
  if (direction === null) {
    throw new SortError(`A sort expression must end with \`:asc\` or \`:desc\`: \`${text}\`.`);
  }
  const target = text.slice(0, direction.index);
  const descending = direction[1] === "desc";
  if (target.startsWith("_geoPoint")) return { kind: "geo", ...parseGeoPoint(target), descending };
  const reserved = /^(_geo|_geoDistance|_geoRadius|_geoBoundingBox|_geoPolygon)(?:\(|$)/.exec(target);
  if (reserved !== null) {
    throw new SortError(
      `\`${reserved[1]}\` is reserved and no field to sort by. Use \`_geoPoint(latitude, longitude)\` to sort by distance.`,
    );
  }
  return { kind: "field", field: target, descending };
}

function parseGeoPoint(target: string): { lat: number; lng: number } {
  const written = /^_geoPoint\(([^)]*)\)$/.exec(target);
  const numbers = written === null ? [] : written[1]!.split(",").map((part) => part.trim());
  if (numbers.length !== 2 || !numbers.every((part) => FLOAT.test(part))) {
    throw new SortError(`A place to sort by is written \`_geoPoint(latitude, longitude)\`, found \`${target}\`.`);
  }
  const [lat, lng] = numbers.map(Number);
  if (!(lat! >= -90 && lat! <= 90))
    throw new SortError(`Latitude must lie between -90 and 90 degrees, found \`${numbers[0]}\`.`);
  if (!(lng! >= -180 && lng! <= 180)) {
    throw new SortError(`Longitude must lie between -180 and 180 degrees, found \`${numbers[1]}\`.`);
  }
  return { lat: lat!, lng: lng! };
}

/** Throws SortError for the first attribute that is not sortable. `shown` says which names the message may reveal. */
export function checkSort(
  rules: readonly SortRule[],
  settings: Settings,
  shown: (attribute: string) => boolean = () => true,
): void {
  for (const rule of rules) {
    const allowed = rule.kind === "geo" ? sortsGeo(settings) : isSortable(settings, rule.field);
    if (allowed) continue;
    const visible = settings.sortableAttributes
      .filter(shown)
      .sort()
      .map((name) => `\`${name}\``);
    if (visible.length < settings.sortableAttributes.length) visible.push("`<..hidden-attributes>`");
    const hint =
      visible.length === 0 ? "No attribute of this index is sortable." : `Sortable attributes: ${visible.join(", ")}.`;
    throw new SortError(`Attribute \`${rule.kind === "geo" ? "_geo" : rule.field}\` is not sortable. ${hint}`);
  }
}
