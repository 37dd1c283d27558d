/**
 * Times each stage that a body of documents goes through on its way to a segment, in one thread and in turn, as a helper
 * that has just started would do it and then warm: `node --import tsx perf/indexing-stages.ts FILE [settings.json]`
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { idCount, pickIds } from "../src/base/document/id-list.ts";
import { limits } from "../src/base/limits.ts";
import { decodePayload, encodePayload, preparePayload } from "../src/base/payload/prepare.ts";
import { scanPayload } from "../src/base/payload/scan.ts";
import { layDocuments } from "../src/engine/build/lot.ts";
import { buildSegment } from "../src/storage/segment/build.ts";
import { writeSegmentFile } from "../src/storage/segment/container.ts";
import { extractionRules } from "../src/storage/segment/rules.ts";
import { defaultSettings } from "../src/storage/settings/update.ts";

const ROUNDS = 4;

const [file, settingsFile] = process.argv.slice(2);
const body = readFileSync(file!);
const changed = settingsFile === undefined ? {} : (JSON.parse(readFileSync(settingsFile, "utf8")) as object);
const rules = extractionRules({ ...defaultSettings(), ...changed });
const folder = mkdtempSync(path.join(tmpdir(), "indexing-stages-"));
let stages = new Map<string, number>();

function timed<T>(stage: string, work: () => T): T {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  stages.set(stage, (stages.get(stage) ?? 0) + user + system);
  return result;
}

function index(): void {
  const prepared = timed("check", () => preparePayload(body, "ndjson"));
  const encoded = timed("encode", () => Buffer.concat(encodePayload(prepared)));
  const payload = timed("decode", () => decodePayload(encoded));
  const { ids, fields } = timed("scan", () => scanPayload(payload, "id"));
  const { bytes, ranges } = payload;
  for (let first = 0; first < idCount(ids); ) {
    let last = first;
    while (last + 1 < idCount(ids) && ranges[2 * last + 1]! - ranges[2 * first]! < limits.lotBytes) last++;
    const count = last + 1 - first;
    const lot = {
      fieldOrder: fields,
      docids: Uint32Array.from({ length: count }, (_, i) => first + i),
      externalIds: pickIds(
        ids,
        Uint32Array.from({ length: count }, (_, i) => first + i),
      ),
      sources: [{ bytes }],
      versionStarts: Uint32Array.from({ length: count + 1 }, (_, i) => i),
      versionSources: new Uint32Array(count),
      versionBegins: Float64Array.from({ length: count }, (_, i) => ranges[2 * (first + i)]!),
      versionEnds: Float64Array.from({ length: count }, (_, i) => ranges[2 * (first + i) + 1]!),
      overStored: new Uint8Array(count),
      replaced: new Uint8Array(count),
      embedders: [],
    };
    const { docids, externalIds } = lot;
    const { documents, offsets } = timed("lay", () => layDocuments(lot));
    const segment = timed("build", () => buildSegment({ docids, externalIds, documents, offsets, rules }));
    const output = path.join(folder, "lot.seg");
    timed("write", () => writeSegmentFile(output, segment));
    rmSync(output);
    first = last + 1;
  }
}

for (let round = 0; round < ROUNDS; round++) {
  stages = new Map();
  index();
  const all = [...stages.values()].reduce((sum, micros) => sum + micros, 0);
  const parts = [...stages].map(([stage, micros]) => `${stage} ${(micros / 1000).toFixed(0)}`);
  const rate = (body.length / all).toFixed(1);
  console.log(
    `${round === 0 ? "cold" : "warm"}: ${parts.join(", ")}; all ${(all / 1000).toFixed(0)} ms of CPU, ${rate} MB/s`,
  );
}
rmSync(folder, { recursive: true });
