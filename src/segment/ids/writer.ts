/** Writes the ids part of a segment (see `format.ts`). */
import { ByteLog, bytesOf, WordLog } from "../byte-log.ts";
import { bytesVector, flatPart, wordsVector } from "../flat-table.ts";
import type { Part } from "../parts.ts";
import { PART_IDS } from "../parts.ts";
import { bucketOf, hashBytes, idNumber, ROWS_PER_BUCKET, spread } from "./format.ts";

/** External ids of all rows in row order, in one of the two ways they are stored. */
export type PackedIds = { numbers: Uint32Array } | { texts: Uint8Array; offsets: Uint32Array };

/** Gathers external ids; keeps them as numbers for as long as all are. */
export class IdCollector {
  private readonly numbers: Uint32Array;
  private count = 0;
  private texts: ByteLog | null = null;
  private readonly offsets = new WordLog(64);

  constructor(rows: number) {
    this.numbers = new Uint32Array(rows);
  }

  add(id: string): void {
    if (this.texts === null) {
      const number = idNumber(id);
      if (number >= 0) {
        this.numbers[this.count++] = number;
        return;
      }
      this.texts = new ByteLog();
      this.offsets.push(0);
      for (let i = 0; i < this.count; i++) this.addText(this.texts, String(this.numbers[i]));
    }
    this.addText(this.texts, id);
  }

  private addText(texts: ByteLog, id: string): void {
    texts.room(id.length * 3);
    for (let i = 0; i < id.length; i++) texts.bytes[texts.at++] = id.charCodeAt(i);
    this.offsets.push(texts.length);
  }

  packed(): PackedIds {
    if (this.texts === null) return { numbers: this.numbers.subarray(0, this.count) };
    const texts = new Uint8Array(this.texts.length);
    let at = 0;
    for (const chunk of this.texts.chunks()) {
      texts.set(chunk, at);
      at += chunk.length;
    }
    return { texts, offsets: this.offsets.view() };
  }
}

export function idsPart(docids: Uint32Array, ids: PackedIds): Part {
  const rows = docids.length;
  const docidsVector = wordsVector(docids);
  if ("numbers" in ids) {
    const numbers = wordsVector(ids.numbers);
    if (isAscending(ids.numbers)) return flatPart(PART_IDS, [docidsVector, numbers]);
    const index = bucketIndex(rows, (row) => spread(ids.numbers[row]!));
    return flatPart(PART_IDS, [docidsVector, numbers, null, null, ...index]);
  }
  const { offsets, texts } = ids;
  const index = bucketIndex(rows, (row) => hashBytes(texts, offsets[row]!, offsets[row + 1]!));
  return flatPart(PART_IDS, [docidsVector, null, bytesVector([texts]), wordsVector(offsets), ...index]);
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
  return [wordsVector(starts), bytesVector([bytesOf(bucketRows)]), rowBytes];
}
