/** An index of a file's documents without a server: segments in one memory, as readers have them. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { idsOf } from "../../src/base/document/id-list.ts";
import type { Json } from "../../src/base/json/value.ts";
import { MIB } from "../../src/base/limits.ts";
import type { IndexView, SegmentView } from "../../src/storage/index/view.ts";
import { Bitmap } from "../../src/storage/segment/bitmap.ts";
import { buildSegment } from "../../src/storage/segment/build.ts";
import { writeSegmentFile } from "../../src/storage/segment/container.ts";
import { extractionRules } from "../../src/storage/segment/rules.ts";
import { applySettingsUpdate, defaultSettings } from "../../src/storage/settings/update.ts";
import { openTogether, viewOfSegments } from "./opened-segments.ts";

const WORKSPACE_BYTES = 256 * MIB;

export function arenaIndex(
  lines: readonly string[],
  settings: Record<string, unknown>,
  segmentCount: number,
): IndexView {
  const whole = applySettingsUpdate(defaultSettings(), settings as Record<string, Json>);
  const rules = extractionRules(whole);
  const folder = mkdtempSync(path.join(tmpdir(), "arena-index-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const size = Math.ceil(lines.length / segmentCount);
  const files: string[] = [];
  for (let first = 0; first < lines.length; first += size) {
    const part = lines.slice(first, first + size);
    const bodies = part.map((line) => Buffer.from(line));
    const offsets = new Float64Array(part.length + 1);
    bodies.forEach((body, i) => {
      offsets[i + 1] = offsets[i]! + body.length;
    });
    const docids = Uint32Array.from(part, (_, i) => first + i);
    const documents = new Uint8Array(Buffer.concat(bodies));
    const segment = buildSegment({ docids, externalIds: idsOf(Array.from(docids, String)), documents, offsets, rules });
    const file = path.join(folder, `${files.length}.seg`);
    writeSegmentFile(file, segment);
    files.push(file);
  }
  const segments = openTogether(files, WORKSPACE_BYTES).map((reader, id): SegmentView => {
    const live = Bitmap.create(reader.rows);
    for (let row = 0; row < reader.rows; row++) live.set(row);
    return { id, rows: reader.rows, shard: 0, reader, live, liveCount: reader.rows };
  });
  return viewOfSegments({ id: "measured", settings: whole, documentCount: lines.length, segments });
}
