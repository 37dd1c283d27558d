/**
 * Partial updates: versions of one document laid over each other, top level only. A member of a newer version replaces
 * the older value whole; nested objects are never merged, but for `_vectors`, which is by embedder.
 */
import type { ByteSink } from "../json/bytes.ts";
import { DocumentEntries } from "./entries.ts";
import { overlayVectors } from "./overlay-vectors.ts";
import { VECTORS_FIELD } from "./pick.ts";

export interface DocumentVersion {
  bytes: Uint8Array;
  start: number;
  end: number;
}

const entries = new DocumentEntries();

/** Appends the stored form of all versions, given from oldest to newest. */
export function overlayVersions(
  versions: readonly DocumentVersion[],
  fieldOrder: ReadonlyMap<string, number>,
  out: ByteSink,
): void {
  entries.start(fieldOrder);
  for (const version of versions) entries.add(version.bytes, version.start, version.end);
  const vectors = entries.valuesOf(VECTORS_FIELD);
  const merged = vectors.length > 1 ? overlayVectors(vectors) : null;
  if (merged !== null) entries.add(merged, 0, merged.length);
  entries.write(out);
  entries.release();
}
