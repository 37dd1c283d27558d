/** From a filter as it was sent to the rows that pass it: reading, checking and evaluating in one call. */

import type { ErrorCode } from "../../base/errors/errors.ts";
import type { Json } from "../../base/json/value.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import type { SegmentReader } from "../../storage/segment/reader.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import type { FilterContext } from "./context.ts";
import { filterApiError } from "./errors.ts";
import { evaluateFilter } from "./evaluate.ts";
import { parseFilter } from "./parse.ts";
import { rowsWithVectors } from "./vector-rows.ts";

interface SelectedSegment {
  rows: number;
  live: Bitmap;
  /** How many rows are live. Absent: not known. */
  liveCount?: number;
  reader: SegmentReader;
}

/** What a filter is evaluated on. `foreign`: null where other indexes are out of its reach. */
export function filterContext(
  settings: Settings,
  selected: readonly SelectedSegment[],
  foreign: FilterContext["foreign"] = null,
): FilterContext {
  const segments = selected.map(({ rows, live, liveCount, reader }) => ({
    rows,
    live,
    isWhole: liveCount === rows,
    columns: reader.columns,
    geo: reader.geo,
    geojson: reader.geojson,
  }));
  return {
    settings,
    segments,
    fieldKnown: (name) => segments.some(({ columns }) => columns.column(name) !== null),
    vectors: (embedder, trait) => rowsWithVectors(selected, embedder, trait),
    foreign,
  };
}

/** Rows by segment, or null when the filter is blank and keeps everything. Throws an ApiError with the given code. */
export function selectRows(
  filter: Json,
  settings: Settings,
  segments: readonly SelectedSegment[],
  code: ErrorCode,
): Bitmap[] | null {
  try {
    const parsed = filter === null ? null : parseFilter(filter);
    if (parsed === null) return null;
    return evaluateFilter(parsed, filterContext(settings, segments));
  } catch (problem) {
    throw filterApiError(problem, code);
  }
}
