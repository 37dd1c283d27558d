/**
 * A dump: everything the server knows as text that any later version can read. Documents are streamed from the segments
 * in the order of their internal ids; nothing of the store or of an index is held in memory as a whole.
 */

import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { ArchiveWriter } from "../../base/archive/writer.ts";
import { defaultFeatures } from "../../base/contract/features.ts";
import type { BatchRecord, TaskRecord } from "../../base/contract/task.ts";
import { compactInto } from "../../base/document/compact.ts";
import { apiError } from "../../base/errors/errors.ts";
import { ByteSink } from "../../base/json/bytes.ts";
import type { Json, JsonObject } from "../../base/json/value.ts";
import { decodePayload } from "../../base/payload/prepare.ts";
import { formatTime, nowMicros } from "../../base/time/time.ts";
import {
  batchLine,
  chatFile,
  DUMP_FILES,
  DUMP_VERSION,
  dumpUid,
  INDEX_FOLDER,
  indexFile,
  keyLine,
  payloadFile,
} from "../../storage/dump/layout.ts";
import { writtenSettings } from "../../storage/dump/written-settings.ts";
import { taskLine } from "../../storage/dump/written-task.ts";
import { readVersion } from "../../storage/store/version.ts";
import { finishBatch, nextBatchUid, startBatch } from "../../storage/tasks/results.ts";
import { linesWithVectors } from "./documents-with-vectors.ts";
import { type IndexState, liveRows } from "./index-state.ts";
import { archiveOwner } from "./leftovers.ts";
import { idsIn, payloadBytes } from "./payloads.ts";
import { type Change, succeeded, type Work } from "./work.ts";

/** Records of tasks and batches that are read in one go. */
const RECORDS_AT_ONCE = 500;
const NEWLINE = 0x0a;
/** Steps of progress that making a dump takes. */
const STEPS = 6;

export async function createDump(work: Work, tasks: readonly TaskRecord[]): Promise<Change> {
  const uid = dumpUid(nowMicros());
  work.progress.step(1, "start the dump creation", 0, STEPS);
  await mkdir(work.dumpDirectory, { recursive: true });
  const instanceUid = work.store.meta.get("instanceUid") ?? randomUUID();
  const archive = await ArchiveWriter.create(
    path.join(work.dumpDirectory, `${uid}.dump`),
    archiveOwner(work.databasePath),
  );
  try {
    await new Dump(work, archive, uid, tasks).write(instanceUid);
    work.progress.step(1, "compress the dump", 5, STEPS);
    await archive.finish();
  } catch (problem) {
    await archive.abandon();
    throw problem;
  }
  const outcomes = tasks.map(() => succeeded({ dumpUid: uid }));
  const alsoStore: Change["alsoStore"] = (store) => store.meta.put("instanceUid", instanceUid);
  return { put: [], remove: [], gone: [], outcomes, alsoStore };
}

class Dump {
  readonly #work: Work;
  readonly #archive: ArchiveWriter;
  readonly #lastTask: number;
  /** The task that makes this dump, as it will have ended: whoever loads the dump must not make another. */
  readonly #own: { batch: BatchRecord; tasks: Map<number, TaskRecord> };

  constructor(work: Work, archive: ArchiveWriter, uid: string, tasks: readonly TaskRecord[]) {
    this.#work = work;
    this.#archive = archive;
    this.#lastTask = work.store.tasks.lastKey() ?? -1;
    const now = nowMicros();
    const batch = { kind: "dump" as const, tasks: [...tasks], strategy: "a dump is made alone" };
    const outcomes = tasks.map(() => succeeded({ dumpUid: uid }));
    const finished = finishBatch(batch, startBatch(batch, nextBatchUid(work.store), now), outcomes, now);
    this.#own = { batch: finished.batch, tasks: new Map(finished.tasks.map((task) => [task.uid, task])) };
  }

  async write(instanceUid: Json): Promise<void> {
    const { progress } = this.#work;
    await this.#addJson(DUMP_FILES.metadata, {
      dumpVersion: DUMP_VERSION,
      dbVersion: readVersion(this.#work.databasePath),
      dumpDate: formatTime(nowMicros()),
    });
    await this.#archive.add(DUMP_FILES.instanceUid, Buffer.from(String(instanceUid)));
    progress.step(1, "dump the api keys", 1, STEPS);
    await this.#writeSmallRecords();
    progress.step(1, "dump the tasks", 2, STEPS);
    await this.#writeTasks();
    progress.step(1, "dump the batches", 3, STEPS);
    await this.#archive.addUnsized(DUMP_FILES.batches, this.#batchLines(), this.#checkpoint);
    progress.step(1, "dump the indexes", 4, STEPS);
    // Others look into the folder also when there is no index.
    await this.#archive.addFolder(INDEX_FOLDER);
    for (const state of this.#work.indexes.all()) await this.#writeIndex(state);
  }

