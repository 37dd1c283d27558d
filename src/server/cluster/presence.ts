/**
 * Whether this server may answer reads, and for whom it waits before it shows what came of a task: clients wait for a task on
 * one server and then search on another. Nobody is asked for that; notes on the board do.
 *
 *   out ── caught up ──► entering ── every live one has seen that ──► catching up to the end of the journal ──► in
 *    ▲                                                                                                        │
 *    └────────────────────────── no note of its own seen for a while, or stuck ◄──────────────────────────────┘
 *
 * A server reads its own notes back. What it has put before is the moment up to which it knows all notes of the others: by that
 * moment, not by its clock, another one is gone. One that is not seen for longer than a server may answer without having seen
 * itself answers no more: so none that still does is given up on, whatever is slow, paused or cut off.
 */
import type { LeaderRecord, Note } from "../front/cluster-view.ts";
import type { Members } from "./leadership.ts";

/** Without having seen a note of its own that is not older, a server does not answer. */
const LEASE_MS = 2500;
/** A server that has left no note for this time is no longer waited for. */
const SILENCE_MS_MAX = 3000;

type Stage = "out" | "entering" | "catching" | "in";

export class Presence {
  readonly #self: { name: string; boot: string };
  readonly #members: Members;
  readonly #puts = new Map<number, number>();
  #stage: Stage = "out";
  /** Up to when all notes of others are known. */
  #knownAt = Number.NEGATIVE_INFINITY;
  /** When the last note of its own that it has seen was put, or the first that says that it is in. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** The first note that says that it is in. */
  #enteredWith = Number.POSITIVE_INFINITY;

  constructor(self: { name: string; boot: string }, members: Members) {
    this.#self = self;
    this.#members = members;
  }

  /** A note with this count is about to be put. Returns what it is to say. */
  putting(count: number, now: number): boolean {
    this.#puts.set(count, now);
    const isIn = this.stage(now) !== "out";
    if (isIn && this.#enteredWith === Number.POSITIVE_INFINITY) {
      this.#enteredWith = count;
      this.#renewedAt = now;
    }
    return isIn;
  }

  hear(notes: ReadonlyMap<string, Note>, now: number): void {
    this.#members.hear(notes, now);
    const own = notes.get(this.#self.name);
    if (own?.boot !== this.#self.boot) return;
    // Whoever was away for too long is out, however much it has seen at once since.
    this.stage(now);
    this.#knownAt = Math.max(this.#knownAt, this.#puts.get(own.count) ?? Number.NEGATIVE_INFINITY);
    this.#renewedAt = Math.max(this.#renewedAt, this.#knownAt);
    for (const count of this.#puts.keys()) if (count < own.count) this.#puts.delete(count);
  }

  stage(now: number): Stage {
    const isOverdue = this.#enteredWith !== Number.POSITIVE_INFINITY && now - this.#renewedAt >= LEASE_MS;
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
    const own = this.#members.note(name);
    if (own === null || own.count < this.#enteredWith) return false;
    const isTold = ({ heard }: Note): boolean => heard[name]?.boot === boot && heard[name].count >= this.#enteredWith;
    if (!this.waitedFor().every((other) => isTold(this.#members.note(other)!))) return false;
    this.#stage = "catching";
    return true;
  }

  /** It shows all that was in the journal when it became known. */
  caughtUp(): void {
    if (this.#stage === "catching") this.#stage = "in";
  }

  /** Whoever else must show something before it is shown here. */
  waitedFor(): string[] {
    const names: string[] = [];
    for (const { name, note, heardAt } of this.#members.heard()) {
      if (name !== this.#self.name && note.isIn && this.#knownAt - heardAt < SILENCE_MS_MAX) names.push(name);
    }
    return names;
  }

  /** Whether it is time to lead in the place of who does, by what is known: whoever stood still has yet to hear of the others. */
  mayReplace(leader: LeaderRecord | null): boolean {
    return this.#members.mayReplace(leader, this.#self, this.#knownAt);
  }
}
