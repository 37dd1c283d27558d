/** Snapshots in S3-compatible stores: "snapshots to and from S3-compatible stores". Here the upload and its signatures. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Bucket } from "../../../src/storage/s3/bucket.ts";
import { keyBelow, parseS3Url } from "../../../src/storage/s3/options.ts";
import { signedUrl } from "../../../src/storage/s3/signature.ts";
import { Upload } from "../../../src/storage/s3/upload.ts";
import { until } from "../../lib/patience.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { BUCKET, CREDENTIALS, LoopbackStore, REGION } from "./store.ts";

const KEY = "a folder/näm+e~.snapshot";

async function inStore(use: (store: LoopbackStore, bucket: Bucket, folder: string) => Promise<void>): Promise<void> {
  const store = new LoopbackStore();
  await store.listen();
  const place = {
    url: `${store.url}/`,
    region: REGION,
    bucket: BUCKET,
    identity: CREDENTIALS,
    signatureSeconds: 60,
  };
  const bucket = new Bucket(place);
  try {
    await use(store, bucket, path.join(temporaryDirectory(), "parts"));
  } finally {
    bucket.close();
    await store.close();
  }
}

const live = new AbortController().signal;

test("the signature of the documented example", () => {
  const url = signedUrl({
    method: "GET",
    url: new URL("https://examplebucket.s3.amazonaws.com/test.txt"),
    query: {},
    region: "us-east-1",
    credentials: { accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" },
    now: new Date("2013-05-24T00:00:00Z"),
    seconds: 86_400,
  });
  const signature = "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";
  assert.equal(new URL(url).searchParams.get("X-Amz-Signature"), signature);
});

test("names in stores", () => {
  assert.equal(keyBelow("/a/b/", "x.snapshot"), "a/b/x.snapshot");
  assert.equal(keyBelow("", "x.snapshot"), "x.snapshot");
  assert.deepEqual(parseS3Url("s3://bucket/a/b.snapshot"), { bucket: "bucket", key: "a/b.snapshot" });
  for (const other of ["/a/b", "s3://bucket", "s3:///key", "https://a/b"]) assert.equal(parseS3Url(other), null);
});

test("parts arrive in order, a bounded number at a time, and can be read again", async () => {
  await inStore(async (store, bucket, folder) => {
    const bytes = randomBytes(10_500);
    let open = () => {};
    store.gate = new Promise((resolve) => {
      open = resolve;
    });
    const upload = await Upload.begin({ bucket, key: KEY, folder, partBytes: 1000, partsAtOnce: 3, signal: live });
    const writing = (async () => {
      for (let at = 0; at < bytes.length; at += 700) await upload.write(bytes.subarray(at, at + 700));
      await upload.finish();
    })();
    await until(
      () => store.partsAtOnce >= 3,
      () => "three parts are sent",
    );
    // Three are on their way; no further one is written while they are.
    assert.ok(readdirSync(folder).length <= 4);
    open();
    await writing;
    assert.equal(store.partsAtOnce, 3);
    assert.equal(store.count("PUT", "partNumber"), 11);
    assert.deepEqual(store.objects.get(KEY), bytes);
    assert.equal(store.uploads.size, 0);
    assert.equal(existsSync(folder), false);

    assert.equal(await bucket.sizeOf(KEY), bytes.length);
    assert.equal(await bucket.sizeOf("nothing"), null);
    const pieces: Uint8Array[] = [];
    for await (const piece of bucket.read(KEY, bytes.length)) pieces.push(piece);
    assert.deepEqual(Buffer.concat(pieces), bytes);
  });
});

test("what fails for a while is tried again", async () => {
  await inStore(async (store, bucket, folder) => {
    const failed = new Set<string>();
    store.fault = ({ method, query }) => {
      const call = `${method} ${query.get("partNumber")} ${query.has("uploads")}`;
      if (failed.has(call)) return null;
      failed.add(call);
      return method === "GET" ? "hang up" : { status: 503 };
    };
    const upload = await Upload.begin({ bucket, key: KEY, folder, partBytes: 10, partsAtOnce: 2, signal: live });
    await upload.write(Buffer.from("fifteen letters"));
    await upload.finish();
    assert.equal(store.objects.get(KEY)?.toString(), "fifteen letters");
    assert.equal(store.count("PUT", "partNumber"), 4);
    const pieces: Uint8Array[] = [];
    for await (const piece of bucket.read(KEY, 15)) pieces.push(piece);
    assert.equal(Buffer.concat(pieces).toString(), "fifteen letters");
  });
});

test("an upload that fails is forgotten by the store, and says why", async () => {
  await inStore(async (store, bucket, folder) => {
    store.fault = ({ query }) => (query.get("partNumber") === "2" ? { status: 403, body: "<Error>no</Error>" } : null);
    const upload = await Upload.begin({ bucket, key: KEY, folder, partBytes: 4, partsAtOnce: 1, signal: live });
    await assert.rejects(
      (async () => {
        for (let i = 0; i < 100; i++) await upload.write(Buffer.from("four"));
        await upload.finish();
      })(),
      { name: "ApiError", code: "invalid_s3_snapshot_request", message: /403 .*<Error>no<\/Error>/ },
    );
    await upload.abandon();
    assert.equal(store.uploads.size, 0);
    assert.equal(store.objects.size, 0);
    assert.equal(store.count("DELETE", "uploadId"), 1);
    assert.equal(existsSync(folder), false);
  });
});

test("an upload that is no longer wanted stops in the middle of a part", async () => {
  await inStore(async (store, bucket, folder) => {
    store.gate = new Promise(() => {});
    const stop = new AbortController();
    const options = { bucket, key: KEY, folder, partBytes: 4, partsAtOnce: 2, signal: stop.signal };
    const upload = await Upload.begin(options);
    await upload.write(Buffer.from("four"));
    await until(
      () => store.partsAtOnce > 0,
      () => "a part is sent",
    );
    stop.abort(new Error("canceled"));
    await assert.rejects(upload.finish(), /canceled/);
    await upload.abandon();
    assert.equal(store.uploads.size, 0);
    assert.equal(existsSync(folder), false);
  });
});

test("a wrong secret is refused by the store", async () => {
  await inStore(async (store, _, folder) => {
    const identity = { ...CREDENTIALS, secretKey: "another" };
    const place = { url: store.url, region: REGION, bucket: BUCKET, identity, signatureSeconds: 60 };
    const bucket = new Bucket(place);
    const options = { bucket, key: KEY, folder, partBytes: 4, partsAtOnce: 1, signal: live };
    await assert.rejects(Upload.begin(options), { message: /SignatureDoesNotMatch/ });
    bucket.close();
  });
});

test("a store that finds an error only after it said yes", async () => {
  await inStore(async (store, bucket, folder) => {
    store.fault = ({ method, query }) =>
      method === "POST" && query.has("uploadId")
        ? { status: 200, body: "<Error><Code>InternalError</Code></Error>" }
        : null;
    const upload = await Upload.begin({ bucket, key: KEY, folder, partBytes: 4, partsAtOnce: 1, signal: live });
    await upload.write(Buffer.from("x"));
    await assert.rejects(upload.finish(), { code: "s3_snapshot_server_error" });
    await upload.abandon();
  });
});

test("a role is taken on with the token of a file, once for a while", async () => {
  await inStore(async (store, _, folder) => {
    const tokenFile = path.join(temporaryDirectory(), "token");
    const identity = { roleArn: "arn:aws:iam::1:role/r", tokenFile, url: `${store.url}/sts`, seconds: 900 };
    const place = { url: store.url, region: REGION, bucket: BUCKET, identity, signatureSeconds: 60 };
    const bucket = new Bucket(place);
    const options = { bucket, key: KEY, folder, partBytes: 4, partsAtOnce: 2, signal: live };
    await assert.rejects(Upload.begin(options), { code: "invalid_s3_snapshot_parameters", message: /cannot be read/ });
    writeFileSync(tokenFile, "wrong\n");
    await assert.rejects(Upload.begin(options), { code: "invalid_s3_snapshot_request", message: /403/ });
    writeFileSync(tokenFile, "the-token\n");
    const upload = await Upload.begin(options);
    await upload.write(Buffer.from("fifteen letters"));
    await upload.finish();
    assert.equal(store.objects.get(KEY)?.toString(), "fifteen letters");
    assert.equal(store.rolesGiven, 1);
    bucket.close();
  });
});
