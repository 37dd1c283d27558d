/**
 * What the interface finds around the date line, beyond what lies in the area. The engine that defined it keeps the
 * outline of an area that leaves the map on one side as a ring of longitudes from -180 to 180, whose sides then run
 * back over the whole flat map; and looks for shapes that meet this ring, among those that have a cell of a coarse grid
 * in common with the area. So Canada is found by a box that ends at 148° west, 7° before it: it lies in the same band of
 * latitudes and shares a cell with Alaska. Clients rely on what they get: such shapes are found here as well. What the
 * ring leaves out although it lies in the area is found nevertheless, because a box wraps the antimeridian.
 */
import { CELLS, CORNERS } from "./h3-cells.ts";
import { capOutline, type Outline, overlap, type Region, repeated, wrapped } from "./region.ts";

interface FlatRing {
  ring: Outline;
  /** Outlines of the cells in which shapes that meet the ring are found, with what is repeated of each beyond the map. */
  cells: Region[];
}

/** Null for an area that stays on the map. */
export function flatRingOf(region: Region): FlatRing | null {
  const [outline] = region;
  if (outline === undefined || region.length === 1) return null;
  const ring = outline.map((value, i) => (i % 2 === 0 ? wrapped(value) : value));
  const cells = coarseCells().filter((cell) => meetsAny(cell, region) && meetsAny(cell, [ring]));
  return { ring, cells };
}

function meetsAny(cell: Region, region: Region): boolean {
  return cell.some((one) => region.some((other) => overlap(one, other)));
}

let cellsMade: Region[] | null = null;

function coarseCells(): Region[] {
  cellsMade ??= CELLS.map(cellRegion);
  return cellsMade;
}

function cellRegion(corners: readonly number[]): Region {
  const outline: number[] = [];
  for (const corner of corners) {
    const lng = CORNERS[corner * 2]!;
    const before = outline.at(-2) ?? lng;
    outline.push(before + wrapped(lng - before), CORNERS[corner * 2 + 1]!);
  }
  // Its corners lead once around the earth: a pole lies inside.
  if (Math.abs(outline.at(-2)! - outline[0]!) > 180) {
    const rim = corners.map((corner) => ({ lng: CORNERS[corner * 2]!, lat: CORNERS[corner * 2 + 1]! }));
    return [capOutline(rim, outline[1]! > 0 ? 90 : -90)];
  }
  return repeated(Float64Array.from(outline));
}
