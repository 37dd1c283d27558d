/** Places and shapes: what documents may say, and that parts give them back after building and merging. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../../../../src/base/json/value.ts";
import { Bitmap } from "../../../../src/storage/segment/bitmap.ts";
import { destination, distanceMetres } from "../../../../src/storage/segment/geo/distance.ts";
import { parseGeo } from "../../../../src/storage/segment/geo/parse.ts";
import { GeoBuilder, GeoReader, mergeGeo } from "../../../../src/storage/segment/geo/points.ts";
import { parseGeoJson } from "../../../../src/storage/segment/geojson/parse.ts";
import { boxRegion, circleRegion, polygonRegion, type Region } from "../../../../src/storage/segment/geojson/region.ts";
import { GeoJsonBuilder, GeoJsonReader, mergeGeoJson } from "../../../../src/storage/segment/geojson/shapes.ts";

test("`_geo` is null or exactly two finite numbers, also as text", () => {
  assert.equal(parseGeo(null), null);
  assert.deepEqual(parseGeo({ lat: 1.5, lng: "-2e1" }), { lat: 1.5, lng: -20 });
  assert.deepEqual(parseGeo({ lng: 1000, lat: "+.5" }), { lat: 0.5, lng: 1000 });
  const wrong: [Json, RegExp][] = [
    ["x", /must be an object/],
    [[], /must be an object/],
    [{}, /`lat` and `lng`/],
    [{ lat: 1, extra: 2 }, /lacks `lng`/],
    [{ lng: 1 }, /lacks `lat`/],
    [{ lat: 1, lng: 2, alt: 3 }, /unexpected.*`alt`/],
    [{ lat: "x", lng: 2 }, /in `lat`/],
    [{ lat: 1, lng: null }, /in `lng`/],
    [{ lat: "", lng: " 1" }, /`lat`.* and `lng`/],
    [{ lat: "inf", lng: 1e300 }, /in `lat`/],
  ];
  for (const [value, pattern] of wrong) assert.match(String(parseGeo(value)), pattern);
});

test("distances are great circles in millimetres", () => {
  assert.equal(Math.round(distanceMetres(50.629973371633746, 3.0569447399419567, 1, 1)), 5522018);
  assert.equal(distanceMetres(1, 2, 1, 2), 0);
  assert.equal(Math.round(distanceMetres(0, 179.5, 0, -179.5)), 111195);
  fc.assert(
    fc.property(fc.integer({ min: -80, max: 80 }), fc.integer({ min: 0, max: 359 }), (lat, bearing) => {
      const reached = destination(lat, 10, bearing, 50_000);
      assert.ok(Math.abs(distanceMetres(lat, 10, reached.lat, reached.lng) - 50_000) < 1);
    }),
  );
});

const coordinate = fc.record({ lat: fc.integer({ min: -90, max: 90 }), lng: fc.integer({ min: -180, max: 180 }) });
const places = fc.array(fc.option(coordinate), { maxLength: 20 });

test("places are found again, alone and merged", () => {
  fc.assert(
    fc.property(
      fc.array(places, { minLength: 1, maxLength: 3 }),
      coordinate,
      fc.nat(9_000_000),
      (parts, centre, metres) => {
        const merged: ({ lat: number; lng: number } | null)[] = [];
        const inputs = parts.map((rows) => {
          const builder = new GeoBuilder(rows.length);
          rows.forEach((place, row) => {
            if (place !== null) builder.add(row, place.lat, place.lng);
          });
          const part = builder.finish();
          const rowMap = Int32Array.from(rows, (place, row) => (row % 3 === 2 ? -1 : merged.push(place) - 1));
          return { reader: part === null ? null : new GeoReader(part), rowMap };
        });
        const part = mergeGeo(inputs, merged.length);
        if (part === null) return assert.ok(merged.every((place) => place === null));
        const reader = new GeoReader(part);
        merged.forEach((place, row) => {
          assert.deepEqual(reader.point(row), place === null ? null : { ...place });
          assert.equal(reader.has(row), place !== null);
        });
        const near = Bitmap.create(merged.length);
        reader.rowsInRadius(centre.lat, centre.lng, metres, near);
        const expected = merged.flatMap((place, row) =>
          place !== null && distanceMetres(centre.lat, centre.lng, place.lat, place.lng) <= metres ? [row] : [],
        );
        assert.deepEqual([...near.toArray()], expected);
      },
    ),
  );
});

test("every GeoJSON type is read, anything else is explained", () => {
  const line = [
    [0, 0],
    [1, 1, 99],
  ];
  const good: Json[] = [
    null,
    { type: "Point", coordinates: [1, 2] },
    { type: "MultiPoint", coordinates: line },
    { type: "LineString", coordinates: line },
    { type: "MultiLineString", coordinates: [line] },
    { type: "Polygon", coordinates: [line] },
    { type: "MultiPolygon", coordinates: [[line]] },
    { type: "GeometryCollection", geometries: [{ type: "Point", coordinates: [1, 2] }] },
    { type: "Feature", geometry: null, properties: null },
    { type: "FeatureCollection", features: [{ type: "Feature", geometry: { type: "Point", coordinates: [1, 2] } }] },
  ];
  for (const value of good) assert.ok(Array.isArray(parseGeoJson(value)));
  const bad: Json[] = [
    5,
    "Point",
    {},
    { type: "Circle", coordinates: [1, 2] },
    { type: "Point" },
    { type: "Point", coordinates: [1] },
    { type: "Point", coordinates: ["1", 2] },
    { type: "LineString", coordinates: [1, 2] },
    { type: "Polygon", coordinates: line },
    { type: "GeometryCollection" },
    { type: "Feature" },
    { type: "FeatureCollection", features: [{ type: "Point", coordinates: [1, 2] }] },
  ];
  for (const value of bad) assert.equal(typeof parseGeoJson(value), "string", JSON.stringify(value));
});

function meeting(shapes: Json[], region: Region): number[] {
  const builder = new GeoJsonBuilder(shapes.length + 1);
  shapes.forEach((value, row) => {
    const read = parseGeoJson(value);
    if (typeof read !== "string") builder.add(row, read);
  });
  const rowMap = Int32Array.from({ length: shapes.length + 1 }, (_, row) => row);
  const part = mergeGeoJson([{ reader: new GeoJsonReader(builder.finish()!), rowMap }], shapes.length + 1)!;
  const out = Bitmap.create(shapes.length + 1);
  new GeoJsonReader(part).rowsMeeting(region, out);
  return [...out.toArray()];
}

/** Where the shortest way between two places of one latitude passes a longitude. */
function latitudeAt(latitude: number, west: number, east: number, lng: number): number {
  const degree = Math.PI / 180;
  const turn = Math.cos((lng - (west + east) / 2) * degree) / Math.cos(((east - west) / 2) * degree);
  return Math.atan(Math.tan(latitude * degree) * turn) / degree;
}

