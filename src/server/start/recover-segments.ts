/**
 * `--recover`, after the store: takes damaged or missing segment files out of their indexes, so that these can be served and
 * written again without the documents that lay in them. The files are kept aside, and what is lost is told index by index.
 */
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { syncDirectory } from "../../base/files/sync-directory.ts";
import type { Log } from "../../base/log/log.ts";
import { sortedCounts } from "../../engine/writer/draft.ts";
import { liveRows, openSegment } from "../../engine/writer/index-state.ts";
import { decodeManifest, encodeManifest, type IndexManifest, type SegmentEntry } from "../../storage/index/manifest.ts";
import { readHotParts, verifySegment } from "../../storage/segment/container.ts";
import { SegmentReader } from "../../storage/segment/reader.ts";
import { DATA_FILE } from "../../storage/store/metas.ts";
import { openStore } from "../../storage/store/store.ts";

export async function recoverSegments(databasePath: string, log: Log): Promise<void> {
  const folder = join(databasePath, "store");
  if (!existsSync(join(folder, DATA_FILE))) return;
  const keptIn = join(databasePath, `lost-${new Date().toISOString().replaceAll(":", "-")}`);
  const store = openStore(folder);
  try {
    for (const [uid, { id }] of [...store.catalog.entries()]) {
      const bytes = store.manifests.get(id);
      if (bytes === undefined) continue;
      const manifest = decodeManifest(bytes);
      const files = join(databasePath, "indexes", manifest.id);
      const damaged = new Map<SegmentEntry, string>();
      for (const entry of manifest.segments) {
        const problem = problemOf(join(files, entry.file));
        if (problem !== null) damaged.set(entry, problem);
      }
      if (damaged.size === 0) continue;
      const left = withoutSegments(manifest, new Set(damaged.keys()), files);
      // Files that nobody refers to are swept at the next start, so they go aside first.
      for (const { file } of damaged.keys()) keepAside(files, file, join(keptIn, manifest.id));
      await store.write(() => store.manifests.put(id, encodeManifest(left)));
      for (const [entry, problem] of damaged) {
        log.warn("main", "a damaged segment is taken out of its index", { index: uid, file: entry.file, problem });
      }
      const lost = manifest.documentCount - left.documentCount;
      log.warn("main", "documents of an index are lost", { index: uid, lost, left: left.documentCount, kept: keptIn });
    }
  } finally {
    await store.close();
  }
}

/** Null when every byte is as it was written. */
function problemOf(path: string): string | null {
  return existsSync(path) ? verifySegment(path) : "it is missing";
}

function withoutSegments(manifest: IndexManifest, damaged: ReadonlySet<SegmentEntry>, folder: string): IndexManifest {
  const segments = manifest.segments.filter((entry) => !damaged.has(entry));
  const counts = new Map<string, number>();
  let documentCount = 0;
  for (const entry of segments) {
    const path = join(folder, entry.file);
    const reader = new SegmentReader(readHotParts(path), path);
    reader.fieldSets.count(liveRows(openSegment(entry, reader)), counts, 1);
    reader.close();
    documentCount += entry.rows - entry.deletedCount;
  }
  const version = manifest.version + 1;
  return { ...manifest, version, segments, documentCount, fieldDistribution: sortedCounts(counts) };
}

function keepAside(folder: string, file: string, into: string): void {
  if (!existsSync(join(folder, file))) return;
  mkdirSync(into, { recursive: true });
  renameSync(join(folder, file), join(into, file));
  syncDirectory(into);
}
