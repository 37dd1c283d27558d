/**
 * What is known of the notes that servers leave, place by place of the board. A server sees its own notes there as well: up to the
 * moment at which it put the last of them that it sees, it knows all notes at that place. Up to when it knows those at most places
 * is the moment that counts, and only places that are known up to it do: whoever has left notes at most places, and seen them there,
 * has left one at a place that counts.
 */
import { mostOf } from "../../storage/journal/board.ts";
import type { Note } from "../front/cluster-view.ts";

interface Seen {
  note: Note;
  /** When it was seen to change. */
  at: number;
}

/** One place of the board, as it was seen last. */
export class SeenPlace {
  readonly seen = new Map<string, Seen>();
  /** When it was seen for the first time, or had lost what was there. */
  since = Number.POSITIVE_INFINITY;
  /** Up to when all notes here are known. */
  knownAt = Number.NEGATIVE_INFINITY;
  /** How long by then it had lost none. */
  ageMs = 0;
  /** Up to when all that was left here by the server itself was there for others to see, or nobody saw anything. */
  renewedAt = Number.NEGATIVE_INFINITY;

  note(name: string): Note | null {
    return this.seen.get(name)?.note ?? null;
  }

  /** How long a server has left no note here by a moment. One that has never left any may be about to. */
  silenceMs(name: string, moment: number): number {
    return moment - (this.seen.get(name)?.at ?? this.since);
  }

  see(notes: ReadonlyMap<string, Note>, now: number, isNew: boolean): void {
    // What was left and lost was seen by nobody: everyone has until now to leave it again.
    if (isNew) for (const seen of this.seen.values()) seen.at = now;
    if (isNew || this.since === Number.POSITIVE_INFINITY) this.since = now;
    for (const [name, note] of notes) {
      const before = this.note(name);
      if (before?.boot !== note.boot || before.count !== note.count) this.seen.set(name, { note, at: now });
    }
    for (const name of this.seen.keys()) if (!notes.has(name)) this.seen.delete(name);
  }
}

export class Sightings {
  readonly #places: readonly SeenPlace[];
  readonly #most: number;

  constructor(places: number) {
    this.#places = Array.from({ length: places }, () => new SeenPlace());
    this.#most = mostOf(places);
  }

  /** `now` is that of a clock that never goes back. `isNew`: the place may have lost notes. */
  see(place: number, notes: ReadonlyMap<string, Note>, now: number, isNew = false): void {
    this.#places[place]!.see(notes, now, isNew);
  }

  /** The server has seen a note of its own at the place, which was put at this moment, when the place was so old. */
  know(place: number, putAt: number, ageMs = Number.POSITIVE_INFINITY): void {
    const found = this.#places[place]!;
    found.knownAt = Math.max(found.knownAt, putAt);
    found.renewedAt = Math.max(found.renewedAt, putAt);
    found.ageMs = ageMs;
  }

  /** The place was gone at this moment: nobody saw anything there. */
  miss(place: number, moment: number): void {
    const found = this.#places[place]!;
    found.renewedAt = Math.max(found.renewedAt, moment);
  }

  /** Up to when the notes at most places are known. */
  get knownAt(): number {
    return this.most(({ knownAt }) => knownAt);
  }

  /** The same, where a place that is gone counts as long as it is. */
  get renewedAt(): number {
    return this.most(({ renewedAt }) => renewedAt);
  }

  /** All that have left a note somewhere and not taken it back. */
  names(): Set<string> {
    return new Set(this.#places.flatMap(({ seen }) => [...seen.keys()]));
  }

  /** The note of a server that was seen last, and when. */
  latest(name: string): Seen | null {
    let latest: Seen | null = null;
    for (const { seen } of this.#places) {
      const found = seen.get(name);
      if (found !== undefined && (latest === null || found.at > latest.at)) latest = found;
    }
    return latest;
  }

  /** The last note of a server that was seen at most places, or a later one was. */
  seenByMost(name: string): { boot: string; count: number } | null {
    for (const boot of new Set(this.#places.map((place) => place.note(name)?.boot))) {
      if (boot === undefined) continue;
      const count = this.most((place) => {
        const note = place.note(name);
        return note?.boot === boot ? note.count : Number.NEGATIVE_INFINITY;
      });
      if (count !== Number.NEGATIVE_INFINITY) return { boot, count };
    }
    return null;
  }

  /** The greatest value that most places reach. */
  most(value: (place: SeenPlace) => number): number {
    return this.#places.map(value).sort((a, b) => b - a)[this.#most - 1]!;
  }

  /** The same of the places that count: those that are known up to the moment up to which most are, which is handed over. */
  mostKnown(value: (place: SeenPlace, moment: number) => number): number {
    const moment = this.knownAt;
    if (moment === Number.NEGATIVE_INFINITY) return moment;
    return this.most((place) => (place.knownAt >= moment ? value(place, moment) : Number.NEGATIVE_INFINITY));
  }

  /** Whether most places bear it out, all of which count. */
  isKnown(test: (place: SeenPlace, moment: number) => boolean): boolean {
    return this.mostKnown((place, moment) => Number(test(place, moment))) === 1;
  }
}
