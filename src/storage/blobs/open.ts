/** The shared files at a place. */
import type { Blobs, BlobsPlace } from "./blobs.ts";
import { DirectoryBlobs } from "./directory.ts";
import { S3Blobs } from "./s3.ts";

export function openBlobs(place: BlobsPlace): Blobs {
  return place.kind === "directory" ? new DirectoryBlobs(place.path) : new S3Blobs(place.store, place.prefix);
}

/** Names of shared files. */
export const blobNames = {
  segment: (indexId: string, file: string): string => `segments/${indexId}/${file}`,
  payload: (name: string): string => `payloads/${name}`,
  checkpoint: (number: number): string => `checkpoints/${String(number).padStart(12, "0")}`,
};
