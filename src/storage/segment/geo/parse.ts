/** What a document may say in `_geo`. Pure; when it is checked is decided where documents are indexed. */
import { NUMBER_TEXT } from "../../../base/json/number.ts";
import type { Json } from "../../../base/json/value.ts";

export interface GeoPoint {
  lat: number;
  lng: number;
}

/** The point, null for "no place", or what is wrong, in words. Values are not held to the limits of the globe. */
export function parseGeo(value: Json): GeoPoint | null | string {
  if (value === null) return null;
  if (typeof value !== "object" || Array.isArray(value)) {
    return `\`_geo\` must be an object with \`lat\` and \`lng\`, but is \`${JSON.stringify(value)}\`.`;
  }
  const missing = ["lat", "lng"].filter((key) => !Object.hasOwn(value, key));
  if (missing.length > 0) {
    return `\`_geo\` lacks ${missing.map((key) => `\`${key}\``).join(" and ")}: both \`lat\` and \`lng\` must be given.`;
  }
  const extra = Object.keys(value).filter((key) => key !== "lat" && key !== "lng");
  if (extra.length > 0) {
    return `\`_geo\` holds unexpected keys beside \`lat\` and \`lng\`: ${extra.map((key) => `\`${key}\``).join(", ")}.`;
  }
  const lat = coordinate(value["lat"]!);
  const lng = coordinate(value["lng"]!);
  const wrong = [...(lat === null ? ["lat"] : []), ...(lng === null ? ["lng"] : [])];
  if (lat === null || lng === null) {
    const shown = wrong.map((key) => `\`${key}\` (\`${JSON.stringify(value[key])}\`)`).join(" and ");
    return `\`_geo\` holds no finite number in ${shown}.`;
  }
  return { lat, lng };
}

function coordinate(value: Json): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string" || !NUMBER_TEXT.test(value)) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}
