/** Which documents of a committed state pass a filter, for tasks that name documents that way. */
import type { Json } from "../../base/json/value.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import { selectRows } from "../filter/select.ts";

import { type IndexState, liveRows } from "./index-state.ts";

/** Matching rows by segment; a null or blank filter keeps every document. Throws `invalid_document_filter`. */
export function matchingRows(state: IndexState, filter: Json): Bitmap[] {
  const segments = state.segments.map((segment) => ({
    rows: segment.entry.rows,
    live: liveRows(segment),
    reader: segment.reader,
  }));
  const selected = selectRows(filter, state.manifest.settings, segments, "invalid_document_filter");
  return selected ?? segments.map(({ live }) => live);
}

export function matchingIds(state: IndexState, filter: Json): string[] {
  const ids: string[] = [];
  for (const [i, rows] of matchingRows(state, filter).entries()) {
    const { reader } = state.segments[i]!;
    rows.forEach((row) => {
      ids.push(reader.externalId(row));
    });
  }
  return ids;
}
