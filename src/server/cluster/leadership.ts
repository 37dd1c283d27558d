/**
 * Who leads. That a server does is a record of the journal, so all agree on it and on when it began; a leader that is paused
 * and wakes up finds that record before it can write another. Clocks only say when it is time to try: a leader whose notes
 * have not changed for a while, by the watch of whoever looks, is taken for gone.
 */

export interface LeaderRecord {
  /** Grows with every change. */
  term: number;
  /** Null when the last one gave it back. */
  node: string | null;
  /** Of the process: a name may be used again. */
  boot: string | null;
}

/** The notes by which servers tell that they are there. */
export interface Note {
  boot: string;
  /** Changes with every note. */
  count: number;
  /** Number of the last record that is in the tables, and of the last one that searches see. */
  applied: number;
  shown: number;
  /** Where the server can be reached. */
  address: string;
}

export interface Member extends Note {
  name: string;
  isLive: boolean;
}

interface Heard {
  note: Note;
  /** When it was seen to change. */
  at: number;
}

const SILENCE_MS_MAX = 2000;

export class Members {
  readonly #silenceMsMax: number;
  readonly #heard = new Map<string, Heard>();
  #since: number | null = null;

  constructor(silenceMsMax = SILENCE_MS_MAX) {
    this.#silenceMsMax = silenceMsMax;
  }

  /** `now` is that of a clock that never goes back. */
  hear(notes: ReadonlyMap<string, Note>, now: number): void {
    this.#since ??= now;
    for (const [name, note] of notes) {
      const before = this.#heard.get(name)?.note;
      if (before?.boot !== note.boot || before.count !== note.count) this.#heard.set(name, { note, at: now });
    }
    for (const name of this.#heard.keys()) if (!notes.has(name)) this.#heard.delete(name);
  }

  all(now: number): Member[] {
    return [...this.#heard].map(([name, { note, at }]) => ({ ...note, name, isLive: now - at < this.#silenceMsMax }));
  }

  /** Whether it is time to lead in the place of who does. */
  mayReplace(leader: LeaderRecord | null, self: { name: string; boot: string }, now: number): boolean {
    if (leader === null || leader.node === null) return true;
    // A process before this one had the name, and its database: it is gone.
    if (leader.node === self.name) return leader.boot !== self.boot;
    const heard = this.#heard.get(leader.node);
    // One that leaves no notes at all may be about to: it gets as long as one that fell silent.
    if (heard === undefined) return this.#since !== null && now - this.#since >= this.#silenceMsMax;
    return now - heard.at >= this.#silenceMsMax;
  }
}
