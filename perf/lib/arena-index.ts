/** An index of a file's documents without a server: segments in one memory, as readers have them. */

import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { idsOf } from "../../src/base/document/id-list.ts";
import type { Json } from "../../src/base/json/value.ts";
import { MIB } from "../../src/base/limits.ts";
import type { IndexView, SegmentView } from "../../src/storage/index/view.ts";
import { Workspace } from "../../src/storage/memory/workspace.ts";
import { Bitmap } from "../../src/storage/segment/bitmap.ts";
import { buildSegment } from "../../src/storage/segment/build.ts";
import { loadHotParts, readSegmentHeader, writeSegmentFile } from "../../src/storage/segment/container.ts";
import { SegmentReader } from "../../src/storage/segment/reader.ts";
import { extractionRules } from "../../src/storage/segment/rules.ts";
import { applySettingsUpdate, defaultSettings } from "../../src/storage/settings/update.ts";

const ALIGNMENT = 64;
const PAGE_BYTES = 64 * 1024;
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
  let bytes = 0;
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
    bytes += headerOf(file).hotBytes + ALIGNMENT;
  }
  const pages = Math.ceil((WORKSPACE_BYTES + bytes) / PAGE_BYTES) + 2;
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  const workspace = new Workspace(memory, PAGE_BYTES, WORKSPACE_BYTES);
  let at = PAGE_BYTES + WORKSPACE_BYTES;
  const segments = files.map((file, id): SegmentView => {
    const header = headerOf(file);
    const hot = new Uint8Array(memory.buffer, at, header.hotBytes);
    at += Math.ceil(header.hotBytes / ALIGNMENT) * ALIGNMENT;
    loadHotParts(file, header, hot);
    const reader = new SegmentReader(hot, file, workspace);
    const live = Bitmap.create(reader.rows);
    for (let row = 0; row < reader.rows; row++) live.set(row);
    return { id, rows: reader.rows, reader, live, liveCount: reader.rows };
  });
  return {
    uid: "measured",
    id: "measured",
    version: 1,
    createdAt: 0,
    updatedAt: 0,
    primaryKey: "id",
    settings: whole,
    contentVersion: 1,
    settingsVersion: 1,
    hasLongSettings: false,
    fieldOrder: [],
    fieldDistribution: {},
    documentCount: lines.length,
    segments,
    fileBytes: 0,
    documentBytes: 0,
    liveDocumentBytes: 0,
    problem: null,
  };
}

function headerOf(file: string) {
  const fd = openSync(file, "r");
  const header = readSegmentHeader(fd);
  closeSync(fd);
  return header;
}
