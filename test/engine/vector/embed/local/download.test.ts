/**
 * The interface: `model` is "optional for hosted and hub-model sources (each has a default model)". A model that
 * is not on disk comes from the hub, here one on this machine.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import test, { after, before, beforeEach } from "node:test";
import { AddressPolicy } from "../../../../../src/base/net/address-policy.ts";
import { Outgoing } from "../../../../../src/base/net/outgoing.ts";
import { EmbedError } from "../../../../../src/engine/vector/embed/embedder.ts";
import { type DownloadProgress, ModelDownload } from "../../../../../src/engine/vector/embed/local/download.ts";
import { ModelHub } from "../../../../../src/engine/vector/embed/local/hub.ts";
import { loadLocalModel } from "../../../../../src/engine/vector/embed/local/model.ts";
import { TestServer } from "../../../../lib/server.ts";
import { temporaryDirectory } from "../../../../lib/temporary.ts";
import { writeTinyModel } from "./tiny-model.ts";

const COMMIT = "c".repeat(40);
const MODEL = "org/tiny";
/** Kept by the hub elsewhere, as it does with large files. */
const LARGE = "model.onnx";

const files = new Map<string, Buffer>();
let hub: Server;
let url = "";
let asked: string[] = [];
/** What a path answers with instead, once. */
const faults = new Map<string, Buffer | number>();

before(async () => {
  const folder = temporaryDirectory();
  writeTinyModel(folder);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = path.join(folder, name);
    if (path.extname(name) !== "") files.set(name.replaceAll("\\", "/"), readFileSync(file));
  }
  files.set("pytorch_model.bin", Buffer.alloc(1 << 20));
  hub = createServer((request, response) => {
    const at = decodeURIComponent(request.url ?? "");
    asked.push(at);
    const fault = faults.get(at);
    faults.delete(at);
    if (typeof fault === "number") response.writeHead(fault).end();
    else if (fault !== undefined) response.end(fault);
    else if (at.startsWith(`/api/models/${MODEL}/revision/`)) response.end(JSON.stringify(listing()));
    else if (at === `/${MODEL}/resolve/${COMMIT}/${LARGE}`) response.writeHead(302, { location: "/store/blob" }).end();
    else if (at === "/store/blob") response.end(files.get(LARGE));
    else if (files.has(at.slice(`/${MODEL}/resolve/${COMMIT}/`.length))) {
      response.end(files.get(at.slice(`/${MODEL}/resolve/${COMMIT}/`.length)));
    } else response.writeHead(404).end();
  });
  hub.listen(0, "127.0.0.1");
  await once(hub, "listening");
  url = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
});

after(() => void hub.close());

beforeEach(() => {
  asked = [];
  faults.clear();
});

function listing(): object {
  const siblings = [...files].map(([rfilename, bytes]) => {
    const blobId = createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
    const lfs = { sha256: createHash("sha256").update(bytes).digest("hex"), size: bytes.length };
    return { rfilename, size: bytes.length, blobId, ...(rfilename === LARGE ? { lfs } : {}) };
  });
  return { id: MODEL, sha: COMMIT, siblings };
}

function downloadFrom(at = url, shown: DownloadProgress[] = []): ModelDownload {
  const operators = new Outgoing(new AddressPolicy(["any"]));
  const others = new Outgoing(new AddressPolicy([]));
  return new ModelDownload(new ModelHub(at, operators, others), (progress) => shown.push(progress));
}

async function vectorOf(modelsDir: string, download: ModelDownload | null, revision?: string): Promise<number[]> {
  const settings = { model: MODEL, ...(revision === undefined ? {} : { revision }) };
  const model = await loadLocalModel(settings, { modelsDir, download });
  try {
    return Array.from((await model.embed(["red blue"]))[0]!);
  } finally {
    model.close();
  }
}

const RED_BLUE = [1, 7 / 4, 3];
const isMissing = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof EmbedError, String(error));
  assert.match(error.message, /is not on disk; looked in/);
  assert.match(error.message, /hf download org\/tiny.* --local-dir /);
  assert.match(error.message, pattern);
  return true;
};

