/** Reads `_geo` and `_geojson` of documents being indexed into their builders, and refuses what is neither. */

import { type IdList, idAt, idCount } from "../../base/document/id-list.ts";
import { apiError } from "../../base/errors/errors.ts";
import type { Json } from "../../base/json/value.ts";

import type { GeoSink } from "./extract/extractor.ts";
import { type GeoPoint, parseGeo } from "./geo/parse.ts";
import { GeoBuilder } from "./geo/points.ts";
import { parseGeoJson } from "./geojson/parse.ts";
import { GeoJsonBuilder } from "./geojson/shapes.ts";
import { PART, type Part } from "./parts.ts";

export class GeoPartsBuilder implements GeoSink {
  readonly #externalIds: IdList;
  readonly #points: GeoBuilder;
  readonly #shapes: GeoJsonBuilder;

  constructor(externalIds: IdList) {
    this.#externalIds = externalIds;
    this.#points = new GeoBuilder(idCount(externalIds));
    this.#shapes = new GeoJsonBuilder(idCount(externalIds));
  }

  geo(row: number, json: string): GeoPoint | null {
    const point = parseGeo(JSON.parse(json) as Json);
    if (point === null) return null;
    if (typeof point === "string") {
      throw apiError(
        "invalid_document_geo_field",
        `In the document with the id \`${idAt(this.#externalIds, row)}\`, ${point}`,
      );
    }
    this.#points.add(row, point.lat, point.lng);
    return point;
  }

  geojson(row: number, json: string): void {
    const value = JSON.parse(json) as Json;
    if (value === null) return;
    const shapes = parseGeoJson(value);
    if (typeof shapes === "string") {
      const id = idAt(this.#externalIds, row);
      throw apiError("invalid_document_geojson_field", `In the document with the id \`${id}\`, ${shapes}`);
    }
    this.#shapes.add(row, shapes);
  }

  /** None when no row has a place. */
  parts(): Part[] {
    return geoParts(this.#points.finish(), this.#shapes.finish());
  }
}

export function geoParts(points: Uint8Array | null, shapes: Uint8Array | null): Part[] {
  const parts: Part[] = [];
  if (points !== null) parts.push({ kind: PART.geo, chunks: [points] });
  if (shapes !== null) parts.push({ kind: PART.geojson, chunks: [shapes] });
  return parts;
}
