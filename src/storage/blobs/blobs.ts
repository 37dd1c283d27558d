/**
 * Files that several servers share, by name. A file is put whole or not at all, never changes, and is durable when `put`
 * resolves. Knows nothing of what is in them, nor of who still needs them.
 */
import type { S3Place } from "../s3/options.ts";

export interface Blob {
  name: string;
  putAtMs: number;
}

export interface Blobs {
  /** Where they are, for messages. */
  readonly place: string;
  /** Puts a copy of a file there, unless there is one of that name. */
  put(name: string, file: string): Promise<void>;
  /**
   * Brings it here, whole or not at all. Rejects with `MissingBlob` when there is none. `isOwn`: it will be written to here, so
   * nobody else may have the same file.
   */
  get(name: string, file: string, how?: { isOwn: boolean }): Promise<void>;
  /** Those whose names begin like this. */
  list(prefix: string): Promise<Blob[]>;
  remove(name: string): Promise<void>;
  close(): void;
}

/** What is needed to reach them: can be sent to another thread. */
export type BlobsPlace =
  | { kind: "directory"; path: string }
  /** `prefix`: what comes before their names in the bucket. */
  | { kind: "s3"; store: S3Place; prefix: string };

export class MissingBlob extends Error {
  override readonly name = "MissingBlob";

  constructor(place: string, name: string) {
    super(`there is no \`${name}\` in ${place}`);
  }
}
