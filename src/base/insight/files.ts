/**
 * The book on disk, one file a day: a line of JSON for each index, and a last one with the checksum of those before it. What is
 * damaged is left out: counts are worth less than a start.
 *
 * ```
 *   insight/2026-05-17.ndjson     {"indexUid":"movies","totals":{…},"queries":[…],…}
 *                                 {"crc32":1234}
 * ```
 */
import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { crc32 } from "node:zlib";
import { writeWhole } from "../files/whole.ts";
import type { Book } from "./book.ts";
import { dayOf, dayText } from "./days.ts";
import { readSheet, sheetLine } from "./sheet.ts";

const NAME = /^(\d{4}-\d{2}-\d{2})\.ndjson$/;

/** `onDamage` is told of files that cannot be used. */
export function readBook(folder: string, book: Book, onDamage: (file: string, cause: string) => void): void {
  for (const name of namesIn(folder)) {
    const day = dayOf(NAME.exec(name)?.[1] ?? "");
    if (day === null) continue;
    try {
      for (const line of checkedLines(readFileSync(path.join(folder, name), "utf8"))) {
        const { indexUid, sheet } = readSheet(line);
        book.put(day, indexUid, sheet);
      }
    } catch (error) {
      onDamage(name, (error as Error).message);
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    // The newest first, as they are the last to make room.
    return readdirSync(folder).sort().reverse();
  } catch {
    return [];
  }
}

function checkedLines(text: string): string[] {
  const end = text.lastIndexOf("\n", text.length - 2) + 1;
  const { crc32: sum } = JSON.parse(text.slice(end)) as { crc32: number };
  const lines = text.slice(0, end);
  if (crc32(lines) !== sum) throw new Error("its checksum does not fit");
  return lines.split("\n").filter((line) => line !== "");
}

/** Every day that has changed, index by index, so that the thread is free in between. */
export async function writeBook(folder: string, book: Book): Promise<void> {
  for (const day of book.changed()) {
    book.markWritten(day);
    const file = path.join(folder, `${dayText(day)}.ndjson`);
    try {
      if (book.isEmpty(day)) await rm(file, { force: true });
      else await writeWhole(file, linesOf(book, day));
    } catch (error) {
      book.markChanged(day);
      throw error;
    }
  }
}

function* linesOf(book: Book, day: number): Generator<string> {
  let sum = 0;
  for (const [indexUid, sheet] of [...book.sheets(day)]) {
    const line = `${sheetLine(indexUid, sheet)}\n`;
    sum = crc32(line, sum);
    yield line;
  }
  yield `${JSON.stringify({ crc32: sum })}\n`;
}