  /** What is small enough to be read at once, so that it all belongs to one moment. */
  async #writeSmallRecords(): Promise<void> {
    const { store } = this.#work;
    const keys = this.#keyLines().map(line);
    const features = { ...defaultFeatures(), ...Object.fromEntries(store.features.entries()) };
    const network = store.network.get("network") ?? null;
    const webhooks = { webhooks: Object.fromEntries(store.webhooks.entries()) };
    const rules = [...store.rules.entries()].map(([, rule]) => line(rule));
    const chats = [...store.chats.entries()];
    await this.#archive.add(DUMP_FILES.keys, Buffer.concat(keys));
    await this.#addJson(DUMP_FILES.features, features);
    if (network !== null) await this.#addJson(DUMP_FILES.network, network);
    await this.#addJson(DUMP_FILES.webhooks, webhooks);
    await this.#archive.add(DUMP_FILES.rules, Buffer.concat(rules));
    for (const [workspace, settings] of chats) await this.#addJson(chatFile(workspace), settings);
  }

  readonly #keyLines = (): JsonObject[] => [...this.#work.store.keys.entries()].map(([, key]) => keyLine(key));

  async #writeTasks(): Promise<void> {
    const { store } = this.#work;
    await this.#archive.addUnsized(DUMP_FILES.tasks, this.#taskLines(), this.#checkpoint);
    for (const uid of [...store.pending.keys({ end: this.#lastTask + 1 })]) {
      const content = store.tasks.get(uid)?.content;
      if (content?.type !== "documentAdditionOrUpdate") continue;
      this.#checkpoint();
      const { bytes, ranges } = decodePayload(payloadBytes(this.#work, content.payload));
      const lines = new ByteSink(bytes.length + ranges.length);
      for (let i = 0; i < ranges.length; i += 2) {
        compactInto(bytes, ranges[i]!, ranges[i + 1]!, lines);
        lines.byte(NEWLINE);
      }
      await this.#archive.add(payloadFile(uid), lines.view());
    }
  }

  *#taskLines(): Generator<Uint8Array> {
    const { tasks } = this.#work.store;
    for (let start = 0; start <= this.#lastTask; ) {
      const range = { start, end: this.#lastTask + 1, limit: RECORDS_AT_ONCE };
      const lines: Uint8Array[] = [];
      // The place is taken up again by key: other work goes on between two pieces.
      for (const [uid, task] of tasks.entries(range)) {
        lines.push(line(taskLine(this.#whole(this.#own.tasks.get(uid) ?? task), this.#keyLines)));
        start = uid + 1;
      }
      if (lines.length === 0) return;
      yield Buffer.concat(lines);
    }
  }

  /** With the ids that lie elsewhere: a task of the common form has its own. One that is finished needs none. */
  #whole(task: TaskRecord): TaskRecord {
    const { content } = task;
    if (content.type !== "documentDeletion" || content.by !== "listedIds") return task;
    const ids = task.finishedAt === null ? idsIn(this.#work, content) : [];
    return { ...task, content: { type: "documentDeletion", by: "ids", ids } };
  }

  *#batchLines(): Generator<Uint8Array> {
    const { batches, texts } = this.#work.store;
    for (let start = 0; ; ) {
      const lines: Uint8Array[] = [];
      for (const [uid, batch] of batches.entries({ start, limit: RECORDS_AT_ONCE })) {
        lines.push(line(batchLine(batch, texts)));
        start = uid + 1;
      }
      if (lines.length === 0) break;
      yield Buffer.concat(lines);
    }
    yield line(batchLine(this.#own.batch, texts));
  }

  async #writeIndex(state: IndexState): Promise<void> {
    const { uid, manifest, problem } = state;
    if (problem !== null) throw apiError("dump_process_failed", `Index \`${uid}\` cannot be read: ${problem}`);
    const { primaryKey, createdAt, updatedAt, fieldOrder, settings } = manifest;
    await this.#addJson(indexFile(uid, "metadata.json"), {
      uid,
      primaryKey,
      createdAt: formatTime(createdAt),
      updatedAt: formatTime(updatedAt),
      // Not part of the common layout: with the order, documents read the same after the dump is loaded, and with the sizes
      // embedders need no trial.
      fieldOrder,
      ...(settings.embedderDimensions === undefined ? {} : { embedderDimensions: settings.embedderDimensions }),
    });
    await this.#addJson(indexFile(uid, "settings.json"), writtenSettings(settings));
    const segments = state.segments.map((segment) => ({ reader: segment.reader, rows: liveRows(segment) }));
    const name = indexFile(uid, "documents.jsonl");
    const { bytes, pieces } = linesWithVectors(segments, settings);
    if (bytes === null) await this.#archive.addUnsized(name, pieces, this.#checkpoint);
    else await this.#archive.addPieces(name, bytes, pieces, this.#checkpoint);
  }

  readonly #checkpoint = (): void => this.#work.checkpoint();

  #addJson(name: string, value: unknown): Promise<void> {
    return this.#archive.add(name, Buffer.from(JSON.stringify(value)));
  }
}

function line(value: Json): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
