/** Small dumps of the versions 1 to 5, put together after the description of their layouts. */
import { type TarEntry, tarball } from "../../lib/tar.ts";

const INSTANCE = "972b0d34-a73b-4b37-9a06-eac9af32c9b3";
const UUIDS = { books: "0a6e1f5e-3b0c-4f0e-9d51-0d4c3f5f9a01", later: "0a6e1f5e-3b0c-4f0e-9d51-0d4c3f5f9a02" };
const CONTENT = "7c2b8a54-6f0d-4a6c-8a55-2f1c8f4f7b10";
const LOST = "00000000-0000-4000-8000-000000000000";

export const DOCUMENTS = [
  { id: 1, title: "Emma", year: 1815 },
  { id: 2, title: "Middlemarch", year: 1871 },
];
export const WAITING = [{ id: 7, title: "Villette" }];

const lines = (values: readonly object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join("");
const at = (second: number): string => `2022-10-06T12:00:${String(second).padStart(2, "0")}.123456789Z`;

function packed(files: Record<string, string>): Buffer {
  return tarball(Object.entries(files).map(([name, content]): TarEntry => ({ name: `./${name}`, content })));
}

export function dumpV1(): Buffer {
  const nothing = { distinct_attribute: "Nothing", primary_key: "Nothing", stop_words: "Clear" };
  const settings = { ...nothing, ranking_rules: { Update: ["Typo", "WordsPosition", { Desc: "year" }] } };
  const processed = { status: "processed", duration: 0.5, enqueuedAt: at(1), processedAt: at(3) };
  return packed({
    "metadata.json": JSON.stringify({
      dumpVersion: "V1",
      dbVersion: "0.20.0",
      indexes: [{ name: "Books", uid: "books", primaryKey: "id", createdAt: at(0), updatedAt: at(9) }],
    }),
    "books/settings.json": JSON.stringify({
      rankingRules: ["typo", "words", "wordsPosition", "exactness", "desc(year)"],
      searchableAttributes: ["*"],
      displayedAttributes: ["*"],
      stopWords: ["the"],
      synonyms: { big: ["large"] },
      distinctAttribute: null,
      attributesForFaceting: ["year"],
    }),
    "books/documents.jsonl": lines(DOCUMENTS),
    "books/updates.jsonl": lines([
      { ...processed, updateId: 0, type: { name: "DocumentsAddition", number: 2 } },
      { ...processed, updateId: 1, type: { name: "Customs" } },
      {
        ...processed,
        status: "failed",
        updateId: 2,
        type: { name: "Settings", settings },
        error: "it was not to be",
        errorCode: "missing_primary_key",
      },
      { status: "enqueued", updateId: 3, type: { name: "DocumentsAddition", number: 9 }, enqueuedAt: at(8) },
      { ...processed, updateId: 4, type: { name: "ClearAll" } },
    ]),
  });
}

export function dumpV2(): Buffer {
  const addition = { type: "DocumentsAddition", method: "UpdateDocuments", format: "Json", primary_key: "id" };
  const done = {
    status: "processed",
    processedAt: at(3),
    startedProcessingAt: at(2),
    enqueuedAt: at(1),
    content: null,
  };
  const updates = [
    { update: { ...done, updateId: 0, meta: addition, success: { DocumentsAddition: { nb_documents: 2 } } } },
    { update: { ...done, updateId: 1, meta: { type: "Settings", rankingRules: ["asc(year)"] }, success: "Other" } },
    {
      update: {
        ...done,
        status: "failed",
        processedAt: undefined,
        failedAt: at(4),
        updateId: 2,
        meta: { type: "DeleteDocuments", ids: ["1", "2"] },
        error: { message: "no", errorCode: "invalid_store", errorType: "internal", errorLink: "" },
      },
    },
    {
      update: { status: "aborted", updateId: 3, meta: { type: "ClearDocuments" }, enqueuedAt: at(1), abortedAt: at(5) },
    },
    {
      uuid: UUIDS.later,
      update: { status: "enqueued", updateId: 0, meta: addition, enqueuedAt: at(6), content: CONTENT },
    },
    { uuid: LOST, update: { status: "enqueued", updateId: 0, meta: addition, enqueuedAt: at(6), content: CONTENT } },
  ].map((entry) => ({ uuid: UUIDS.books, ...entry }));
  return packed({
    "metadata.json": JSON.stringify({ dumpVersion: "V2", dbVersion: "0.22.0", dumpDate: at(7) }),
    "index_uuids/data.jsonl": lines(Object.entries(UUIDS).map(([uid, uuid]) => ({ uid, uuid }))),
    "updates/data.jsonl": lines(updates),
    [`updates/update_files/update_${CONTENT}`]: JSON.stringify(WAITING, null, 1),
    ...indexFolder(`indexes/index-${UUIDS.books}`, ["words", "desc(year)"]),
    ...indexFolder(`indexes/index-${UUIDS.later}`, ["words"], []),
  });
}

export function dumpV3(): Buffer {
  const addition = { DocumentAddition: { primary_key: null, method: "ReplaceDocuments", content_uuid: CONTENT } };
  const done = { status: "processed", processedAt: at(3), startedProcessingAt: at(2), enqueuedAt: at(1) };
  const updates = [
    { uuid: UUIDS.later, update: { status: "processing", updateId: 0, meta: addition, enqueuedAt: at(6) } },
    { update: { ...done, updateId: 0, meta: addition, success: { DocumentsAddition: { nb_documents: 2 } } } },
    { update: { ...done, updateId: 1, meta: "ClearDocuments", success: { DocumentDeletion: { deleted: 5 } } } },
    {
      update: { ...done, updateId: 2, meta: { DeleteDocuments: ["1"] }, success: { DocumentDeletion: { deleted: 1 } } },
    },
    {
      update: {
        ...done,
        status: "failed",
        processedAt: undefined,
        failedAt: at(4),
        updateId: 3,
        meta: { Settings: { stopWords: ["a"] } },
        msg: "no",
        code: "MissingPrimaryKey",
      },
    },
  ].map((entry) => ({ uuid: UUIDS.books, ...entry }));
  return packed({
    "metadata.json": JSON.stringify({ dumpVersion: "V3", dbVersion: "0.24.0", dumpDate: at(7) }),
    "index_uuids/data.jsonl": lines(Object.entries(UUIDS).map(([uid, uuid]) => ({ uid, uuid }))),
    "updates/data.jsonl": lines(updates),
    [`updates/updates_files/${CONTENT}`]: lines(WAITING),
    ...indexFolder(`indexes/${UUIDS.books}`, ["words", "year:desc"]),
    ...indexFolder(`indexes/${UUIDS.later}`, ["words"], []),
  });
}

/** In version 4 tasks lie beside the name of their index, in version 5 around it. */
export function dumpV4Or5(version: "V4" | "V5"): Buffer {
  const isV4 = version === "V4";
  const success = isV4 ? "Succeded" : "Succeeded";
  const task = (id: number, uid: string, name: string, fields: object | null, events: object[]) =>
    isV4
      ? { id, index_uid: uid, content: fields === null ? name : { [name]: fields }, events }
      : { id, content: { [name]: { index_uid: uid, ...fields } }, events };
  const addition = (content: string, count: number) => ({
    content_uuid: content,
    merge_strategy: "ReplaceDocuments",
    primary_key: null,
    documents_count: count,
    allow_index_creation: true,
  });
  const ended = (result: unknown) => [
    { Created: at(1) },
    { Batched: { timestamp: at(2), batch_id: 1 } },
    { Processing: at(2) },
    { [success]: { result, timestamp: at(3) } },
  ];
  const error = { message: "no", code: "primary_key_inference_failed", type: "invalid_request", link: "x" };
  const tasks = [
    task(6, "later", "DocumentAddition", addition(CONTENT, 1), [{ Created: at(6) }]),
    task(5, "books", "IndexUpdate", { primary_key: "id" }, [
      { Created: at(1) },
      { Processing: at(2) },
      { Failed: { error, timestamp: at(4) } },
    ]),
    task(3, "gone", "IndexDeletion", isV4 ? null : {}, ended({ ClearAll: { deleted_documents: 4 } })),
    task(2, "books", "DocumentDeletion", isV4 ? { Ids: ["1"] } : { deletion: { Ids: ["1"] } }, ended("Other")),
    task(
      1,
      "books",
      "SettingsUpdate",
      { settings: { stopWords: ["a"] }, is_deletion: false, allow_index_creation: true },
      ended("Other"),
    ),
    task(0, "books", "DocumentAddition", addition(LOST, 2), ended({ DocumentAddition: { indexed_documents: 2 } })),
  ];
  const dump = {
    id: 4,
    content: { Dump: { uid: "20221006-120007000" } },
    events: [{ Created: at(1) }, { Processing: at(2) }],
  };
  const times = { expires_at: null, created_at: at(0), updated_at: at(0) };
  const key = { description: "d", actions: ["search", "dumps.create"], indexes: ["books"], ...times };
  const keys = isV4
    ? [{ ...key, actions: [...key.actions, "dumps.get"], id: [110, 113, 57, 52, 113, 97, 71, 106] }]
    : [{ ...key, name: "n", uid: "192e54ae-32f8-4c61-85f5-eb2b1b255629" }];
  return packed({
    "metadata.json": JSON.stringify({ dumpVersion: version, dbVersion: "0.29.0", dumpDate: at(7) }),
    "instance-uid": INSTANCE,
    keys: lines(keys),
    "index_uuids/data.jsonl": lines([{ uid: "books", index_meta: { uuid: UUIDS.books, creation_task_id: 0 } }]),
    "updates/data.jsonl": lines(isV4 ? tasks : [dump, ...tasks]),
    [`updates/updates_files/${CONTENT}`]: lines(WAITING),
    ...indexFolder(`indexes/${UUIDS.books}`, ["words", "year:desc"]),
  });
}

function indexFolder(folder: string, rankingRules: string[], documents: object[] = DOCUMENTS): Record<string, string> {
  const settings = { rankingRules, filterableAttributes: ["year"], pagination: { maxTotalHits: 0 } };
  const primaryKey = documents.length === 0 ? null : "id";
  return {
    [`${folder}/meta.json`]: JSON.stringify({ settings, primary_key: primaryKey }),
    [`${folder}/documents.jsonl`]: lines(documents),
  };
}
