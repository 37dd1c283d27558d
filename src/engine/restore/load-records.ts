/** The records of a dump, put into an empty store: keys, features, tasks with their payloads, all but the indexes. */

import { copyFile, mkdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { FEATURE_NAMES } from "../../base/contract/features.ts";
import type { PayloadRef, TaskRecord } from "../../base/contract/task.ts";
import { isObject, type JsonObject } from "../../base/json/value.ts";
import { limits } from "../../base/limits.ts";
import { COMMA_BYTE, encodePayload, preparePayload } from "../../base/payload/prepare.ts";
import type { Micros } from "../../base/time/time.ts";
import { timeOf } from "../../storage/dump/layout.ts";
import { readBatch, readKey, readTask, readWebhook } from "../../storage/dump/records.ts";
import type { DumpSource, DumpTask, Warn } from "../../storage/dump/source.ts";
import type { Store } from "../../storage/store/store.ts";
import { putLongMembers, putTaskTexts, shortDetails } from "../../storage/store/texts.ts";
import type { HelperClient } from "../helper/client.ts";

/** Records that are committed together. */
const RECORDS_AT_ONCE = 1000;

interface RecordTarget {
  store: Store;
  helpers: HelperClient;
  databasePath: string;
  warn: Warn;
}

export async function loadRecords(dump: DumpSource, target: RecordTarget): Promise<void> {
  await loadSmallRecords(dump, target);
  const tasksByBatch = await loadTasks(dump, target);
  await loadBatches(dump, target.store, tasksByBatch);
}

async function loadSmallRecords(dump: DumpSource, { store, warn }: RecordTarget): Promise<void> {
  const { instanceUid, keys, features, network, webhooks, rules, chats } = await dump.smallRecords();
  await store.write(() => {
    if (instanceUid !== null) store.meta.put("instanceUid", instanceUid);
    for (const line of keys) {
      const key = readKey(line);
      if (key !== null) store.keys.put(key.uid, key);
      else warn("keys of the dump that cannot be understood were left out");
    }
    for (const name of FEATURE_NAMES) {
      if (typeof features[name] === "boolean") store.features.put(name, features[name]);
    }
    if (isObject(network["remotes"])) store.network.put("network", completeNetwork(network, network["remotes"]));
    for (const [uuid, value] of Object.entries(webhooks)) {
      const webhook = readWebhook(value);
      if (webhook !== null) store.webhooks.put(uuid, webhook);
    }
    for (const rule of rules) if (typeof rule["uid"] === "string") store.rules.put(rule["uid"], rule);
    for (const [workspace, settings] of chats) store.chats.put(workspace, settings);
  });
}

/** Dumps of older servers know fewer fields. */
function completeNetwork(network: JsonObject, remotes: JsonObject): JsonObject {
  const complete: JsonObject = {};
  for (const [name, remote] of Object.entries(remotes)) {
    complete[name] = { searchApiKey: null, writeApiKey: null, ...(isObject(remote) ? remote : {}) };
  }
  const { self, shards, leader, version } = network;
  return {
    self: self ?? null,
    remotes: complete,
    shards: shards ?? {},
    leader: leader ?? null,
    version: version ?? "00000000-0000-0000-0000-000000000000",
  };
}

/** Returns the tasks of each batch. */
async function loadTasks(dump: DumpSource, target: RecordTarget): Promise<Map<number, number[]>> {
  const { store } = target;
  const byBatch = new Map<number, number[]>();
  const batches = await batchesByStart(dump);
  let waiting: RestoredTask[] = [];
  let leftOut = 0;
  const putPiece = (key: string, piece: Uint8Array) => store.texts.put(key, piece);
  const save = async (): Promise<void> => {
    const restored = waiting;
    waiting = [];
    await store.write(() => {
      for (const { task, inline } of restored) {
        const texts = putTaskTexts(task.content, task.details, putPiece);
        store.tasks.put(task.uid, texts === undefined ? task : { ...task, texts });
        if (task.finishedAt === null) store.pending.put(task.uid, true);
        if (inline !== null) store.payloads.put(String(task.uid), inline);
      }
    });
  };
  for await (const { line, payload } of dump.tasks()) {
    const read = readTask(line);
    const task =
      read === null ? null : { ...read, batchUid: read.batchUid ?? batches.get(read.startedAt ?? -1) ?? null };
    const restored = task === null ? null : await restoreTask(task, payload, target);
    if (restored === null) {
      leftOut++;
      continue;
    }
    const { uid, batchUid } = restored.task;
    if (batchUid !== null && byBatch.get(batchUid)?.push(uid) === undefined) byBatch.set(batchUid, [uid]);
    waiting.push(restored);
    if (waiting.length >= RECORDS_AT_ONCE) await save();
  }
  await save();
  if (leftOut > 0) target.warn(`${leftOut} tasks of the dump cannot be restored and were left out`);
  return byBatch;
}

/** Tasks of 1.13 do not name the batch they ran in; both tell when it began, and only one runs at a time. */
async function batchesByStart(dump: DumpSource): Promise<Map<Micros, number>> {
  const batches = new Map<Micros, number>();
  for await (const { uid, startedAt } of dump.batches()) {
    const began = timeOf(startedAt);
    if (typeof uid === "number" && began !== null) batches.set(began, uid);
  }
  return batches;
}

interface RestoredTask {
  task: TaskRecord;
  /** The payload, when it belongs into the store. */
  inline: Uint8Array | null;
}

/** A waiting import needs its documents again; null when the dump does not have them. */
async function restoreTask(
  task: TaskRecord,
  documents: DumpTask["payload"],
  target: RecordTarget,
): Promise<RestoredTask | null> {
  const { uid, content } = task;
  if (task.finishedAt !== null || content.type !== "documentAdditionOrUpdate") return { task, inline: null };
  if (documents === null) return null;
  const { path: file, format } = documents;
  const withPayload = (payload: PayloadRef): TaskRecord => ({ ...task, content: { ...content, payload } });
  if ((await stat(file)).size > limits.inlinePayloadBytes) {
    return { task: withPayload(await payloadInFile(`dump-${uid}`, documents, target)), inline: null };
  }
  const lines = await readFile(file);
  const empty = { bytes: new Uint8Array(0), ranges: new Uint32Array(0) };
  const inline = Buffer.concat(encodePayload(lines.length === 0 ? empty : preparePayload(lines, format)));
  return { task: withPayload({ kind: "inline", name: String(uid), bytes: inline.length }), inline };
}

async function payloadInFile(
  name: string,
  documents: NonNullable<DumpTask["payload"]>,
  target: RecordTarget,
): Promise<PayloadRef> {
  const folder = path.join(target.databasePath, "payloads");
  await mkdir(folder, { recursive: true });
  const place = path.join(folder, name);
  await copyFile(documents.path, place);
  const job = { path: place, body: null, format: documents.format, delimiter: COMMA_BYTE };
  const { bytes } = await target.helpers.run("payload.prepareFile", job);
  return { kind: "file", name, bytes };
}

async function loadBatches(dump: DumpSource, store: Store, tasksByBatch: Map<number, number[]>): Promise<void> {
  let waiting: JsonObject[] = [];
  const putPiece = (key: string, piece: Uint8Array) => store.texts.put(key, piece);
  const save = async (): Promise<void> => {
    const lines = waiting;
    waiting = [];
    await store.write(() => {
      for (const line of lines) {
        const batch = readBatch(line, tasksByBatch.get(line["uid"] as number) ?? []);
        if (batch === null) continue;
        const texts = putLongMembers(batch.details, putPiece);
        const details = shortDetails(batch.details, texts);
        store.batches.put(batch.uid, texts === undefined ? batch : { ...batch, details, texts });
      }
    });
  };
  for await (const line of dump.batches()) {
    waiting.push(line);
    if (waiting.length >= RECORDS_AT_ONCE) await save();
  }
  await save();
}
