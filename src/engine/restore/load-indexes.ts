/**
 * The indexes of a dump: settings first, then the documents in the order of the dump, a bounded number of bytes at a
 * time, each piece built and committed in the way of any batch.
 */

import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { everyFeature } from "../../base/contract/features.ts";
import { isIndexUid } from "../../base/contract/names.ts";
import { parseSettings } from "../../base/contract/settings.ts";
import type { IdList } from "../../base/document/id-list.ts";
import { ApiError } from "../../base/errors/errors.ts";
import { isObject, type Json, type JsonObject } from "../../base/json/value.ts";
import { limits, MIB } from "../../base/limits.ts";
import { preparePayload } from "../../base/payload/prepare.ts";
import { scanPayload } from "../../base/payload/scan.ts";
import { nowMicros } from "../../base/time/time.ts";
import { timeOf } from "../../storage/dump/layout.ts";
import { linePieces } from "../../storage/dump/lines.ts";
import { poolsByMean, withOldPooling } from "../../storage/dump/old-pooling.ts";
import { DumpProblem } from "../../storage/dump/problem.ts";
import type { DumpIndex, DumpSource } from "../../storage/dump/source.ts";
import { sizesInDocuments } from "../../storage/dump/vector-sizes.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import { applySettingsUpdate, defaultSettings } from "../../storage/settings/update.ts";
import { SETTING_NAMES } from "../../storage/settings/view.ts";
import type { Committer } from "../writer/commit.ts";
import { writeFold } from "../writer/documents.ts";
import { IndexDraft } from "../writer/draft.ts";
import { withDimensions } from "../writer/embedding/dimensions.ts";
import { Fold } from "../writer/fold.ts";
import type { IndexState } from "../writer/index-state.ts";
import type { Merger } from "../writer/merges.ts";
import type { Mutex } from "../writer/mutex.ts";
import type { PayloadPlace } from "../writer/plan.ts";
import { scanFile } from "../writer/scan-file.ts";
import type { Work } from "../writer/work.ts";

/** Bytes of documents that are built and committed together. */
const PIECE_BYTES = 64 * MIB;

interface IndexTarget {
  work: Work;
  committer: Committer;
  merger: Merger;
  mutex: Mutex;
}

export async function loadIndexes(dump: DumpSource, target: IndexTarget): Promise<void> {
  const oldPooling = poolsByMean(dump.serverVersion);
  const loaded = new Set<string>();
  for await (const index of dump.indexes()) {
    const { uid, settings } = index;
    if (!isIndexUid(uid)) throw new DumpProblem(`it holds an index with the invalid uid \`${uid}\``);
    if (loaded.has(uid)) throw new DumpProblem(`it holds the index \`${uid}\` twice`);
    loaded.add(uid);
    if (oldPooling) settings["embedders"] = withOldPooling(settings["embedders"] ?? null);
    await loadIndex(index, target);
  }
}

async function loadIndex(index: DumpIndex, target: IndexTarget): Promise<void> {
  try {
    const state = await createIndex(index, target);
    if (index.documents === null) return;
    for await (const piece of linePieces(index.documents, PIECE_BYTES)) {
      await target.mutex.run(() => addDocuments(state, piece, target));
      target.merger.consider();
    }
  } catch (problem) {
    if (problem instanceof ApiError) throw new DumpProblem(`index \`${index.uid}\`: ${problem.message}`);
    throw problem;
  }
}

async function createIndex(index: DumpIndex, { work, committer }: IndexTarget): Promise<IndexState> {
  const { uid, primaryKey, fieldOrder } = index;
  const settings = await readSettings(index, work);
  const state = work.indexes.create(uid);
  const createdAt = timeOf(index.createdAt) ?? nowMicros();
  state.manifest = { ...state.manifest, createdAt, updatedAt: timeOf(index.updatedAt) ?? createdAt };
  const draft = new IndexDraft(state);
  draft.settings = settings;
  if (Array.isArray(fieldOrder)) draft.addFields(fieldOrder.filter((name) => typeof name === "string"));
  if (typeof primaryKey === "string") {
    draft.primaryKey = primaryKey;
    if (!Array.isArray(fieldOrder)) draft.addFields([primaryKey]);
  }
  await committer.commit({ put: [{ uid, draft }], remove: [], gone: [] }, () => {}, false);
  return state;
}

/** Settings of a later or earlier server may hold names that mean nothing here. */
async function readSettings(
  { settings: given, embedderDimensions, documents }: DumpIndex,
  work: Work,
): Promise<Settings> {
  const known: JsonObject = {};
  for (const name of SETTING_NAMES) if (given[name] !== undefined) known[name] = given[name] as Json;
  const settings = applySettingsUpdate(defaultSettings(), parseSettings(known, everyFeature()));
  // Sizes that the dump tells need no trial, for which embedders would have to be at hand.
  const found = documents === null ? {} : await sizesInDocuments(documents, Object.keys(settings.embedders));
  const told = Object.entries(isObject(embedderDimensions) ? embedderDimensions : {});
  const sizes = { ...found, ...Object.fromEntries(told.filter((size): size is [string, number] => isSize(size[1]))) };
  return withDimensions(work, { ...settings, embedderDimensions: sizes }, settings);
}

function isSize(value: Json): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

async function addDocuments(state: IndexState, lines: Buffer, { work, committer }: IndexTarget): Promise<void> {
  const draft = new IndexDraft(state);
  const file = work.indexes.payloadPath(`dump-index-${state.manifest.id}`);
  try {
    const payload = await scanLines(work, lines, file, draft.primaryKey);
    if (payload.error !== null) throw payload.error;
    draft.primaryKey = payload.primaryKey;
    draft.addFields(payload.fields);
    const fold = new Fold(state, state.docids.free());
    fold.addAll("replace", payload.ids, 0, false, payload.isAscending);
    await writeFold(work, draft, fold, [payload]);
    await committer.commit({ put: [{ uid: state.uid, draft }], remove: [], gone: [] }, () => {}, false);
  } finally {
    await rm(file, { force: true });
  }
}

interface ScannedLines extends PayloadPlace {
  ids: IdList;
  isAscending: boolean;
  fields: string[];
  primaryKey: string | null;
  error: ApiError | null;
}

async function scanLines(work: Work, lines: Buffer, file: string, primaryKey: string | null): Promise<ScannedLines> {
  if (lines.length <= limits.inlineBuildBytes) {
    const prepared = preparePayload(lines, "ndjson");
    return { ...scanPayload(prepared, primaryKey), source: { bytes: prepared.bytes }, ranges: prepared.ranges };
  }
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, lines);
  await work.helpers.run("payload.prepareFile", { path: file, body: null, format: "ndjson", delimiter: 0 });
  return scanFile(work, file, primaryKey);
}