test("a point meets a region when it lies in it, whatever the region's form", () => {
  const point = fc.tuple(fc.integer({ min: -20, max: 20 }), fc.integer({ min: -20, max: 20 }));
  fc.assert(
    fc.property(
      fc.array(point, { minLength: 1, maxLength: 10 }),
      point,
      fc.nat(15),
      fc.nat(15),
      (points, [west, south], width, height) => {
        const shapes = points.map((position) => ({ type: "Point", coordinates: position }));
        const box = { top: south + height, right: west + width, bottom: south, left: west };
        const isClear = ([lng, lat]: readonly [number, number]): boolean =>
          [south, box.top].every((side) => Math.abs(lat - latitudeAt(side, west, box.right, lng)) > 1e-3) ||
          ((lng === west || lng === box.right) && (lat === south || lat === box.top));
        fc.pre(points.every(isClear));
        const expected = points.flatMap(([lng, lat], row) =>
          lng >= west &&
          lng <= box.right &&
          lat >= latitudeAt(south, west, box.right, lng) - 1e-9 &&
          lat <= latitudeAt(box.top, west, box.right, lng) + 1e-9
            ? [row]
            : [],
        );
        assert.deepEqual(meeting(shapes, boxRegion(box)), expected);
        const corners = [
          [south, west],
          [south, box.right],
          [box.top, box.right],
          [box.top, west],
        ] as [number, number][];
        assert.deepEqual(meeting(shapes, polygonRegion(corners)), expected);
      },
    ),
  );
});

