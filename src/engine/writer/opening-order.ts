/**
 * In which order indexes are opened at the start: those that somebody waits for, then all others, the smallest first, a few at a
 * time. One that takes long to read keeps nobody else waiting, whoever waits for it.
 */
import { MIB } from "../../base/limits.ts";
import type { KnownIndex } from "./indexes.ts";

/** Bytes of hot parts that are read at a time before they are shown: a few milliseconds. */
const OPENED_BYTES = 16 * MIB;
/** What is put before others has no more than this: a third of a second. */
const PUT_FIRST_BYTES_MAX = 512 * MIB;

export class OpeningOrder {
  /** As they were given. */
  readonly all: readonly KnownIndex[];
  readonly #byUid: ReadonlyMap<string, KnownIndex>;
  readonly #wanted = new Set<KnownIndex>();
  /** Smallest first. */
  #left: readonly KnownIndex[];

  constructor(all: readonly KnownIndex[]) {
    this.all = all;
    this.#byUid = new Map(all.map((index) => [index.uid, index]));
    this.#left = [...all].sort((a, b) => a.bytes - b.bytes);
  }

  /** Somebody waits for this one. */
  want(uid: string): void {
    const index = this.#byUid.get(uid);
    if (index !== undefined && index.bytes <= PUT_FIRST_BYTES_MAX) this.#wanted.add(index);
  }

  /** What is to be opened next; null when there is nothing left. */
  next(): KnownIndex[] | null {
    const wanted = this.#left.filter((index) => this.#wanted.has(index));
    const group = new Set<KnownIndex>();
    let bytes = 0;
    for (const index of wanted.length > 0 ? wanted : this.#left) {
      if (group.size > 0 && bytes + index.bytes > OPENED_BYTES) break;
      group.add(index);
      bytes += index.bytes;
    }
    this.#left = this.#left.filter((index) => !group.has(index));
    return group.size === 0 ? null : [...group];
  }
}