test("a model that is not on disk is downloaded, shown as it comes, and there the next time", async () => {
  const modelsDir = temporaryDirectory();
  const shown: DownloadProgress[] = [];
  const download = downloadFrom(url, shown);
  const vectors = await Promise.all([vectorOf(modelsDir, download), vectorOf(modelsDir, download)]);
  assert.deepEqual(vectors, [RED_BLUE, RED_BLUE]);
  assert.equal(asked.filter((at) => at === "/store/blob").length, 1, "one download for both");
  assert.ok(!asked.some((at) => at.includes("pytorch")), "nothing that is not read");
  assert.equal(shown.at(-1)!.bytes, shown.at(-1)!.total);
  asked = [];
  assert.deepEqual(await vectorOf(modelsDir, download), RED_BLUE);
  assert.deepEqual(await vectorOf(modelsDir, null), RED_BLUE);
  assert.deepEqual(asked, []);
});

test("revisions are asked for by their name", async () => {
  const modelsDir = temporaryDirectory();
  assert.deepEqual(await vectorOf(modelsDir, downloadFrom(), "refs/pr/1"), RED_BLUE);
  assert.ok(asked.includes(`/api/models/${MODEL}/revision/refs/pr/1?blobs=true`));
  assert.deepEqual(await vectorOf(modelsDir, null, COMMIT), RED_BLUE);
});

test("what comes with a wrong checksum is not used, and what was whole is not fetched again", async () => {
  const modelsDir = temporaryDirectory();
  const download = downloadFrom();
  const damaged = Buffer.from(files.get(LARGE)!);
  damaged[damaged.length >> 1]! ^= 1;
  faults.set("/store/blob", damaged);
  await assert.rejects(vectorOf(modelsDir, download), isMissing(/checksum/));
  assert.ok(!existsSync(path.join(modelsDir, "models--org--tiny", "snapshots", COMMIT)));
  asked = [];
  assert.deepEqual(await vectorOf(modelsDir, download), RED_BLUE);
  assert.ok(!asked.some((at) => at.endsWith("tokenizer.json")));
});

test("without a hub the error says where it was looked for, why, and what to install", async () => {
  const modelsDir = temporaryDirectory();
  await assert.rejects(vectorOf(modelsDir, null), isMissing(/This server downloads no models/));
  await assert.rejects(
    vectorOf(modelsDir, downloadFrom("http://127.0.0.1:1")),
    isMissing(/127\.0\.0\.1:1: .*ECONNREFUSED/),
  );
  faults.set(`/api/models/${MODEL}/revision/main?blobs=true`, 404);
  await assert.rejects(vectorOf(modelsDir, downloadFrom()), isMissing(/status 404/));
  faults.set(`/api/models/${MODEL}/revision/main?blobs=true`, Buffer.from('{"sha":"x"}'));
  await assert.rejects(vectorOf(modelsDir, downloadFrom()), isMissing(/says nothing of the files/));
});

test("the hub cannot lead the server to addresses that are not public", async () => {
  const other = createServer((_request, response) => response.writeHead(302, { location: `${url}/store/blob` }).end());
  other.listen(0, "127.0.0.1");
  await once(other, "listening");
  try {
    const at = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    await assert.rejects(vectorOf(temporaryDirectory(), downloadFrom(at)), isMissing(/is not public/));
  } finally {
    other.close();
  }
});

test("an embedder of a server has its model from the mirror that the environment names", async () => {
  const directory = temporaryDirectory();
  const modelsDir = path.join(directory, "models");
  mkdirSync(modelsDir);
  writeFileSync(path.join(modelsDir, "about"), "");
  const args = ["--models-dir", modelsDir];
  const server = await TestServer.start({ directory, args, env: { HF_ENDPOINT: url }, downloads: true });
  try {
    const embedders = { it: { source: "huggingFace", model: MODEL, documentTemplate: "{{doc.title}}" } };
    const task = await server.write("PATCH", "/indexes/docs/settings", { embedders });
    assert.equal(task.status, "succeeded", JSON.stringify(task.error));
    assert.match(server.output, /downloading a model model="org\/tiny"/);
  } finally {
    await server.dispose();
  }
});
