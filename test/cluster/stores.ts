/** Clusters whose files are in an S3-compatible store. */
import assert from "node:assert/strict";
import type { S3Place } from "../../src/storage/s3/options.ts";
import { BUCKET, CREDENTIALS, LoopbackStore, REGION } from "../storage/s3/store.ts";
import type { MeetingPlace } from "./cluster.ts";
import { atEnd } from "./ending.ts";

/** The servers meet where they did. */
export function atStore(meeting: MeetingPlace, place: S3Place): MeetingPlace {
  assert.ok("secretKey" in place.identity);
  const { accessKey, secretKey } = place.identity;
  const store = ["--s3-bucket-url", place.url, "--s3-bucket-region", place.region];
  const keys = ["--s3-access-key", accessKey, "--s3-secret-key", secretKey];
  const blobs = ["--cluster-blobs", `s3://${place.bucket}/tests`];
  const [cluster, address] = meeting.args as [string, string];
  return { ...meeting, args: [cluster, address, ...blobs, ...store, ...keys] };
}

/** In a store that can be told to fail. */
export async function atLoopbackStore(meeting: MeetingPlace): Promise<{ place: MeetingPlace; store: LoopbackStore }> {
  const store = new LoopbackStore();
  await store.listen();
  atEnd(() => store.close());
  const identity = { identity: CREDENTIALS, signatureSeconds: 600 };
  return { place: atStore(meeting, { url: store.url, region: REGION, bucket: BUCKET, ...identity }), store };
}
