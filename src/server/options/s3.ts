/** The options for snapshots in an S3-compatible store: all that is needed to reach it, or none. */
import { MIB } from "../../base/limits.ts";
import type { S3Options } from "../../storage/s3/options.ts";
import { OptionError } from "./error.ts";
import { count, path, size, text, type Values } from "./kinds.ts";

/** A signed address is good for a week at most. */
const SIGNATURE_SECONDS_MAX = 604_800;

export const S3_TABLE = {
  url: text("s3-bucket-url", "S3-compatible store for snapshots, without the bucket", {
    value: "url",
    shown: "none, the directory",
    check: checkStore,
  }),
  region: text("s3-bucket-region", "Its region", { value: "region" }),
  bucket: text("s3-bucket-name", "The bucket", { value: "name" }),
  prefix: text("s3-snapshot-prefix", "What comes before the name of a snapshot there", { value: "path" }),
  accessKey: text("s3-access-key", "Who asks the store", { value: "key", secret: true }),
  secretKey: text("s3-secret-key", "The proof of it", { value: "key", secret: true }),
  roleArn: text("experimental-s3-role-arn", "Role to ask the store in, instead of a key", { value: "arn" }),
  tokenFile: path("experimental-s3-web-identity-token-file", "The token that the role is given for"),
  partsAtOnce: count("experimental-s3-max-in-flight-parts", "Parts of a snapshot that are sent at once", {
    least: 1,
    otherwise: 10,
  }),
  compressionLevel: count("experimental-s3-compression-level", "From 0 (none) to 9", { most: 9, otherwise: 0 }),
  signatureSeconds: count(
    "experimental-s3-signature-duration-seconds",
    "How long a request to the store may take until it is accepted",
    { value: "seconds", least: 1, most: SIGNATURE_SECONDS_MAX, otherwise: 28_800 },
  ),
  partBytes: size("experimental-s3-multipart-part-size", "Size of the parts, 10 MiB to 8 GiB", {
    least: 10 * MIB,
    most: 8 * 1024 * MIB,
    otherwise: 375 * MIB,
  }),
};

type Key = keyof typeof S3_TABLE;
const PLACE = ["url", "region", "bucket", "prefix"] as const satisfies Key[];
const KEYS = ["accessKey", "secretKey"] as const satisfies Key[];
const ROLE = ["roleArn", "tokenFile"] as const satisfies Key[];

/** As the tools of AWS call the address of the service that gives roles. */
const ROLES_URL = "AWS_ENDPOINT_URL_STS";
const ROLES_URL_DEFAULT = "https://sts.amazonaws.com";
const ROLE_SECONDS = "MEILI_EXPERIMENTAL_S3_WEB_IDENTITY_TOKEN_DURATION_SECONDS";
const ROLE_SECONDS_DEFAULT = 3600;

/** `sharesStore`: what is given of the store may be for the files of a cluster alone. */
export function resolveS3(
  given: Values<typeof S3_TABLE>,
  env: NodeJS.ProcessEnv,
  sharesStore = false,
): S3Options | null {
  const isGiven = (key: Key) => given[key] !== null;
  if (sharesStore && !isGiven("bucket") && !isGiven("prefix")) return null;
  if (![...PLACE, ...KEYS, ...ROLE].some(isGiven)) return null;
  const takesRole = ROLE.some(isGiven);
  if (takesRole && KEYS.some(isGiven))
    throw new OptionError(`${nameOf(KEYS[0])} and ${nameOf(ROLE[0])} exclude each other`);
  const needed = [...PLACE, ...(takesRole ? ROLE : KEYS)];
  const missing = needed.find((key) => !isGiven(key));
  if (missing !== undefined) throw new OptionError(`${nameOf(needed.find(isGiven)!)} needs ${nameOf(missing)}`);
  const { partsAtOnce, compressionLevel, signatureSeconds, partBytes } = given;
  return {
    url: given.url!,
    region: given.region!,
    bucket: given.bucket!,
    prefix: given.prefix!,
    identity: takesRole
      ? {
          roleArn: given.roleArn!,
          tokenFile: given.tokenFile!,
          url: env[ROLES_URL] || ROLES_URL_DEFAULT,
          seconds: Number(env[ROLE_SECONDS]) || ROLE_SECONDS_DEFAULT,
        }
      : { accessKey: given.accessKey!, secretKey: given.secretKey! },
    partsAtOnce,
    compressionLevel,
    signatureSeconds,
    partBytes,
  };
}

function checkStore(url: string, from: string): void {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return;
  throw new OptionError(`${from}: \`${url}\` is no address such as https://s3.eu-west-1.amazonaws.com`);
}

function nameOf(key: Key): string {
  return `\`--${S3_TABLE[key].name}\``;
}
