/** Where shared files are: `file:` and a directory, or `s3://bucket/prefix` with what the options of snapshots or the environment say of the store. */
import path from "node:path";
import type { BlobsPlace } from "../../storage/blobs/blobs.ts";
import type { S3Place } from "../../storage/s3/options.ts";
import { OptionError } from "./error.ts";
import type { Values } from "./kinds.ts";
import type { S3_TABLE } from "./s3.ts";

/** What the options of a store say, and the environment as the tools of AWS read it. */
export interface StoreFacts {
  given: Values<typeof S3_TABLE>;
  env: NodeJS.ProcessEnv;
}

const FILE = "file:";
const S3 = /^s3:\/\/([^/]+)(?:\/(.*))?$/;

export function isInStore(given: string | null): boolean {
  return given !== null && S3.test(given);
}

export function blobsPlace(given: string, option: string, facts: StoreFacts): BlobsPlace {
  const [, bucket, prefix = ""] = S3.exec(given) ?? [];
  if (bucket === undefined) return { kind: "directory", path: folderOf(given, option, ", or s3:// and a bucket") };
  return { kind: "s3", store: storeFor(bucket, option, facts), prefix };
}

export function folderOf(given: string, option: string, other: string): string {
  if (!given.startsWith(FILE) || given.length === FILE.length) {
    throw new OptionError(`\`${option} ${given}\` is no place that is known; write file: and a directory${other}`);
  }
  return path.resolve(given.slice(FILE.length).replace(/^\/\/(?=\/)/, ""));
}

function storeFor(bucket: string, option: string, { given, env }: StoreFacts): S3Place {
  const must = (value: string | null | undefined, name: string, variable: string): string => {
    if (value) return value;
    throw new OptionError(`\`${option} s3://…\` needs \`--${name}\`, or ${variable} in the environment`);
  };
  const region = must(given.region ?? env["AWS_REGION"], "s3-bucket-region", "AWS_REGION");
  const named = given.url ?? env["AWS_ENDPOINT_URL_S3"] ?? env["AWS_ENDPOINT_URL"];
  const accessKey = must(given.accessKey ?? env["AWS_ACCESS_KEY_ID"], "s3-access-key", "AWS_ACCESS_KEY_ID");
  const secretKey = must(given.secretKey ?? env["AWS_SECRET_ACCESS_KEY"], "s3-secret-key", "AWS_SECRET_ACCESS_KEY");
  const sessionToken = given.accessKey === null ? env["AWS_SESSION_TOKEN"] : undefined;
  return {
    url: named || `https://s3.${region}.amazonaws.com`,
    ...{ region, bucket, signatureSeconds: given.signatureSeconds },
    identity: { accessKey, secretKey, ...(sessionToken ? { sessionToken } : {}) },
  };
}
