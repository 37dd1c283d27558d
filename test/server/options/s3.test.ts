/** "options/environment as the reference's 1.50" for snapshots in S3-compatible stores. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { OptionError, type Options, readOptions } from "../../../src/server/options/options.ts";

const PLACE = ["--s3-bucket-url", "https://s3.example", "--s3-bucket-region", "r", "--s3-bucket-name", "b"];
const KEYS = ["--s3-access-key", "a", "--s3-secret-key", "s"];
const ALL = [...PLACE, "--s3-snapshot-prefix", "p/q", ...KEYS];

function read(args: readonly string[], env: NodeJS.ProcessEnv = {}): Options {
  const startup = readOptions(args, env, "1.0.0");
  assert.ok(startup.kind === "run");
  return startup.options;
}

test("a store with what is usual", () => {
  assert.equal(read([]).s3, null);
  const expected = {
    url: "https://s3.example",
    region: "r",
    bucket: "b",
    prefix: "p/q",
    identity: { accessKey: "a", secretKey: "s" },
    partsAtOnce: 10,
    compressionLevel: 0,
    signatureSeconds: 28_800,
    partBytes: 375 * 2 ** 20,
  };
  assert.deepEqual(read(ALL).s3, expected);
  const env = {
    MEILI_S3_BUCKET_URL: "https://s3.example",
    MEILI_S3_BUCKET_REGION: "r",
    MEILI_S3_BUCKET_NAME: "b",
    MEILI_S3_SNAPSHOT_PREFIX: "p/q",
    MEILI_S3_ACCESS_KEY: "a",
    MEILI_S3_SECRET_KEY: "s",
    MEILI_EXPERIMENTAL_S3_MAX_IN_FLIGHT_PARTS: "3",
    MEILI_EXPERIMENTAL_S3_COMPRESSION_LEVEL: "9",
    MEILI_EXPERIMENTAL_S3_SIGNATURE_DURATION_SECONDS: "60",
    MEILI_EXPERIMENTAL_S3_MULTIPART_PART_SIZE: "10 MiB",
  };
  const chosen = { partsAtOnce: 3, compressionLevel: 9, signatureSeconds: 60, partBytes: 10 * 2 ** 20 };
  assert.deepEqual(read([], env).s3, { ...expected, ...chosen });
});

test("a role instead of a key", () => {
  const role = ["--experimental-s3-role-arn", "arn", "--experimental-s3-web-identity-token-file", "/t"];
  const args = [...PLACE, "--s3-snapshot-prefix", "p", ...role];
  const usual = { roleArn: "arn", tokenFile: "/t", url: "https://sts.amazonaws.com", seconds: 3600 };
  assert.deepEqual(read(args).s3?.identity, usual);
  const env = {
    AWS_ENDPOINT_URL_STS: "http://sts.example",
    MEILI_EXPERIMENTAL_S3_WEB_IDENTITY_TOKEN_DURATION_SECONDS: "900",
  };
  assert.deepEqual(read(args, env).s3?.identity, { ...usual, url: "http://sts.example", seconds: 900 });
});

test("what does not do is said in one line", () => {
  const refused = (args: readonly string[], message: RegExp): void => {
    assert.throws(
      () => read(args),
      (error) => error instanceof OptionError && message.test(error.message),
    );
  };
  refused(PLACE, /needs `--s3-snapshot-prefix`/);
  refused(KEYS, /`--s3-access-key` needs `--s3-bucket-url`/);
  refused([...PLACE, "--s3-snapshot-prefix", "p", "--s3-access-key", "a"], /needs `--s3-secret-key`/);
  refused(["--experimental-s3-role-arn", "r"], /needs `--s3-bucket-url`/);
  refused([...ALL, "--experimental-s3-role-arn", "r"], /exclude each other/);
  refused([...ALL, "--experimental-s3-multipart-part-size", "1 MiB"], /must lie between/);
  refused([...ALL, "--experimental-s3-compression-level", "10"], /must lie between/);
  refused([...ALL, "--experimental-s3-max-in-flight-parts", "0"], /at least 1/);
  refused(["--s3-bucket-url", "s3.example", ...ALL.slice(2)], /is no address/);
});
