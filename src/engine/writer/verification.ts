/**
 * The check of document bodies after a start. Searches need none of them to find anything, and there are many: a few are
 * read before anything is shown, the rest while requests are answered already, and batches wait for it, so that no
 * damaged body is ever copied into a sound file.
 */
import type { SegmentEntry } from "../../storage/index/manifest.ts";
import { verifySegment } from "../../storage/segment/container.ts";
import type { IndexState } from "./index-state.ts";
import type { Indexes } from "./indexes.ts";

interface Unread {
  uid: string;
  indexId: string;
  entry: SegmentEntry;
}

/** What takes a few milliseconds to read. */
const FIRST_BYTES = 16 * 1024 * 1024;

export class Verification {
  readonly #indexes: Indexes;
  #bytesLeft: number;
  #unread: Unread[] = [];

  /** `bytesMax`: how much of what comes first is read right away. */
  constructor(indexes: Indexes, bytesMax = FIRST_BYTES) {
    this.#indexes = indexes;
    this.#bytesLeft = bytesMax;
  }

  /** Reads the smallest right here, within the bound, and leaves the others for later. Gives the indexes as they are then. */
  begin(states: readonly IndexState[]): IndexState[] {
    const unread = states
      .filter(({ problem }) => problem === null)
      .flatMap(({ uid, manifest }) => manifest.segments.map((entry) => ({ uid, indexId: manifest.id, entry })))
      .sort(bySize);
    const isFirst = ({ entry }: Unread): boolean => {
      this.#bytesLeft -= entry.documentBytes;
      return this.#bytesLeft >= 0;
    };
    const first = unread.filter(isFirst);
    this.#unread.push(...unread.slice(first.length));
    for (const each of first) this.#note(each, verifySegment(this.#pathOf(each), "bodies"));
    return states.map(({ uid }) => this.#indexes.get(uid)!);
  }

  /** Reads the others until it is told to leave the rest unread. Gives the indexes that are not sound. */
  async readOthers(verify: (path: string) => Promise<string | null>, isOver: () => boolean): Promise<IndexState[]> {
    const unreadable: IndexState[] = [];
    // One after the other: a single thread reads as fast as a disk, and requests want the others.
    for (const each of this.#unread.sort(bySize)) {
      if (isOver()) break;
      const state = this.#note(each, await verify(this.#pathOf(each)));
      if (state !== null) unreadable.push(state);
    }
    return unreadable;
  }

  #pathOf({ indexId, entry }: Unread): string {
    return this.#indexes.segmentPath(indexId, entry.file);
  }

  #note({ uid, entry }: Unread, problem: string | null): IndexState | null {
    return problem === null ? null : this.#indexes.quarantine(uid, entry.file, problem);
  }
}

function bySize(a: Unread, b: Unread): number {
  return a.entry.documentBytes - b.entry.documentBytes;
}
