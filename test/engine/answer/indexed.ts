/** A small index to answer from: documents spread over segments, opened the way readers do. */
import type { JsonObject } from "../../../src/base/json/value.ts";
import type { FacetsView } from "../../../src/engine/answer/facets.ts";
import type { HitsView } from "../../../src/engine/answer/hits.ts";
import type { RankedHit } from "../../../src/engine/rank/result.ts";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";
import { extractionRules } from "../../../src/storage/segment/rules.ts";
import type { Settings } from "../../../src/storage/settings/settings.ts";
import { applySettingsUpdate, defaultSettings } from "../../../src/storage/settings/update.ts";

import { build, type Doc, open, write } from "../../storage/segment/support.ts";

export interface Indexed extends HitsView, FacetsView {
  settings: Settings;
  segments: (HitsView["segments"][number] & FacetsView["segments"][number])[];
  /** All rows of all segments. */
  everything: Bitmap[];
  /** The document with that place in the list. */
  hit(docid: number): RankedHit;
}

/** Documents get ascending ids; `spread` says in how many segments they lie, one after the other in turn. */
export function indexed(docs: readonly Doc[], update: JsonObject = {}, spread = 1): Indexed {
  const settings = applySettingsUpdate(defaultSettings(), update);
  const rules = extractionRules(settings);
  const segments = Array.from({ length: spread }, (_, segment) => {
    const rows = docs.flatMap((doc, docid) => (docid % spread === segment ? [{ docid, id: String(docid), doc }] : []));
    const live = Bitmap.full(rows.length);
    return { rows: rows.length, live, liveCount: rows.length, reader: open(write(build(rows, rules))) };
  });
  return {
    settings,
    fieldOrder: [...new Set(docs.flatMap((doc) => Object.keys(doc)))],
    segments,
    everything: segments.map(({ live }) => live),
    hit: (docid) => ({ segment: docid % spread, row: Math.floor(docid / spread), docid, details: [] }),
  };
}

export function closeIndexed(view: { segments: { reader: object }[] }): void {
  for (const { reader } of view.segments) if ("close" in reader) (reader.close as () => void).call(reader);
}
