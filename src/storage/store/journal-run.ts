/**
 * Consecutive records of a journal that are made in one transaction. A server that is behind reads many at a time: what each of them
 * costs the disk, and the files of states that later ones have replaced, are spared, so it is faster than whoever writes.
 */
import type { Journal } from "../journal/journal.ts";
import type { Change } from "./environment.ts";
import { decodeTransaction, hashOf } from "./transaction.ts";

/** Up to where the journal has been followed. */
export interface Mark {
  /** Number of the last record that is in the tables; 0 for none. */
  number: number;
  hash: Uint8Array;
}

export interface JournalRun {
  records: { number: number; changes: readonly Change[] }[];
  /** Of the last of them. */
  mark: Mark;
  /** What is different after all of them, each thing once. */
  changes: readonly Change[];
  /** Whether there was nothing after the last of them. */
  isAtEnd: boolean;
}

export class StrayRecord extends Error {
  override readonly name = "StrayRecord";
}

const RECORDS_MAX = 64;

/** The records after this mark, or null where there is none. Whatever is wrong with one that is not the first is left for the next run. */
export async function readRun(journal: Journal, after: Mark): Promise<JournalRun | null> {
  const records: JournalRun["records"] = [];
  let mark = after;
  let bytes = 0;
  let isAtEnd = false;
  while (records.length < RECORDS_MAX && bytes < journal.recordBytes) {
    try {
      const record = await journal.read(mark.number + 1);
      isAtEnd = record === null;
      if (record === null) break;
      const next = { number: mark.number + 1, hash: hashOf(record) };
      records.push({ number: next.number, changes: decoded(journal, record, mark) });
      mark = next;
      bytes += record.byteLength;
    } catch (problem) {
      if (records.length === 0) throw problem;
      break;
    }
  }
  return records.length === 0 ? null : { records, mark, changes: lastOf(records), isAtEnd };
}

/** A run of one record, whose changes are known. */
export function runOf(number: number, record: Uint8Array, changes: readonly Change[]): JournalRun {
  return { records: [{ number, changes }], mark: { number, hash: hashOf(record) }, changes, isAtEnd: false };
}

/** The last change of each thing. */
export function lastOf(records: readonly { changes: readonly Change[] }[]): readonly Change[] {
  if (records.length === 1) return records[0]!.changes;
  const last = new Map<string, Change>();
  for (const change of records.flatMap(({ changes }) => changes)) last.set(changedThing(change), change);
  return [...last.values()];
}

export function changedThing({ table, key }: Change): string {
  return `${table} ${key}`;
}

function decoded(journal: Journal, record: Uint8Array, after: Mark): readonly Change[] {
  const number = after.number + 1;
  let transaction: ReturnType<typeof decodeTransaction>;
  try {
    transaction = decodeTransaction(record);
  } catch (problem) {
    const message = `record ${number} of the journal ${journal.place} cannot be read: ${(problem as Error).message}`;
    throw Object.assign(new Error(message), { cause: problem });
  }
  if (Buffer.from(transaction.before).equals(after.hash)) return transaction.changes;
  throw new StrayRecord(`record ${number} of the journal ${journal.place} does not follow what is stored here`);
}
