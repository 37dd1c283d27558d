/** Writes the ids part of a segment (see `format.ts`). */
import type { IdList } from "../../../base/document/id-list.ts";
import { bytesOf } from "../byte-log.ts";
import { bytesVector, flatPart, wordsVector } from "../flat-table.ts";
import { IdsPart } from "../generated/ids-part.ts";
import type { Part } from "../parts.ts";
import { PART } from "../parts.ts";
import { bucketOf, hashBytes, ROWS_PER_BUCKET, spread } from "./format.ts";
import { numberIn } from "./probe.ts";

/** External ids of all rows in row order, in one of the two ways they are stored. */
export type StoredIds = { numbers: Uint32Array } | { texts: Uint8Array; offsets: Uint32Array };

/** As numbers, when all are. */
export function storedIds({ bytes, offsets }: IdList): StoredIds {
  const numbers = new Uint32Array(offsets.length - 1);
  for (let i = 0; i < numbers.length; i++) {
    const number = numberIn(bytes, offsets[i]!, offsets[i + 1]!);
    if (number < 0) return { texts: bytes, offsets };
    numbers[i] = number;
  }
  return { numbers };
}

export function idsPart(docids: Uint32Array, ids: StoredIds): Part {
  const rows = docids.length;
  const docidsVector = wordsVector(docids);
  if ("numbers" in ids) {
    const index = isAscending(ids.numbers) ? {} : bucketIndex(rows, (row) => spread(ids.numbers[row]!));
    return flatPart(PART.ids, IdsPart, { docids: docidsVector, numbers: wordsVector(ids.numbers), ...index });
  }
  const { offsets, texts } = ids;
  return flatPart(PART.ids, IdsPart, {
    docids: docidsVector,
    texts: bytesVector([texts]),
    textOffsets: wordsVector(offsets),
    ...bucketIndex(rows, (row) => hashBytes(texts, offsets[row]!, offsets[row + 1]!)),
  });
}

function isAscending(numbers: Uint32Array): boolean {
  for (let i = 1; i < numbers.length; i++) if (numbers[i - 1]! >= numbers[i]!) return false;
  return true;
}

function bucketIndex(rows: number, hashOf: (row: number) => number) {
  const buckets = Math.ceil(rows / ROWS_PER_BUCKET);
  const starts = new Uint32Array(buckets + 1);
  const bucketOfRow = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) {
    const bucket = bucketOf(hashOf(row), buckets);
    bucketOfRow[row] = bucket;
    starts[bucket + 1]!++;
  }
  for (let bucket = 0; bucket < buckets; bucket++) starts[bucket + 1]! += starts[bucket]!;
  const rowBytes = rows <= 0x10000 ? 2 : 4;
  const places = starts.slice(0, buckets);
  const bucketRows = rowBytes === 2 ? new Uint16Array(rows) : new Uint32Array(rows);
  for (let row = 0; row < rows; row++) bucketRows[places[bucketOfRow[row]!]!++] = row;
  return {
    bucketStarts: wordsVector(starts),
    bucketRows: bytesVector([bytesOf(bucketRows)]),
    bucketRowBytes: rowBytes,
  };
}
