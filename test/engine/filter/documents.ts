/** Documents as tests give them, spread over segments the way the server keeps them, and settings to filter them by. */
import type { Json, JsonObject } from "../../../src/base/json/value.ts";
import type { FilterContext, FilterSegment } from "../../../src/engine/filter/context.ts";
import { Workspace } from "../../../src/storage/memory/workspace.ts";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";
import { ColumnsReader } from "../../../src/storage/segment/columns/reader.ts";
import { parseGeo } from "../../../src/storage/segment/geo/parse.ts";
import { GeoBuilder, GeoReader } from "../../../src/storage/segment/geo/points.ts";
import { parseGeoJson } from "../../../src/storage/segment/geojson/parse.ts";
import { GeoJsonBuilder, GeoJsonReader } from "../../../src/storage/segment/geojson/shapes.ts";
import type { Settings } from "../../../src/storage/settings/settings.ts";
import { defaultSettings } from "../../../src/storage/settings/update.ts";
import type { FilterableRule } from "../../../src/storage/settings/values.ts";

import { ColumnsBuilder } from "../../storage/segment/columns/builder.ts";

const WORKSPACE_BYTES = 64 * 1024;

export interface TestSegment extends FilterSegment {
  docids: Uint32Array;
}

function addValue(columns: ColumnsBuilder, row: number, field: string, value: Json, isElement: boolean): void {
  if (value === null) {
    if (!isElement) columns.isNull(row, field);
  } else if (typeof value === "object") {
    const entries = Object.entries(value);
    if (entries.length === 0 && !isElement) columns.isEmpty(row, field);
    if (Array.isArray(value)) for (const each of value) addValue(columns, row, field, each, true);
    else for (const [key, each] of entries) addField(columns, row, `${field}.${key}`, each);
  } else if (typeof value === "number") columns.number(row, field, value);
  else {
    if (value === "" && !isElement) columns.isEmpty(row, field);
    columns.string(row, field, String(value));
  }
}

function addField(columns: ColumnsBuilder, row: number, field: string, value: Json): void {
  columns.present(row, field);
  addValue(columns, row, field, value, false);
}

/** Columns where kernels read them, and where sets of rows are kept: as readers have them. */
export function columnsInPlace(part: Uint8Array): ColumnsReader {
  const { workspace, at } = Workspace.around(part, WORKSPACE_BYTES);
  const bytes = workspace.u8.subarray(at, at + part.length);
  return new ColumnsReader(bytes, { home: { workspace, at }, isInPlace: true, addressOf: (view) => view.byteOffset });
}

/** Documents take consecutive ids; `live` tells which ones count, `open` how their columns are read. */
export function segmentOf(
  documents: JsonObject[],
  firstDocid = 0,
  live?: boolean[],
  open: (part: Uint8Array) => ColumnsReader = (part) => new ColumnsReader(part),
): TestSegment {
  const rows = documents.length;
  const columns = new ColumnsBuilder(rows);
  const geo = new GeoBuilder(rows);
  const geojson = new GeoJsonBuilder(rows);
  documents.forEach((document, row) => {
    for (const [key, value] of Object.entries(document)) addField(columns, row, key, value);
    const place = parseGeo(document["_geo"] ?? null);
    if (typeof place === "object" && place !== null) geo.add(row, place.lat, place.lng);
    const shapes = parseGeoJson(document["_geojson"] ?? null);
    if (typeof shapes === "object") geojson.add(row, shapes);
  });
  const geoPart = geo.finish();
  const geojsonPart = geojson.finish();
  return {
    rows,
    docids: Uint32Array.from(documents, (_, row) => firstDocid + row),
    live:
      live === undefined
        ? Bitmap.full(rows)
        : Bitmap.of(
            rows,
            documents.flatMap((_, row) => (live[row] ? [row] : [])),
          ),
    columns: open(columns.finish()),
    geo: geoPart === null ? null : new GeoReader(geoPart),
    geojson: geojsonPart === null ? null : new GeoJsonReader(geojsonPart),
  };
}

export function settingsWith(filterableAttributes: FilterableRule[], more: Partial<Settings> = {}): Settings {
  return { ...defaultSettings(), filterableAttributes, ...more };
}

export function contextOf(segments: TestSegment[], settings: Settings): FilterContext {
  const known = new Set(segments.flatMap((segment) => segment.columns!.fields()));
  return { settings, segments, fieldKnown: (name) => known.has(name) };
}

/** Internal ids of the rows, over all segments. */
export function docidsOf(segments: TestSegment[], rows: Bitmap[]): number[] {
  return segments.flatMap((segment, i) => [...rows[i]!.toArray()].map((row) => segment.docids[row]!));
}
