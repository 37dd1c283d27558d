/** The options for snapshots in an S3-compatible store: all that is needed to reach it, or none. */
import { MIB } from "../limits.ts";
import type { S3Options } from "../s3/options.ts";
import { OptionError } from "./error.ts";
import { OPTION_TABLE } from "./table.ts";

const PART_BYTES_MIN = 10 * MIB;
const PART_BYTES_MAX = 8 * 1024 * MIB;
const COMPRESSION_MAX = 9;
/** A signed address is good for a week at most. */
const SIGNATURE_SECONDS_MAX = 604_800;

const NEEDED = [
  "s3BucketUrl",
  "s3BucketRegion",
  "s3BucketName",
  "s3SnapshotPrefix",
  "s3AccessKey",
  "s3SecretKey",
] as const;

export interface OptionReader {
  text(key: string): string | null;
  count(key: string, otherwise: number, least?: number): number;
  size(key: string, otherwise: number): number;
}

export function resolveS3({ text, count, size }: OptionReader): S3Options | null {
  const given = new Map(NEEDED.map((key) => [key, text(key)]));
  const present = NEEDED.find((key) => given.get(key) !== null);
  if (present === undefined) return null;
  const missing = NEEDED.find((key) => given.get(key) === null);
  if (missing !== undefined) throw new OptionError(`${nameOf(present)} needs ${nameOf(missing)}`);
  const url = given.get("s3BucketUrl")!;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new OptionError(
      `${nameOf("s3BucketUrl")}: \`${url}\` is no address such as https://s3.eu-west-1.amazonaws.com`,
    );
  }
  return {
    url,
    region: given.get("s3BucketRegion")!,
    bucket: given.get("s3BucketName")!,
    prefix: given.get("s3SnapshotPrefix")!,
    credentials: { accessKey: given.get("s3AccessKey")!, secretKey: given.get("s3SecretKey")! },
    partsAtOnce: count("s3MaxInFlightParts", 10, 1),
    compressionLevel: within("s3CompressionLevel", count("s3CompressionLevel", 0), 0, COMPRESSION_MAX),
    signatureSeconds: within("s3SignatureDuration", count("s3SignatureDuration", 28_800, 1), 1, SIGNATURE_SECONDS_MAX),
    partBytes: within("s3PartSize", size("s3PartSize", 375 * MIB), PART_BYTES_MIN, PART_BYTES_MAX),
  };
}

function within(key: string, value: number, least: number, most: number): number {
  if (value < least || value > most) throw new OptionError(`${nameOf(key)}: must lie between ${least} and ${most}`);
  return value;
}

function nameOf(key: string): string {
  return `\`--${OPTION_TABLE.find((spec) => spec.key === key)!.name}\``;
}
