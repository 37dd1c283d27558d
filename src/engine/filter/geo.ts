/**
 * Geo conditions over segments: checks the written coordinates, then asks points and shapes, whichever are filterable.
 * Distances and geometry themselves live with the segments.
 */

import { Bitmap } from "../../storage/segment/bitmap.ts";
import { boxRegion, circleRegion, polygonRegion, type Region } from "../../storage/segment/geojson/region.ts";
import { filtersGeo, filtersGeoJson } from "../../storage/settings/patterns.ts";
import { notFilterable } from "./check.ts";
import type { FilterContext, FilterSegment } from "./context.ts";
import { type Filter, FilterEvaluationError, type Token, type WrittenPoint } from "./filter.ts";

type GeoFilter = Extract<Filter, { kind: "geoRadius" | "geoBoundingBox" | "geoPolygon" }>;

const RESOLUTION_DEFAULT = 125;
const RESOLUTION_MIN = 3;
const RESOLUTION_MAX = 1000;

/** Rows by segment. Throws FilterEvaluationError. */
export function evaluateGeo(filter: GeoFilter, { settings, segments }: FilterContext): Bitmap[] {
  const points = filtersGeo(settings) && filter.kind !== "geoPolygon";
  const shapes = filtersGeoJson(settings);
  if (!points && !shapes) {
    throw notFilterable(filter.kind === "geoPolygon" ? "_geojson" : "_geo/_geojson", filter.call, settings);
  }
  const area = areaOf(filter);
  return segments.map((segment) => {
    const out = Bitmap.create(segment.rows);
    if (points) area.addPoints(segment, out);
    if (shapes) segment.geojson?.rowsMeeting(area.region(), out);
    return out.andWith(segment.live);
  });
}

interface Area {
  addPoints(segment: FilterSegment, out: Bitmap): void;
  region(): Region;
}

function areaOf(filter: GeoFilter): Area {
  if (filter.kind === "geoRadius") {
    const { lat, lng } = placeOf(filter.centre);
    const metres = Number(filter.metres.text);
    const resolution = resolutionOf(filter.resolution);
    return {
      addPoints: (segment, out) => segment.geo?.rowsInRadius(lat, lng, metres, out),
      region: () => circleRegion(lat, lng, metres, resolution),
    };
  }
  if (filter.kind === "geoBoundingBox") {
    const { lat: top, lng: right } = placeOf(filter.topRight);
    const { lat: bottom, lng: left } = placeOf(filter.bottomLeft);
    if (top < bottom) {
      throw new FilterEvaluationError(
        "geo",
        `The top latitude \`${top}\` is below the bottom latitude \`${bottom}\`: the first point is the top right corner, the second the bottom left one.`,
        filter.bottomLeft.latitude,
      );
    }
    const box = { top, right, bottom, left };
    return {
      addPoints: (segment, out) => segment.geo?.rowsInBox(box, out),
      region: () => boxRegion(box),
    };
  }
  const corners = filter.points.map((each) => {
    const { lat, lng } = placeOf(each);
    return [lat, lng] as const;
  });
  return { addPoints: () => {}, region: () => polygonRegion(corners) };
}

function placeOf({ latitude, longitude }: WrittenPoint): { lat: number; lng: number } {
  const lat = Number(latitude.text);
  if (!(lat >= -90 && lat <= 90)) {
    throw new FilterEvaluationError(
      "geo",
      `Bad latitude \`${latitude.text}\`: it must lie between -90 and 90 degrees.`,
      latitude,
    );
  }
  const lng = Number(longitude.text);
  if (!(lng >= -180 && lng <= 180)) {
    const wrapped = ((((lng + 180) % 360) + 360) % 360) - 180;
    throw new FilterEvaluationError(
      "geo",
      `Bad longitude \`${longitude.text}\`: it must lie between -180 and 180 degrees. Hint: try \`${wrapped}\`.`,
      longitude,
    );
  }
  return { lat, lng };
}

function resolutionOf(token: Token | null): number {
  if (token === null) return RESOLUTION_DEFAULT;
  const resolution = Number(token.text);
  if (Number.isInteger(resolution) && resolution >= RESOLUTION_MIN && resolution <= RESOLUTION_MAX) return resolution;
  throw new FilterEvaluationError(
    "geo",
    `Bad resolution \`${token.text}\`: it must be a whole number between ${RESOLUTION_MIN} and ${RESOLUTION_MAX}.`,
    token,
  );
}
