/** Payloads too large to pass through the other threads: checked and rewritten in files of their own. */
import { readFileSync } from "node:fs";
import { parseDeleteBatch } from "../../base/contract/documents.ts";
import { readBoundedJson } from "../../base/contract/json-body.ts";
import { inferPrimaryKey } from "../../base/document/id.ts";
import type { ErrorBody } from "../../base/errors/errors.ts";
import { ifThere } from "../../base/files/if-there.ts";
import { writeWholeSync } from "../../base/files/whole.ts";
import { limits } from "../../base/limits.ts";
import { encodeIds } from "../../base/payload/ids.ts";
import { PayloadFile } from "../../base/payload/payload-file.ts";
import { scanSlabs } from "../../base/payload/plain-ids.ts";
import {
  decodePayload,
  encodePayload,
  type PayloadFormat,
  payloadLines,
  preparePayload,
} from "../../base/payload/prepare.ts";
import { type PayloadScan, scanPayload } from "../../base/payload/scan.ts";
import type { JobOutput } from "./jobs.ts";

/** The encoded payload takes the place of what lies in `path`, and is durable when this returns. */
export function preparePayloadFile(
  path: string,
  body: Uint8Array,
  format: PayloadFormat,
  delimiter: number,
): JobOutput<"payload.prepareFile"> {
  const prepared = preparePayload(body, format, delimiter);
  return { documents: prepared.ranges.length / 2, bytes: writePieces(path, encodePayload(prepared)) };
}

/** The same for ids of documents to be deleted. */
export async function prepareIdsFile(path: string, body: Uint8Array): Promise<JobOutput<"payload.prepareIds">> {
  const ids = parseDeleteBatch(await readBoundedJson(body, limits.taskBodyValues, async () => {}));
  return { ids: ids.length, bytes: writePieces(path, encodeIds(ids)) };
}

function writePieces(path: string, pieces: Uint8Array[]): number {
  writeWholeSync(path, pieces, { durable: "content" });
  return pieces.reduce((total, piece) => total + piece.length, 0);
}

/** Null where there is no file. */
export function payloadFileLines(path: string): Uint8Array | null {
  const encoded = ifThere(() => readFileSync(path));
  return encoded === null ? null : payloadLines(decodePayload(encoded));
}

export interface PayloadFileScan extends Omit<PayloadScan, "error"> {
  /** Start and end of each document in the file; in shared memory. */
  ranges: Uint32Array;
  error: ErrorBody | null;
}

export function scanPayloadFile(path: string, primaryKey: string | null): PayloadFileScan {
  return scanInSlabs(path, primaryKey) ?? scanWhole(path, primaryKey);
}

/** Null when there is no document, something has to be said about one, or the key is none at the top. */
function scanInSlabs(path: string, primaryKey: string | null): PayloadFileScan | null {
  const file = new PayloadFile(path);
  try {
    const { ranges } = file;
    if (ranges.length === 0) return null;
    const key = primaryKey ?? guessedKey(file.first());
    if (key === null || key.includes(".")) return null;
    const scan = scanVerified(file, key);
    return scan === null ? null : { ...scan, primaryKey: key, error: null, ranges };
  } finally {
    file.close();
  }
}

/** Whatever became of reading the documents: that the file is damaged comes first. */
function scanVerified(file: PayloadFile, key: string): ReturnType<typeof scanSlabs> {
  try {
    return scanSlabs(file.ranges, key, (table, begin, end) => file.putOn(table, begin, end));
  } finally {
    file.verify();
  }
}

function guessedKey(document: Uint8Array): string | null {
  const guess = inferPrimaryKey(document, 0, document.length);
  return guess instanceof Error ? null : guess.primaryKey;
}

function scanWhole(path: string, primaryKey: string | null): PayloadFileScan {
  const payload = decodePayload(readFileSync(path));
  const scan = scanPayload(payload, primaryKey);
  // A copy: the ranges lie in the memory of the whole file, which would travel along.
  const ranges = new Uint32Array(new SharedArrayBuffer(payload.ranges.byteLength));
  ranges.set(payload.ranges);
  return { ...scan, error: scan.error?.body() ?? null, ranges };
}