test("the sides of boxes and polygons take the shortest way on the globe, but not around half of it", () => {
  const at = (lng: number, lat: number): Json => ({ type: "Point", coordinates: [lng, lat] });
  const points = [at(10, 51.5), at(10, 52), at(10, 41.5), at(10, 42), at(-179, 50.5)];
  const box = { top: 50, right: 30, bottom: 40, left: -10 };
  assert.deepEqual(meeting(points, boxRegion(box)), [0, 3]);
  const corners = [box.top, box.bottom].flatMap((lat) => [box.left, box.right].map((lng) => [lat, lng] as const));
  const [topLeft, topRight, bottomLeft, bottomRight] = corners;
  assert.deepEqual(meeting(points, polygonRegion([topLeft!, topRight!, bottomRight!, bottomLeft!])), [0, 3]);
  assert.deepEqual(meeting(points, boxRegion({ ...box, left: 175, right: -173 })), []);
  assert.deepEqual(meeting(points, boxRegion({ ...box, left: 165, right: -163 })), [4]);
  assert.deepEqual(meeting(points, boxRegion({ ...box, top: 51, left: -180, right: 180 })), [2, 3, 4]);
});

test("regions reach over the antimeridian and around the poles", () => {
  const points = [
    [179.9, 0],
    [-179.9, 0],
    [0, 89],
    [120, 85],
    [120, 60],
  ].map((coordinates) => ({ type: "Point", coordinates }));
  assert.deepEqual(meeting(points, circleRegion(0, 180, 100_000, 125)), [0, 1]);
  assert.deepEqual(meeting(points, circleRegion(0, -180, 100_000, 3)), [0, 1]);
  assert.deepEqual(meeting(points, circleRegion(89, -60, 1_000_000, 125)), [2, 3]);
  assert.deepEqual(meeting(points, boxRegion({ top: 1, right: -179, bottom: -1, left: 179 })), [0, 1]);
  assert.deepEqual(meeting(points, circleRegion(0, 0, 30_000_000, 125)), [0, 1, 2, 3, 4]);
});

test("lines and polygons meet what they touch, cross, contain or lie in", () => {
  const box = boxRegion({ top: 1, right: 1, bottom: -1, left: -1 });
  const square = (half: number): number[][] => [
    [-half, -half],
    [half, -half],
    [half, half],
    [-half, half],
    [-half, -half],
  ];
  const shapes: Json[] = [
    {
      type: "LineString",
      coordinates: [
        [-5, 0],
        [5, 0],
      ],
    },
    {
      type: "LineString",
      coordinates: [
        [-5, 1],
        [-1, 1],
      ],
    },
    {
      type: "LineString",
      coordinates: [
        [-5, 2],
        [5, 2],
      ],
    },
    { type: "Polygon", coordinates: [square(0.5)] },
    { type: "Polygon", coordinates: [square(3)] },
    { type: "Polygon", coordinates: [square(3), square(2)] },
    { type: "Polygon", coordinates: [square(3), square(0.5)] },
    { type: "Polygon", coordinates: [] },
  ];
  assert.deepEqual(meeting(shapes, box), [0, 1, 3, 4, 6]);
});
