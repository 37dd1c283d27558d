/** Where an import comes from: a file of this machine, or an object of an S3-compatible store. */
import { existsSync } from "node:fs";
import type { ArchiveSource } from "../../base/archive/reader.ts";
import { Bucket } from "../../storage/s3/bucket.ts";
import { parseS3Url, type S3Place } from "../../storage/s3/options.ts";
import { OptionError } from "../options/options.ts";

interface ImportPlace {
  source: ArchiveSource;
  close(): void;
}

export function filePlace(file: string): ImportPlace | null {
  return existsSync(file) ? { source: file, close: () => {} } : null;
}

/** Null when nothing is there. The bucket is the one that the address names. */
export async function importPlace(file: string, s3: S3Place | null): Promise<ImportPlace | null> {
  const object = parseS3Url(file);
  if (object === null) return filePlace(file);
  if (s3 === null) throw new OptionError(`to read \`${file}\`, the store must be named: see --s3-bucket-url`);
  const bucket = new Bucket({ ...s3, bucket: object.bucket });
  const close = () => bucket.close();
  try {
    const size = await bucket.sizeOf(object.key);
    if (size !== null) return { source: bucket.read(object.key, size), close };
  } catch (problem) {
    close();
    throw new OptionError(`\`${file}\` cannot be read: ${(problem as Error).message}`);
  }
  close();
  return null;
}
