/**
 * Reads GeoJSON (every geometry, Feature, FeatureCollection) from a parsed JSON value into plain shapes, or says what
 * is wrong. Positions are longitude first; altitudes are dropped; coordinates are not held to the limits of the globe.
 */
import type { Json, JsonObject } from "../../../base/json/value.ts";

/** Longitude and latitude alternate in every array. A polygon's first ring is its outline, the others are holes. */
export type Shape =
  | { kind: "point"; position: [number, number] }
  | { kind: "line"; path: number[] }
  | { kind: "polygon"; rings: number[][] };

class Problem extends Error {}

/** The shapes, empty for "no place" (null), or what is wrong, in words. */
export function parseGeoJson(value: Json): Shape[] | string {
  if (value === null) return [];
  const shapes: Shape[] = [];
  try {
    readObject(value, shapes);
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
  return shapes;
}

function readObject(value: Json | undefined, shapes: Shape[]): void {
  const object = expectObject(value);
  const type = object["type"];
  if (type === "Feature") {
    const geometry = object["geometry"];
    if (geometry === undefined) throw new Problem("A GeoJSON `Feature` must have a `geometry`.");
    if (geometry !== null) readGeometry(geometry, shapes);
  } else if (type === "FeatureCollection") {
    for (const feature of expectArray(object["features"], "features")) {
      if (expectObject(feature)["type"] !== "Feature") {
        throw new Problem("`features` of a GeoJSON `FeatureCollection` may only hold objects of type `Feature`.");
      }
      readObject(feature, shapes);
    }
  } else readGeometry(object, shapes);
}

function readGeometry(value: Json, shapes: Shape[]): void {
  const object = expectObject(value);
  const type = object["type"];
  if (typeof type !== "string") throw new Problem("A GeoJSON object must have a `type` that is a string.");
  if (type === "GeometryCollection") {
    for (const geometry of expectArray(object["geometries"], "geometries")) readGeometry(geometry, shapes);
    return;
  }
  const coordinates = object["coordinates"];
  switch (type) {
    case "Point":
      shapes.push({ kind: "point", position: readPosition(coordinates) });
      return;
    case "MultiPoint":
      for (const each of expectArray(coordinates)) shapes.push({ kind: "point", position: readPosition(each) });
      return;
    case "LineString":
      shapes.push({ kind: "line", path: readPath(coordinates) });
      return;
    case "MultiLineString":
      for (const each of expectArray(coordinates)) shapes.push({ kind: "line", path: readPath(each) });
      return;
    case "Polygon":
      shapes.push({ kind: "polygon", rings: expectArray(coordinates).map(readPath) });
      return;
    case "MultiPolygon":
      for (const each of expectArray(coordinates)) {
        shapes.push({ kind: "polygon", rings: expectArray(each).map(readPath) });
      }
      return;
    default:
      throw new Problem(`\`${type}\` is not a type of GeoJSON object.`);
  }
}

function readPath(value: Json | undefined): number[] {
  return expectArray(value).flatMap(readPosition);
}

function readPosition(value: Json | undefined): [number, number] {
  const [lng, lat] = expectArray(value);
  if (typeof lng !== "number" || typeof lat !== "number") {
    throw new Problem(`A GeoJSON position must hold at least two numbers, but is \`${JSON.stringify(value)}\`.`);
  }
  return [lng, lat];
}

function expectArray(value: Json | undefined, name = "coordinates"): Json[] {
  if (Array.isArray(value)) return value;
  throw new Problem(
    value === undefined
      ? `The GeoJSON object lacks \`${name}\`.`
      : `An array was expected in the \`${name}\` of the GeoJSON object, but \`${JSON.stringify(value)}\` was found.`,
  );
}

function expectObject(value: Json | undefined): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new Problem(`A GeoJSON object was expected, but \`${JSON.stringify(value)}\` was found.`);
}
