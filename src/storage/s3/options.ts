/** Where snapshots go when they go to an S3-compatible store. Shapes and names only. */
import type { WebIdentity } from "./identity.ts";
import type { Credentials } from "./signature.ts";

/** A store, and who asks it. */
export interface S3Place {
  /** Of the store, without the bucket: `https://s3.eu-west-1.amazonaws.com`. */
  url: string;
  region: string;
  bucket: string;
  identity: Credentials | WebIdentity;
  /** How long a signed address may be used. */
  signatureSeconds: number;
}

export interface S3Options extends S3Place {
  /** Before the names of snapshots, with slashes. */
  prefix: string;
  /** Parts that are sent at the same time. */
  partsAtOnce: number;
  partBytes: number;
  /** Of gzip, 0 to 9. */
  compressionLevel: number;
}

/** The name of an object below the prefix. */
export function keyBelow(prefix: string, name: string): string {
  return [...prefix.split("/").filter((part) => part !== ""), name].join("/");
}

/** `s3://bucket/key`, or null for anything else. */
export function parseS3Url(text: string): { bucket: string; key: string } | null {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(text) ?? [];
  return bucket === undefined || key === undefined ? null : { bucket, key };
}
