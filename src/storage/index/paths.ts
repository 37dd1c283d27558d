/** Where the files of indexes lie below the database folder. */
import { join } from "node:path";

export type SegmentPath = (indexId: string, file: string) => string;

export function indexFolder(databasePath: string, indexId: string): string {
  return join(databasePath, "indexes", indexId);
}

export function segmentPathIn(databasePath: string): SegmentPath {
  return (indexId, file) => join(indexFolder(databasePath, indexId), file);
}
