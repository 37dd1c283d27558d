/** The files of indexes in an S3-compatible store, which is slow, fails, and cuts off what it sends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { S3Place } from "../../src/storage/s3/options.ts";
import type { TestServer } from "../lib/server.ts";
import { startVersity, withoutVersity } from "../lib/versity.ts";
import { BUCKET, CREDENTIALS, LoopbackStore, REGION } from "../storage/s3/store.ts";
import { idle, inDirectory, type MeetingPlace, mustHoldTheSame, startNode, until } from "./cluster.ts";
import { atEnd, ending } from "./ending.ts";

const BATCHES = 12;
const DOCUMENTS = 300;

function atStore(place: S3Place): MeetingPlace {
  const meeting = inDirectory();
  assert.ok("secretKey" in place.identity);
  const { accessKey, secretKey } = place.identity;
  const store = ["--s3-bucket-url", place.url, "--s3-bucket-region", place.region];
  const keys = ["--s3-access-key", accessKey, "--s3-secret-key", secretKey];
  const blobs = ["--cluster-blobs", `s3://${place.bucket}/tests`];
  return { ...meeting, args: [...meeting.args, ...blobs, ...store, ...keys] };
}

async function write(nodes: readonly TestServer[]): Promise<void> {
  for (let batch = 0; batch < BATCHES; batch++) {
    const documents = Array.from({ length: DOCUMENTS }, (_, i) => ({
      id: batch * DOCUMENTS + i,
      text: `document ${i} of ${batch}`,
    }));
    await nodes[batch % nodes.length]!.write("POST", "/indexes/all/documents", documents);
  }
}

async function mustHaveAll(place: MeetingPlace, nodes: readonly TestServer[]): Promise<void> {
  for (const node of nodes) {
    await idle(node);
    await until("all documents", async () => {
      const { body } = await node.request<{ numberOfDocuments: number }>("GET", "/indexes/all/stats");
      return body.numberOfDocuments === BATCHES * DOCUMENTS;
    });
  }
  for (const node of nodes) assert.equal(await node.stop(), 0, node.output);
  await mustHoldTheSame(place, nodes);
}

test(
  "segments go to versitygw, and a server joins from a checkpoint there",
  { skip: withoutVersity },
  ending(async () => {
    const store = await startVersity();
    const place = atStore(store.place);
    const often = ["--cluster-checkpoint-interval", "1"];
    const nodes = [await startNode(place, "one", undefined, often), await startNode(place, "two", undefined, often)];
    await write(nodes);
    await until("a checkpoint", async () => nodes.some(({ output }) => /a checkpoint is made/.test(output)));
    nodes.push(await startNode(place, "three"));
    await mustHaveAll(place, nodes);
  }),
);

test(
  "a store that fails, hangs up and cuts off: commits wait, searches go on, nothing damaged is taken",
  ending(async () => {
    const store = new LoopbackStore();
    await store.listen();
    atEnd(() => store.close());
    const place = atStore({
      ...{ url: store.url, region: REGION, bucket: BUCKET },
      ...{ identity: CREDENTIALS, signatureSeconds: 600 },
    });
    const nodes = [await startNode(place, "one"), await startNode(place, "two")];
    await nodes[0]!.write("POST", "/indexes/all/documents", [{ id: 0, text: "first" }]);
    /** How often each was asked for: the first time is always wrong. */
    const calls = new Map<string, number>();
    let cut = 0;
    store.fault = ({ method, key }) => {
      const call = `${method} ${key}`;
      calls.set(call, (calls.get(call) ?? 0) + 1);
      if (calls.get(call) !== 1) return null;
      if (method === "HEAD") return "hang up";
      if (method === "PUT") return { status: 503 };
      cut++;
      return { status: 200, body: Buffer.alloc(store.objects.get(key)?.length ?? 0, 7) };
    };
    let isOver = false;
    const times: number[] = [];
    const searching = (async () => {
      while (!isOver) {
        const before = performance.now();
        const { status } = await nodes[1]!.request("POST", "/indexes/all/search", { q: "first" });
        assert.equal(status, 200);
        times.push(performance.now() - before);
        await new Promise((resume) => setTimeout(resume, 5));
      }
    })();
    await write(nodes);
    isOver = true;
    await searching;
    times.sort((a, b) => a - b);
    console.log(
      `${times.length} searches, p99 ${times[Math.floor(times.length * 0.99)]!.toFixed(1)} ms; ${cut} damaged answers`,
    );
    assert.ok(cut > 0);
    store.fault = () => null;
    await mustHaveAll(place, nodes);
  }),
);
