/**
 * Times building and merging segments of a file of JSON lines, and shows what each part weighs.
 * `node --import tsx perf/segment-build.ts FILE [megabytes]`
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { idsOf } from "../src/base/document/id-list.ts";
import { limits, MIB } from "../src/base/limits.ts";
import { buildSegment } from "../src/storage/segment/build.ts";
import { loadHotParts, readSegmentHeader, writeSegmentFile } from "../src/storage/segment/container.ts";
import { mergeSegments } from "../src/storage/segment/merge.ts";
import { PART, partName } from "../src/storage/segment/parts.ts";
import { SegmentReader } from "../src/storage/segment/reader.ts";
import { extractionRules } from "../src/storage/segment/rules.ts";
import { defaultSettings } from "../src/storage/settings/update.ts";

const [file, megabytes] = process.argv.slice(2);
const json = readFileSync(file!).subarray(0, megabytes === undefined ? undefined : Number(megabytes) * MIB);
const folder = mkdtempSync(path.join(tmpdir(), "segment-build-"));
const rules = extractionRules(defaultSettings());

function lots() {
  const found: { bytes: Uint8Array; offsets: number[]; firstRow: number }[] = [];
  let rows = 0;
  for (let start = 0; start < json.length; ) {
    const offsets: number[] = [];
    let at = start;
    while (at < json.length && at - start < limits.lotBytes) {
      const end = json.indexOf(10, at);
      if (end < 0) return found;
      offsets.push(at - start);
      at = end + 1;
    }
    offsets.push(at - start);
    found.push({ bytes: json.subarray(start, at), offsets, firstRow: rows });
    rows += offsets.length - 1;
    start = at;
  }
  return found;
}

/** What each part weighs, against the documents. */
function sizes(label: string, files: string[]): void {
  const byKind = new Map<number, number>();
  for (const file of files) {
    for (const { kind, length } of open(file).header.parts) byKind.set(kind, (byKind.get(kind) ?? 0) + length);
  }
  const share = (bytes: number) => `${((100 * bytes) / byKind.get(PART.documents)!).toFixed(1)}%`;
  const parts = [...byKind].map(([kind, bytes]) => `${partName(kind)} ${share(bytes)}`);
  const total = [...byKind.values()].reduce((sum, bytes) => sum + bytes, 0);
  console.log(`${label}: ${parts.join(", ")}; all ${share(total)}`);
}

function open(file: string): SegmentReader {
  const fd = openSync(file, "r");
  const header = readSegmentHeader(fd);
  closeSync(fd);
  const hot = new Uint8Array(header.hotBytes);
  loadHotParts(file, header, hot);
  return new SegmentReader(hot, file);
}

const files: string[] = [];
let buildMs = 0;
let cpuMicros = 0;
let writeMs = 0;
let bytes = 0;
for (const [i, lot] of lots().entries()) {
  const rows = lot.offsets.length - 1;
  const docids = Uint32Array.from({ length: rows }, (_, row) => lot.firstRow + row);
  const externalIds = idsOf(Array.from(docids, String));
  const started = performance.now();
  const cpuBefore = process.cpuUsage();
  const segment = buildSegment({
    docids,
    externalIds,
    documents: lot.bytes,
    offsets: Float64Array.from(lot.offsets),
    rules,
  });
  const built = performance.now();
  cpuMicros += process.cpuUsage(cpuBefore).user;
  const target = path.join(folder, `${i}.seg`);
  writeSegmentFile(target, segment);
  writeMs += performance.now() - built;
  buildMs += built - started;
  bytes += lot.bytes.length;
  console.log(`lot ${i}: ${rows} rows, ${(lot.bytes.length / 1000 / (built - started)).toFixed(1)} MB/s`);
  files.push(target);
}
console.log(
  `build ${(bytes / 1000 / buildMs).toFixed(1)} MB/s (${buildMs.toFixed(0)} ms), ${(bytes / cpuMicros).toFixed(1)} MB per second of CPU, write ${writeMs.toFixed(0)} ms`,
);
sizes("segments", files);
if (files.length > 1) {
  const readers = files.map(open);
  const started = performance.now();
  const cpuBefore = process.cpuUsage();
  const merged = mergeSegments(readers.map((reader) => ({ reader, live: null })));
  const done = performance.now();
  const cpu = process.cpuUsage(cpuBefore).user;
  const target = path.join(folder, "merged.seg");
  writeSegmentFile(target, merged);
  const written = performance.now() - done;
  console.log(
    `merge ${(bytes / 1000 / (done - started)).toFixed(1)} MB/s, ${(bytes / cpu).toFixed(1)} MB per second of CPU, write ${written.toFixed(0)} ms`,
  );
  sizes("merged", [target]);
}
console.log(`peak ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB`);
rmSync(folder, { recursive: true });
