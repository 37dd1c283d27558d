/** The options for snapshots in an S3-compatible store: all that is needed to reach it, or none. */
import { MIB } from "../../base/limits.ts";
import type { S3Options } from "../../storage/s3/options.ts";
import { OptionError } from "./error.ts";
import { OPTION_TABLE, type OptionKey } from "./table.ts";

const PART_BYTES_MIN = 10 * MIB;
const PART_BYTES_MAX = 8 * 1024 * MIB;
const COMPRESSION_MAX = 9;
/** A signed address is good for a week at most. */
const SIGNATURE_SECONDS_MAX = 604_800;

const PLACE = ["s3BucketUrl", "s3BucketRegion", "s3BucketName", "s3SnapshotPrefix"] as const;
const KEYS = ["s3AccessKey", "s3SecretKey"] as const;
const ROLE = ["s3RoleArn", "s3WebIdentityTokenFile"] as const;

/** As the tools of AWS call the address of the service that gives roles. */
const ROLES_URL = "AWS_ENDPOINT_URL_STS";
const ROLES_URL_DEFAULT = "https://sts.amazonaws.com";
const ROLE_SECONDS = "MEILI_EXPERIMENTAL_S3_WEB_IDENTITY_TOKEN_DURATION_SECONDS";
const ROLE_SECONDS_DEFAULT = 3600;

export interface OptionReader {
  text(key: OptionKey): string | null;
  count(key: OptionKey, otherwise: number, least?: number): number;
  size(key: OptionKey, otherwise: number): number;
}

export function resolveS3(read: OptionReader, env: NodeJS.ProcessEnv): S3Options | null {
  const isGiven = (key: OptionKey) => read.text(key) !== null;
  if (![...PLACE, ...KEYS, ...ROLE].some(isGiven)) return null;
  const takesRole = ROLE.some(isGiven);
  if (takesRole && KEYS.some(isGiven))
    throw new OptionError(`${nameOf(KEYS[0])} and ${nameOf(ROLE[0])} exclude each other`);
  const needed = [...PLACE, ...(takesRole ? ROLE : KEYS)];
  const missing = needed.find((key) => !isGiven(key));
  if (missing !== undefined) throw new OptionError(`${nameOf(needed.find(isGiven)!)} needs ${nameOf(missing)}`);
  const text = (key: OptionKey): string => read.text(key)!;
  const url = text("s3BucketUrl");
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new OptionError(
      `${nameOf("s3BucketUrl")}: \`${url}\` is no address such as https://s3.eu-west-1.amazonaws.com`,
    );
  }
  return {
    url,
    region: text("s3BucketRegion"),
    bucket: text("s3BucketName"),
    prefix: text("s3SnapshotPrefix"),
    identity: takesRole
      ? {
          roleArn: text("s3RoleArn"),
          tokenFile: text("s3WebIdentityTokenFile"),
          url: env[ROLES_URL] || ROLES_URL_DEFAULT,
          seconds: Number(env[ROLE_SECONDS]) || ROLE_SECONDS_DEFAULT,
        }
      : { accessKey: text("s3AccessKey"), secretKey: text("s3SecretKey") },
    partsAtOnce: read.count("s3MaxInFlightParts", 10, 1),
    compressionLevel: within("s3CompressionLevel", read.count("s3CompressionLevel", 0), 0, COMPRESSION_MAX),
    signatureSeconds: within(
      "s3SignatureDuration",
      read.count("s3SignatureDuration", 28_800),
      1,
      SIGNATURE_SECONDS_MAX,
    ),
    partBytes: within("s3PartSize", read.size("s3PartSize", 375 * MIB), PART_BYTES_MIN, PART_BYTES_MAX),
  };
}

function within(key: OptionKey, value: number, least: number, most: number): number {
  if (value < least || value > most) throw new OptionError(`${nameOf(key)}: must lie between ${least} and ${most}`);
  return value;
}

function nameOf(key: OptionKey): string {
  return `\`--${OPTION_TABLE.find((spec) => spec.key === key)!.name}\``;
}
