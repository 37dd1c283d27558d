/**
 * Areas that a filter asks for, and whether a shape meets them. Plane geometry in degrees of longitude and latitude,
 * borders included; an area that leaves the map on one side is repeated on the other.
 */
import { destination, EARTH_RADIUS_METRES } from "../geo/distance.ts";
import type { GeoBox } from "../geo/points.ts";

/** Outlines whose union is the area: longitude and latitude alternate, the last point joins the first. */
export type Region = Float64Array[];

export function boxRegion({ top, right, bottom, left }: GeoBox): Region {
  const rectangle = (west: number, east: number): Float64Array =>
    Float64Array.of(west, bottom, east, bottom, east, top, west, top);
  return left > right ? [rectangle(left, 180), rectangle(-180, right)] : [rectangle(left, right)];
}

/** Points are latitude, longitude, as filters write them. */
export function polygonRegion(points: readonly (readonly [number, number])[]): Region {
  return repeated(Float64Array.from(points.flatMap(([lat, lng]) => [lng, lat])));
}

/** A circle as a polygon of `resolution` corners. */
export function circleRegion(lat: number, lng: number, metres: number, resolution: number): Region {
  const angle = (metres / EARTH_RADIUS_METRES) * (180 / Math.PI);
  if (angle >= 180) return boxRegion({ top: 90, right: 180, bottom: -90, left: -180 });
  const corners = Array.from({ length: resolution }, (_, i) => destination(lat, lng, (360 * i) / resolution, metres));
  const north = lat + angle > 90;
  const south = lat - angle < -90;
  if (!north && !south) return repeated(Float64Array.from(corners.flatMap((corner) => [corner.lng, corner.lat])));
  return [capOutline(corners, north ? 90 : -90)];
}

/** An area around a pole: everything between its rim and the edge of the map. */
function capOutline(corners: { lat: number; lng: number }[], pole: number): Float64Array {
  const rim = corners
    .map((corner) => ({ lat: corner.lat, lng: ((((corner.lng + 180) % 360) + 360) % 360) - 180 }))
    .sort((a, b) => a.lng - b.lng);
  const edge = (rim[0]!.lat + rim.at(-1)!.lat) / 2;
  const path = [-180, edge, ...rim.flatMap((corner) => [corner.lng, corner.lat]), 180, edge, 180, pole, -180, pole];
  return Float64Array.from(path);
}

function repeated(outline: Float64Array): Region {
  const region = [outline];
  const longitudes = outline.filter((_, i) => i % 2 === 0);
  const shifted = (by: number): Float64Array => outline.map((value, i) => (i % 2 === 0 ? value + by : value));
  if (Math.min(...longitudes) < -180) region.push(shifted(360));
  if (Math.max(...longitudes) > 180) region.push(shifted(-360));
  return region;
}

/** Smallest and largest longitude, then latitude. */
export function boundsOf(numbers: ArrayLike<number>, from = 0, to = numbers.length): [number, number, number, number] {
  let west = Number.POSITIVE_INFINITY;
  let east = Number.NEGATIVE_INFINITY;
  let south = Number.POSITIVE_INFINITY;
  let north = Number.NEGATIVE_INFINITY;
  for (let i = from; i < to; i += 2) {
    west = Math.min(west, numbers[i]!);
    east = Math.max(east, numbers[i]!);
    south = Math.min(south, numbers[i + 1]!);
    north = Math.max(north, numbers[i + 1]!);
  }
  return [west, east, south, north];
}

/** A path inside a longer array of alternating longitudes and latitudes: `from <= i < to`. */
export interface Path {
  numbers: Float64Array;
  from: number;
  to: number;
}

export function whole(numbers: Float64Array): Path {
  return { numbers, from: 0, to: numbers.length };
}

/** Whether a point lies inside a closed path or on its border. */
export function covers(path: Path, lng: number, lat: number): boolean {
  const { numbers, from, to } = path;
  let inside = false;
  for (let i = from, j = to - 2; i < to; j = i, i += 2) {
    const x1 = numbers[i]!;
    const y1 = numbers[i + 1]!;
    const x2 = numbers[j]!;
    const y2 = numbers[j + 1]!;
    if (onSegment(x1, y1, x2, y2, lng, lat)) return true;
    if (y1 > lat !== y2 > lat && lng < ((x2 - x1) * (lat - y1)) / (y2 - y1) + x1) inside = !inside;
  }
  return inside;
}

/** Whether any segment of `open` (its ends not joined) meets any segment of the closed path. */
export function crosses(open: Path, closed: Path): boolean {
  const a = open.numbers;
  const b = closed.numbers;
  for (let i = open.from; i + 3 < open.to; i += 2) {
    for (let k = closed.from, j = closed.to - 2; k < closed.to; j = k, k += 2) {
      if (meet(a[i]!, a[i + 1]!, a[i + 2]!, a[i + 3]!, b[j]!, b[j + 1]!, b[k]!, b[k + 1]!)) return true;
    }
  }
  return false;
}

function side(ax: number, ay: number, bx: number, by: number, px: number, py: number): number {
  return Math.sign((bx - ax) * (py - ay) - (by - ay) * (px - ax));
}

function onSegment(ax: number, ay: number, bx: number, by: number, px: number, py: number): boolean {
  return (
    side(ax, ay, bx, by, px, py) === 0 &&
    px >= Math.min(ax, bx) &&
    px <= Math.max(ax, bx) &&
    py >= Math.min(ay, by) &&
    py <= Math.max(ay, by)
  );
}

function meet(ax: number, ay: number, bx: number, by: number, cx: number, cy: number, dx: number, dy: number): boolean {
  const c = side(ax, ay, bx, by, cx, cy);
  const d = side(ax, ay, bx, by, dx, dy);
  const a = side(cx, cy, dx, dy, ax, ay);
  const b = side(cx, cy, dx, dy, bx, by);
  if (c !== d && a !== b) return true;
  return (
    (c === 0 && onSegment(ax, ay, bx, by, cx, cy)) ||
    (d === 0 && onSegment(ax, ay, bx, by, dx, dy)) ||
    (a === 0 && onSegment(cx, cy, dx, dy, ax, ay)) ||
    (b === 0 && onSegment(cx, cy, dx, dy, bx, by))
  );
}
