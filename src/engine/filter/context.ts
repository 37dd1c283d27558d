/**
 * What a filter is applied to: the index's settings and its segments, plus the answers of other parts of the server.
 * Shapes only.
 */

import type { Bitmap } from "../../storage/segment/bitmap.ts";
import type { ColumnsReader } from "../../storage/segment/columns/reader.ts";
import type { GeoReader } from "../../storage/segment/geo/points.ts";
import type { GeoJsonReader } from "../../storage/segment/geojson/shapes.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import type { Filter, Token, VectorTrait } from "./filter.ts";

export interface FilterSegment {
  readonly rows: number;
  /** Rows that are not deleted: the only ones a filter may keep. */
  readonly live: Bitmap;
  /** Whether no row is deleted. Absent: not known. */
  readonly isWhole?: boolean;
  /** Null when the segment has no such part. */
  readonly columns: ColumnsReader | null;
  readonly geo: GeoReader | null;
  readonly geojson: GeoJsonReader | null;
}

export interface FilterContext {
  readonly settings: Settings;
  readonly segments: readonly FilterSegment[];
  /** Whether some document ever had the field, by its flattened name. */
  fieldKnown(name: string): boolean;
  /** Rows by segment that have vectors of that trait; null asks for any embedder. Absent: no row has any. */
  vectors?(embedder: string | null, trait: VectorTrait): Bitmap[];
  /** External ids of the documents of the foreign index that pass the filter. Throws FilterEvaluationError. */
  readonly foreign?: ((field: Token, filter: Filter) => string[]) | null;
}
