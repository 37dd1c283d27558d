/**
 * Whether this server may answer reads, and for whom it waits before it shows what came of a task: clients wait for a task on
 * one server and then search on another. Nobody is asked for that; notes on the board do.
 *
 *   out ── caught up ──► entering ── every live one has seen that ──► catching up to the end of the journal ──► in
 *    ▲                                                                                                        │
 *    └─────────────────────── no note of its own seen at most places for a while, or stuck ◄─────────────────┘
 *
 * A server reads its own notes back. What it has put before is the moment up to which it knows all notes of the others: by that
 * moment, not by its clock, another one is gone. One that is not seen for longer than a server may answer without having seen
 * itself answers no more: so none that still does is given up on, whatever is slow, paused or cut off.
 */
import type { Sight } from "../../storage/journal/board.ts";
import type { LeaderRecord, Note } from "../front/cluster-view.ts";
import { Members } from "./leadership.ts";
import { type SeenPlace, Sightings } from "./sightings.ts";

/** Without having seen a note of its own that is not older, a server does not answer. */
const LEASE_MS = 2500;
/** A server that has left no note for this time is no longer waited for. */
const SILENCE_MS_MAX = 3000;
/** The moments of so many notes are kept: a place that is further behind is known anew with the next one. */
const PUTS_MAX = 64;

/** Of a place of the board. */
type Found = Pick<Sight, "isNew" | "ageMs">;

const WHOLE: Found = { isNew: false, ageMs: Number.POSITIVE_INFINITY };

type Stage = "out" | "entering" | "catching" | "in";

export class Presence {
  readonly sightings: Sightings;
  readonly members: Members;
  readonly #self: { name: string; boot: string };
  readonly #puts = new Map<number, number>();
  /** Found out when it is wanted, after what was seen last: it is wanted with every record. */
  #waitedFor: readonly string[] | null = null;
  #stage: Stage = "out";
  /** When it began to be in; until it has seen that, this counts as having seen itself. */
  #enteredAt = Number.NEGATIVE_INFINITY;
  /** The first note that says that it is in. */
  #enteredWith = Number.POSITIVE_INFINITY;

  /** `places`: of the board. */
  constructor(self: { name: string; boot: string }, places: number) {
    this.#self = self;
    this.sightings = new Sightings(places);
    this.members = new Members(this.sightings);
  }

  /** A note with this count is about to be put. Returns what it is to say. */
  putting(count: number, now: number): boolean {
    this.#puts.set(count, now);
    this.#puts.delete(count - PUTS_MAX);
    const isIn = this.stage(now) !== "out";
    if (isIn && this.#enteredWith === Number.POSITIVE_INFINITY) {
      this.#enteredWith = count;
      this.#enteredAt = now;
    }
    return isIn;
  }

  see(place: number, notes: ReadonlyMap<string, Note>, now: number, found: Found = WHOLE): void {
    // Whoever was away for too long is out, however much it has seen at once since.
    this.stage(now);
    this.#waitedFor = null;
    this.sightings.see(place, notes, now, found.isNew);
    this.members.judgePatience(now);
    const own = notes.get(this.#self.name);
    const putAt = own?.boot === this.#self.boot ? this.#puts.get(own.count) : undefined;
    if (putAt !== undefined) this.sightings.know(place, putAt, found.ageMs);
  }

  /** A place was gone at this moment, or later: nobody has given up on this server by what is there. */
  miss(place: number, moment: number, now: number): void {
    this.stage(now);
    this.sightings.miss(place, moment);
  }

  stage(now: number): Stage {
    const renewedAt = Math.max(this.#enteredAt, this.sightings.renewedAt);
    const isOverdue = this.#enteredWith !== Number.POSITIVE_INFINITY && now - renewedAt >= LEASE_MS;
    if (isOverdue) this.leave();
    return this.#stage;
  }

  mayAnswer(now: number): boolean {
    return this.stage(now) === "in";
  }

  leave(): void {
    this.#stage = "out";
    this.#enteredWith = Number.POSITIVE_INFINITY;
  }

  /** It is about as far as the others: the next note says so. */
  enter(): void {
    if (this.#stage === "out") this.#stage = "entering";
  }

  /** Whether all that may show something without waiting for this server have been told by now; then only that is to be caught up with. */
  isKnown(now: number): boolean {
    if (this.stage(now) !== "entering") return false;
    const { name, boot } = this.#self;
    const enteredWith = this.#enteredWith;
    // Where a place has lost its notes, whoever may still answer has to have left another one.
    const isSeen = (place: SeenPlace): boolean => {
      const own = place.note(name);
      return own?.boot === boot && own.count >= enteredWith && place.ageMs >= SILENCE_MS_MAX;
    };
    if (!this.sightings.isKnown(isSeen)) return false;
    const isTold = (note: Note | null): boolean =>
      note?.heard[name]?.boot === boot && note.heard[name].count >= enteredWith;
    const hasTold = (other: string): boolean =>
      this.sightings.isKnown((place, moment) => isOut(place, other, moment) || isTold(place.note(other)));
    if (!this.waitedFor().every(hasTold)) return false;
    this.#stage = "catching";
    return true;
  }

  /** It shows all that was in the journal when it became known. */
  caughtUp(): void {
    if (this.#stage === "catching") this.#stage = "in";
  }

  /** Whoever else must show something before it is shown here. */
  waitedFor(): readonly string[] {
    const isGone = (name: string): boolean => this.sightings.isKnown((place, moment) => isOut(place, name, moment));
    this.#waitedFor ??= [...this.sightings.names()].filter((name) => name !== this.#self.name && !isGone(name));
    return this.#waitedFor;
  }

  /** The last record that all of those show, as their notes say or `told` knows better; at most this one. */
  shownByAll(own: number, told: (name: string, boot: string) => number): number {
    let least = own;
    for (const name of this.waitedFor()) {
      const shown = this.sightings.mostKnown((place, moment) => {
        if (isOut(place, name, moment)) return Number.POSITIVE_INFINITY;
        const note = place.note(name);
        return note === null ? 0 : Math.max(note.shown, told(name, note.boot));
      });
      least = Math.min(least, shown);
    }
    return least;
  }

  /** Whether it is time to lead in the place of who does. */
  mayReplace(leader: LeaderRecord | null): boolean {
    return this.members.mayReplace(leader, this.#self);
  }
}

/** Whether a server did not answer by then, as far as one place shows. */
function isOut(place: SeenPlace, name: string, moment: number): boolean {
  const note = place.note(name);
  return (note !== null && !note.isIn) || place.silenceMs(name, moment) >= SILENCE_MS_MAX;
}
