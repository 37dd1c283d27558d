/**
 * First look at a payload's documents, before anything is built: their ids, the primary key when it is to be guessed,
 * the field names in order of first appearance, and the first document that must be refused. Changes nothing.
 */

import { DESK_BYTES_MIN } from "../document/desk.ts";
import { idFromValue, inferPrimaryKey, invalidDocumentId, missingDocumentId, readIdentity } from "../document/id.ts";
import { GrowingIds, type IdList, idsOf } from "../document/id-list.ts";
import type { ApiError } from "../errors/errors.ts";
import { JsonCursor, KEY } from "../json/cursor.ts";
import { FieldNames } from "./field-names.ts";
import { scanPlainIds } from "./plain-ids.ts";
import type { PreparedPayload } from "./prepare.ts";

export interface PayloadScan {
  /** The key given, or the one guessed; null when there was no document to guess from, or the guess failed. */
  primaryKey: string | null;
  /** One id per document, in order; stops before the refused one. */
  ids: IdList;
  /** Known of many: they are numbers below 2^32, each above the one before. */
  isAscending: boolean;
  /** Top-level names in order of first appearance, up to the refused document. */
  fields: string[];
  /** Why the payload is refused as a whole. */
  error: ApiError | null;
}

const NO_IDS = idsOf([]);
/** Kept from payload to payload: to make them takes longer than to read a small one. */
const cursor = new JsonCursor();
const names = new FieldNames([]);
const fewIds = new GrowingIds();

/** With `primaryKey` null the key is guessed from the first document. */
export function scanPayload(payload: PreparedPayload, primaryKey: string | null): PayloadScan {
  const { bytes, ranges } = payload;
  const scan: PayloadScan = { primaryKey, ids: NO_IDS, isAscending: false, fields: [], error: null };
  if (ranges.length === 0) return scan;
  if (primaryKey === null) {
    const guess = inferPrimaryKey(bytes, ranges[0]!, ranges[1]!);
    if (guess instanceof Error) {
      scan.error = guess;
      return scan;
    }
    scan.primaryKey = guess.primaryKey;
  }
  const key = scan.primaryKey!;
  const isNested = key.includes(".");
  const plain = isNested || bytes.length < DESK_BYTES_MIN ? null : scanPlainIds(payload, key);
  if (plain !== null) return { ...scan, ...plain };
  const isSmall = bytes.length < DESK_BYTES_MIN;
  const ids = isSmall ? fewIds : new GrowingIds();
  ids.clear();
  names.begin(scan.fields);
  if (isNested) scanNested(payload, key, scan, ids);
  else scanPlain(payload, key, scan, ids);
  // Lists that may be long travel to other threads as they are.
  scan.ids = isSmall ? ids.copy() : ids.finish();
  return scan;
}

/** The usual case: the key is a top-level name, met while the names are read. */
function scanPlain(payload: PreparedPayload, primaryKey: string, scan: PayloadScan, ids: GrowingIds): void {
  const { bytes, ranges } = payload;
  for (let at = 0; at < ranges.length; at += 2) {
    const start = ranges[at]!;
    const end = ranges[at + 1]!;
    let valueStart = -1;
    let valueEnd = -1;
    cursor.reset(bytes, start, end);
    cursor.next();
    while (cursor.next() === KEY) {
      const field = names.number(bytes, cursor);
      cursor.skipValue();
      if (scan.fields[field] === primaryKey) {
        valueStart = cursor.start;
        valueEnd = cursor.end;
      }
    }
    if (valueStart === -1) {
      scan.error = missingDocumentId(bytes, start, end, primaryKey);
      return;
    }
    const id = idFromValue(bytes, valueStart, valueEnd);
    if (id === null) {
      scan.error = invalidDocumentId(bytes, valueStart, valueEnd);
      return;
    }
    ids.pushText(id);
  }
}

function scanNested(payload: PreparedPayload, primaryKey: string, scan: PayloadScan, ids: GrowingIds): void {
  const { bytes, ranges } = payload;
  for (let at = 0; at < ranges.length; at += 2) {
    const identity = readIdentity(bytes, ranges[at]!, ranges[at + 1]!, primaryKey);
    if (identity instanceof Error) {
      scan.error = identity;
      return;
    }
    ids.pushText(identity.id);
    cursor.reset(bytes, ranges[at]!, ranges[at + 1]!);
    cursor.next();
    while (cursor.next() === KEY) {
      names.number(bytes, cursor);
      cursor.skipValue();
    }
  }
}
