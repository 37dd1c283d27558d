/**
 * Areas that a filter asks for, and whether a shape meets them. Plane geometry in degrees of longitude and latitude,
 * borders included; an area that leaves the map on one side is repeated on the other. Sides of boxes and polygons take
 * the shortest way on the globe, which is a curve on the map.
 */
import { destination, EARTH_RADIUS_METRES, halfway } from "../geo/distance.ts";
import type { GeoBox } from "../geo/points.ts";

/** Longitude and latitude alternate, the last point joins the first. */
export type Outline = Float64Array;

/** Outlines whose union is the area; one that leaves the map comes first, and then again where it comes back. */
export type Region = Outline[];

/** How far a side may stray from its curve, in degrees, and how often it is halved at least and at most for that. */
const STRAY_MAX = 1e-4;
const HALVINGS_MIN = 2;
const HALVINGS_MAX = 12;

export function boxRegion({ top, right, bottom, left }: GeoBox): Region {
  const east = left > right ? right + 360 : right;
  return repeated(curved([left, bottom, east, bottom, east, top, left, top]));
}

/** Points are latitude, longitude, as filters write them. */
export function polygonRegion(points: readonly (readonly [number, number])[]): Region {
  const written = points.flatMap(([lat, lng]) => [lng, lat]);
  return repeated(curved(unrolled(written) ?? written));
}

/** The corners with longitudes that go on beyond the map, no step longer than half of it. Null where that ends elsewhere. */
function unrolled(corners: readonly number[]): number[] | null {
  const path = corners.slice(0, 2);
  for (let i = 2; i < corners.length; i += 2) {
    const step = corners[i]! - corners[i - 2]!;
    // Once around the earth is meant, not a step of no length.
    path.push(path.at(-2)! + (Math.abs(step) === 360 ? step : wrapped(step)), corners[i + 1]!);
  }
  return Math.abs(path.at(-2)! - path[0]!) > 180 ? null : path;
}

/** A longitude on the map. */
export function wrapped(lng: number): number {
  return lng >= -180 && lng <= 180 ? lng : ((((lng + 180) % 360) + 360) % 360) - 180;
}

/** The outline with points between its corners. A side around half of the globe or more has no shortest way: it stays. */
function curved(corners: readonly number[]): Outline {
  const outline: number[] = [];
  for (let i = 0; i < corners.length; i += 2) {
    const [lng, lat] = [corners[i]!, corners[i + 1]!];
    const next = (i + 2) % corners.length;
    outline.push(lng, lat);
    if (Math.abs(lng - corners[next]!) < 180) addBetween(outline, lng, lat, corners[next]!, corners[next + 1]!, 0);
  }
  return Float64Array.from(outline);
}

function addBetween(out: number[], lng1: number, lat1: number, lng2: number, lat2: number, halvings: number): void {
  if (lng1 === lng2 || halvings === HALVINGS_MAX) return;
  const middle = halfway(lat1, lng1, lat2, lng2);
  const stray = Math.max(Math.abs(middle.lng - (lng1 + lng2) / 2), Math.abs(middle.lat - (lat1 + lat2) / 2));
  if (halvings >= HALVINGS_MIN && stray <= STRAY_MAX) return;
  addBetween(out, lng1, lat1, middle.lng, middle.lat, halvings + 1);
  out.push(middle.lng, middle.lat);
  addBetween(out, middle.lng, middle.lat, lng2, lat2, halvings + 1);
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
export function capOutline(corners: { lat: number; lng: number }[], pole: number): Outline {
  const rim = corners.map((corner) => ({ lat: corner.lat, lng: wrapped(corner.lng) })).sort((a, b) => a.lng - b.lng);
  const edge = (rim[0]!.lat + rim.at(-1)!.lat) / 2;
  const path = [-180, edge, ...rim.flatMap((corner) => [corner.lng, corner.lat]), 180, edge, 180, pole, -180, pole];
  return Float64Array.from(path);
}

export function repeated(outline: Outline): Region {
  const region = [outline];
  const longitudes = outline.filter((_, i) => i % 2 === 0);
  const shifted = (by: number): Outline => outline.map((value, i) => (i % 2 === 0 ? value + by : value));
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

/** Whether two closed outlines have a point in common. */
export function overlap(one: Outline, other: Outline): boolean {
  return (
    covers(whole(one), other[0]!, other[1]!) ||
    covers(whole(other), one[0]!, one[1]!) ||
    crosses(whole(Float64Array.of(...one, one[0]!, one[1]!)), whole(other))
  );
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
