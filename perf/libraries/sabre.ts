/**
 * Our own engine without the server around it, on one thread: segments are built and merged into one, shown the way the writer
 * shows them, and searched the way a reader searches them, from the body of a request to the bytes of its answer.
 */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { parseSearch } from "../../src/base/contract/search.ts";
import { idsOf } from "../../src/base/document/id-list.ts";
import { limits } from "../../src/base/limits.ts";
import { clockMs } from "../../src/base/time/clock.ts";
import { mergeSegmentFiles } from "../../src/engine/helper/segment-files.ts";
import { runSearch } from "../../src/engine/reader/search.ts";
import type { RequestContext } from "../../src/engine/reader/task.ts";
import { Catalog, type Snapshot } from "../../src/storage/index/catalog.ts";
import type { IndexManifest } from "../../src/storage/index/manifest.ts";
import { indexFolder, segmentPathIn } from "../../src/storage/index/paths.ts";
import { Publisher } from "../../src/storage/index/publish.ts";
import { ArenaSet } from "../../src/storage/memory/arena-set.ts";
import { ArenaViews } from "../../src/storage/memory/arena-views.ts";
import { Control, readerPin } from "../../src/storage/memory/control.ts";
import { workspaceBytes } from "../../src/storage/memory/workspace.ts";
import { buildSegment } from "../../src/storage/segment/build.ts";
import { type SegmentSummary, writeSegmentFile } from "../../src/storage/segment/container.ts";
import { extractionRules } from "../../src/storage/segment/rules.ts";
import { applySettingsUpdate, defaultSettings } from "../../src/storage/settings/update.ts";
import { type Collection, type Contender, type Document, HITS, type Query } from "./contender.ts";

const UID = "documents";
const INDEX_ID = "perf";
const SEGMENT_FILE = "all.seg";

export function sabre(collection: Collection): Contender<Uint8Array> {
  const bodies = collection.documents.map((document) => Buffer.from(JSON.stringify(document)));
  const folder = indexFolder(collection.folder, INDEX_ID);
  mkdirSync(folder, { recursive: true });
  let snapshot: Snapshot | null = null;
  const context: RequestContext = {
    snapshot: () => snapshot!,
    canceled: () => false,
    countDegraded() {
      throw new Error("a search ran out of time");
    },
  };
  return {
    name: "Sabre",
    classes: ["common word", "one letter", "prefix", "two words", "typo", "phrase", "filter + facet"],
    async build() {
      const summary = buildFile(collection, bodies, folder);
      snapshot = await show(collection, summary);
    },
    search({ text, value }: Query) {
      const { facet } = collection;
      const options = value === null ? {} : { filter: `${facet} = ${JSON.stringify(value)}`, facets: [facet] };
      const query = parseSearch({ q: text, limit: HITS, ...options });
      const call = {
        arrivedAt: clockMs(),
        dropAfterMs: Number.POSITIVE_INFINITY,
        requestUid: "",
        includeMetadata: false,
        coding: null,
      };
      return runSearch({ indexUid: UID, query, call }, context).answer.body;
    },
    hits: (answer) => (JSON.parse(Buffer.from(answer).toString()) as { hits: unknown[] }).hits.length,
  };
}

/** One segment for every so many bytes, as the writer does; then all of them in one, as merging does in time. */
function buildFile({ documents, settings }: Collection, bodies: Buffer[], folder: string): SegmentSummary {
  const rules = extractionRules(applySettingsUpdate(defaultSettings(), settings));
  const files: string[] = [];
  let summary: SegmentSummary | null = null;
  for (let from = 0; from < bodies.length; ) {
    const offsets = [0];
    let to = from;
    while (to < bodies.length && offsets[to - from]! < limits.lotBytes) {
      offsets.push(offsets[to - from]! + bodies[to]!.length);
      to++;
    }
    const first = from;
    const segment = buildSegment({
      docids: Uint32Array.from({ length: to - first }, (_, row) => first + row),
      externalIds: idsOf(documents.slice(first, to).map(({ id }) => `${id}`)),
      documents: Buffer.concat(bodies.slice(first, to)),
      offsets: Float64Array.from(offsets),
      rules,
    });
    const last = first === 0 && to === bodies.length;
    const file = path.join(folder, last ? SEGMENT_FILE : `${files.length}.seg`);
    summary = writeSegmentFile(file, segment);
    files.push(file);
    from = to;
  }
  if (summary === null) throw new Error("no documents");
  if (files.length === 1) return summary;
  const inputs = files.map((file) => ({ path: file, deleted: null }));
  return mergeSegmentFiles(inputs, path.join(folder, SEGMENT_FILE));
}

async function show({ documents, settings, folder }: Collection, segment: SegmentSummary): Promise<Snapshot> {
  const bytes = workspaceBytes(1);
  const views = new ArenaViews(() => {}, { number: 0, bytes });
  const host = {
    announce: async (id: number, memory: WebAssembly.Memory) => views.add(id, memory),
    dismiss: () => {},
  };
  const control = Control.create();
  const arenas = new ArenaSet(host, limits.arenaBytes, Number.POSITIVE_INFINITY, bytes);
  const segmentPath = segmentPathIn(folder);
  const { rows, fileBytes, documentBytes } = segment;
  const manifest: IndexManifest = {
    id: INDEX_ID,
    version: 1,
    createdAt: 0,
    updatedAt: 0,
    primaryKey: "id",
    settings: applySettingsUpdate(defaultSettings(), settings),
    contentVersion: 1,
    settingsVersion: 1,
    ...fieldsOf(documents),
    documentCount: rows,
    nextSegmentId: 1,
    shards: 1,
    segments: [{ id: 0, file: SEGMENT_FILE, rows, fileBytes, documentBytes, deletedCount: 0, deleted: null, shard: 0 }],
  };
  await new Publisher(control, arenas, segmentPath).publish({ put: [{ uid: UID, manifest }] });
  return new Catalog(control, readerPin(0), views, segmentPath).pin();
}

function fieldsOf(documents: readonly Document[]): Pick<IndexManifest, "fieldOrder" | "fieldDistribution"> {
  const counts = new Map<string, number>();
  for (const document of documents) {
    for (const field of Object.keys(document)) counts.set(field, (counts.get(field) ?? 0) + 1);
  }
  return { fieldOrder: [...counts.keys()], fieldDistribution: Object.fromEntries(counts) };
}
