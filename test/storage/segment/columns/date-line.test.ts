/** Areas that leave the map on one side: what lies in them, and what else is found because the interface defines it so. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../../../../src/base/json/value.ts";
import { Bitmap } from "../../../../src/storage/segment/bitmap.ts";
import { flatRingOf } from "../../../../src/storage/segment/geojson/flat-ring.ts";
import { CELLS, CORNERS } from "../../../../src/storage/segment/geojson/h3-cells.ts";
import { parseGeoJson, type Shape } from "../../../../src/storage/segment/geojson/parse.ts";
import { boxRegion, circleRegion, polygonRegion, type Region } from "../../../../src/storage/segment/geojson/region.ts";
import { GeoJsonBuilder, GeoJsonReader } from "../../../../src/storage/segment/geojson/shapes.ts";

function found(points: readonly (readonly [number, number])[], region: Region): number[] {
  const builder = new GeoJsonBuilder(points.length);
  for (const [row, coordinates] of points.entries()) {
    builder.add(row, parseGeoJson({ type: "Point", coordinates } as unknown as Json) as Shape[]);
  }
  const out = Bitmap.create(points.length);
  new GeoJsonReader(builder.finish()!).rowsMeeting(region, out);
  return points.flatMap((_, row) => (out.has(row) ? [row] : []));
}

// `isFoundThere`: answered by the geo library of the reference, version 1.50, for the same box and the same polygon.
const ARCTIC: [lng: number, lat: number, inArea: boolean, isFoundThere: boolean][] = [
  [-160, 68, true, false],
  [170, 68, true, false],
  [-160, 65.2, true, true],
  [-160, 64, false, false],
  [170, 66, true, true],
  [100, 68, false, false],
  [0, 68, false, false],
  [-140, 68, false, true],
  [150, 68, false, true],
];

test("over the date line is found what lies in the area, and what the reference finds beside it", () => {
  const points = ARCTIC.map(([lng, lat]) => [lng, lat] as const);
  const expected = ARCTIC.flatMap(([, , inArea, isFoundThere], row) => (inArea || isFoundThere ? [row] : []));
  assert.deepEqual(found(points, boxRegion({ top: 70, right: -148, bottom: 63, left: 152 })), expected);
  const corners = [
    [63, 152],
    [70, 152],
    [70, -148],
    [63, -148],
  ] as [number, number][];
  assert.deepEqual(found(points, polygonRegion(corners)), expected);
});

test("areas that stay on the map find nothing beside them", () => {
  assert.equal(flatRingOf(boxRegion({ top: 70, right: 30, bottom: 63, left: 10 })), null);
  assert.equal(flatRingOf(circleRegion(0, 100, 1_000_000, 125)), null);
  assert.notEqual(flatRingOf(circleRegion(0, 179, 1_000_000, 125)), null);
});

const area = fc.record({
  left: fc.double({ min: 120, max: 179, noNaN: true }),
  right: fc.double({ min: -179, max: -120, noNaN: true }),
  bottom: fc.integer({ min: -70, max: 60 }),
  height: fc.integer({ min: 1, max: 15 }),
});
const place = fc.tuple(fc.integer({ min: -180, max: 180 }), fc.integer({ min: -88, max: 88 }));

test("what lies in an area over the date line is always found, and nothing outside its band of latitudes", () => {
  fc.assert(
    fc.property(area, fc.array(place, { minLength: 1, maxLength: 20 }), ({ left, right, bottom, height }, points) => {
      const region = boxRegion({ top: bottom + height, right, bottom, left });
      const all = found(points, region);
      // Turned by half of the globe the same area stays on the map.
      const turned = points.map(([lng, lat]) => [lng > 0 ? lng - 180 : lng + 180, lat] as const);
      const plain = boxRegion({ top: bottom + height, right: right + 180, bottom, left: left - 180 });
      for (const row of found(turned, plain)) assert.ok(all.includes(row), String(points[row]));
      const latitudes = region[0]!.filter((_, i) => i % 2 === 1);
      for (const row of all) {
        assert.ok(points[row]![1] >= Math.min(...latitudes) - 1e-9 && points[row]![1] <= Math.max(...latitudes) + 1e-9);
      }
    }),
  );
});

test("the cells of the grid cover the globe once: 12 with five corners, 110 with six, three around each corner", () => {
  assert.equal(CELLS.length, 122);
  assert.equal(CELLS.filter((cell) => cell.length === 5).length, 12);
  assert.ok(CELLS.every((cell) => cell.length === 5 || cell.length === 6));
  const uses = new Array<number>(CORNERS.length / 2).fill(0);
  for (const corner of CELLS.flat()) uses[corner]!++;
  assert.ok(uses.every((count) => count === 3));
});
