/**
 * The sheets of all indexes, by day. Bounded in days and in bytes: what is too old goes, and where there is too much, the oldest
 * days and the least searched indexes go first.
 */
import { limits } from "../limits.ts";
import type { Click, SeenSearch } from "./sheet.ts";
import { Sheet } from "./sheet.ts";

export interface DaySheet {
  day: number;
  sheet: Sheet;
}

/** When room is made, so much of it that this is not needed again at once. */
const ROOM_SHARE = 0.9;

export class Book {
  readonly #days = new Map<number, Map<string, Sheet>>();
  readonly #bytesMax: number;
  /** Days that differ from what was written of them. */
  readonly #changed = new Set<number>();
  #bytes = 0;

  constructor(bytesMax: number = limits.insightBytes) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  search({ indexUid, query, found, ms }: SeenSearch, day: number): void {
    this.#change(day, indexUid, (sheet) => sheet.search(query, found, ms));
  }

  click({ indexUid, query, documentId, position }: Click, day: number): void {
    this.#change(day, indexUid, (sheet) => sheet.click(query, documentId, position));
  }

  /** A sheet as it was written earlier. */
  put(day: number, indexUid: string, sheet: Sheet): void {
    const sheets = this.#sheetsOf(day);
    this.#bytes += sheet.bytes - (sheets.get(indexUid)?.bytes ?? 0);
    sheets.set(indexUid, sheet);
    this.#makeRoom();
  }

  /** Newest first; both days are among them. */
  between(indexUid: string, from: number, to: number): DaySheet[] {
    const found: DaySheet[] = [];
    for (const [day, sheets] of this.#days) {
      const sheet = sheets.get(indexUid);
      if (sheet !== undefined && day >= from && day <= to) found.push({ day, sheet });
    }
    return found.sort((a, b) => b.day - a.day);
  }

  isEmpty(day: number): boolean {
    return !this.#days.has(day);
  }

  sheets(day: number): Iterable<[indexUid: string, sheet: Sheet]> {
    return this.#days.get(day) ?? [];
  }

  /** Forgets all days but the last ones. */
  endAt(today: number): void {
    for (const [day, sheets] of this.#days) {
      if (day > today - limits.insightDays) continue;
      for (const indexUid of [...sheets.keys()]) this.#drop(day, indexUid);
    }
  }

  /** Forgets the indexes that are not wanted. */
  keepIndexes(isWanted: (indexUid: string) => boolean): void {
    for (const [day, sheets] of this.#days) {
      for (const indexUid of [...sheets.keys()]) if (!isWanted(indexUid)) this.#drop(day, indexUid);
    }
  }

  /** What was known under the new name is forgotten. */
  rename(indexUid: string, newUid: string): void {
    for (const [day, sheets] of this.#days) {
      const sheet = sheets.get(indexUid);
      if (sheet === undefined) continue;
      this.#drop(day, newUid);
      this.#drop(day, indexUid);
      this.put(day, newUid, sheet);
    }
  }

  /** The days to be written. */
  changed(): number[] {
    return [...this.#changed];
  }

  /** What changes from now on is to be written again. */
  markWritten(day: number): void {
    this.#changed.delete(day);
  }

  /** Writing it failed. */
  markChanged(day: number): void {
    this.#changed.add(day);
  }

  #sheetsOf(day: number): Map<string, Sheet> {
    let sheets = this.#days.get(day);
    if (sheets === undefined) {
      sheets = new Map();
      this.#days.set(day, sheets);
    }
    return sheets;
  }

  #change(day: number, indexUid: string, change: (sheet: Sheet) => void): void {
    const sheets = this.#sheetsOf(day);
    let sheet = sheets.get(indexUid);
    let before = 0;
    if (sheet === undefined) {
      sheet = new Sheet();
      sheets.set(indexUid, sheet);
    } else before = sheet.bytes;
    change(sheet);
    this.#bytes += sheet.bytes - before;
    this.#changed.add(day);
    this.#makeRoom();
  }

  #drop(day: number, indexUid: string): void {
    const sheets = this.#days.get(day);
    const sheet = sheets?.get(indexUid);
    if (sheets === undefined || sheet === undefined) return;
    this.#bytes -= sheet.bytes;
    this.#changed.add(day);
    sheets.delete(indexUid);
    if (sheets.size === 0) this.#days.delete(day);
  }

  #makeRoom(): void {
    if (this.#bytes <= this.#bytesMax) return;
    const all: { day: number; indexUid: string; searches: number }[] = [];
    for (const [day, sheets] of this.#days) {
      for (const [indexUid, { totals }] of sheets) all.push({ day, indexUid, searches: totals.searches });
    }
    all.sort((a, b) => a.day - b.day || a.searches - b.searches);
    for (const { day, indexUid } of all) {
      if (this.#bytes <= this.#bytesMax * ROOM_SHARE) return;
      this.#drop(day, indexUid);
    }
  }
}
