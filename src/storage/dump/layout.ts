/**
 * The layout of a dump: which files the archive holds and what a line of each is. Shapes and names only; dumps are
 * written by `engine/writer/dump.ts` and loaded by `engine/restore/`.
 */

import { commonAction } from "../../base/contract/actions.ts";
import type { BatchRecord } from "../../base/contract/task.ts";
import type { Json, JsonObject } from "../../base/json/value.ts";
import { readInstant } from "../../base/time/dates.ts";
import type { Micros } from "../../base/time/time.ts";
import { formatTime } from "../../base/time/time.ts";
import type { KeyRecord } from "../store/store.ts";
import { type Texts, wholeDetails } from "../store/texts.ts";

export const DUMP_VERSION = "V6";

export const DUMP_FILES = {
  metadata: "metadata.json",
  instanceUid: "instance_uid.uuid",
  keys: "keys.jsonl",
  tasks: "tasks/queue.jsonl",
  batches: "batches/queue.jsonl",
  features: "experimental-features.json",
  network: "network.json",
  webhooks: "webhooks.json",
  rules: "dynamic-search-rules.jsonl",
} as const;

export const payloadFile = (taskUid: number): string => `tasks/update_files/${taskUid}.jsonl`;
export const chatFile = (workspace: string): string => `${CHAT_FOLDER}${workspace}.json`;
export const indexFile = (uid: string, part: IndexPart): string => `${INDEX_FOLDER}${uid}/${part}`;

export const CHAT_FOLDER = "chat-completions-settings/";
export const INDEX_FOLDER = "indexes/";

type IndexPart = "metadata.json" | "settings.json" | "documents.jsonl";

/** `20240506-070809123` */
export function dumpUid(now: Micros): string {
  const digits = new Date(now / 1000).toISOString().replace(/\D/g, "");
  return `${digits.slice(0, 8)}-${digits.slice(8, 17)}`;
}

/** Others refuse a dump with an action that they do not know, so each is written in its common spelling. */
export function keyLine(key: KeyRecord): JsonObject {
  return {
    description: key.description,
    name: key.name,
    uid: key.uid,
    actions: [...new Set(key.actions.map(commonAction))],
    indexes: key.indexes,
    expires_at: timeText(key.expiresAt),
    created_at: formatTime(key.createdAt),
    updated_at: formatTime(key.updatedAt),
  };
}

export function batchLine(batch: BatchRecord, texts: Texts): JsonObject {
  return {
    uid: batch.uid,
    taskUids: batch.taskUids,
    details: wholeDetails(batch.details, batch.texts, texts),
    stats: batch.stats as unknown as Json,
    ...(batch.stats.embedderRequests === undefined ? {} : { embedderStats: { ...batch.stats.embedderRequests } }),
    startedAt: formatTime(batch.startedAt),
    finishedAt: timeText(batch.finishedAt),
    stopReason: batch.strategy,
  };
}

export function timeText(time: Micros | null): string | null {
  return time === null ? null : formatTime(time);
}

/** A moment as any dump writes it; null when there is none. */
export function timeOf(value: Json | undefined): Micros | null {
  return typeof value === "string" ? readInstant(value) : null;
}
