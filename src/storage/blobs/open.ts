/** The shared files at a place. */
import type { Blobs, BlobsPlace } from "./blobs.ts";
import { DirectoryBlobs } from "./directory.ts";

export function openBlobs({ path }: BlobsPlace): Blobs {
  return new DirectoryBlobs(path);
}

/** Names of shared files. */
export const blobNames = {
  segment: (indexId: string, file: string): string => `segments/${indexId}/${file}`,
  payload: (name: string): string => `payloads/${name}`,
  checkpoint: (number: number): string => `checkpoints/${String(number).padStart(12, "0")}`,
};
