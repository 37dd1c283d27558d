/**
 * Who is there, how far each is, and what may be told of tasks by now. Leaves notes on the board, reads those of the others, and
 * takes the lead when nobody has it. How far this server is, is told as it changes; notes say it again, now and then.
 */
import type { Board, Sight } from "../../storage/journal/board.ts";
import type { Journal } from "../../storage/journal/journal.ts";
import type { LeaderRecord, Member, Note, Progress, RunningBatch } from "../front/cluster-view.ts";
import { Presence } from "./presence.ts";
import { ShownRecords } from "./shown-records.ts";

interface AttendanceParts {
  name: string;
  boot: string;
  version: string;
  /** Whether what came of a task is told only when every server shows it. */
  waitsForAll: boolean;
  board: Board;
  journal: Pick<Journal, "last">;
  /** Number of the last record that is stored here. */
  applied(): number;
  leader(): LeaderRecord | null;
  /** What this server runs, where it leads. */
  running(): RunningBatch[];
  /** Leads, unless another server has led since the one that is named. */
  claim(judged: LeaderRecord | null): Promise<void>;
  /** With every note that this server leaves, once it has read those of the others. */
  onHeard(): void;
  onTrouble(problem: Error): void;
}

const BEAT_MS = 500;
/** Least time between two messages about how far this server is. */
const TELL_MS = 4;
/** A server that is no further behind may ask to be waited for. */
const BEHIND_MAX = 64;
/** A server that is behind and makes no progress for this time is no longer waited for. */
const STUCK_MS = 10_000;
/** Longest wait of a request for a server that is not ready for it. */
export const READY_MS_MAX = 5000;

export class Attendance {
  readonly records = new ShownRecords();
  readonly #parts: AttendanceParts;
  readonly #presence: Presence;
  /** What was told last by others of how far they are. */
  readonly #told = new Map<string, { boot: string; shown: number }>();
  readonly #waiting = new Set<() => void>();
  #url: string | null = null;
  #beats = 0;
  #beating: NodeJS.Timeout | null = null;
  #isStopped = false;
  /** Whether the writer thread shows what was stored when this server started. */
  #isOpen = false;
  #telling: NodeJS.Timeout | null = null;
  #toldShown = 0;
  /** Since when it shows what it shows. */
  #progressed = { shown: 0, at: 0 };
  /** The end of the journal when this server became known to all, and how often it was asked for. */
  #target: number | null = null;
  #asked = 0;
  /** Whether it was ready at least once. */
  #wasIn = false;

  constructor(parts: AttendanceParts) {
    const { name, boot } = parts;
    this.#parts = parts;
    this.#presence = new Presence({ name, boot }, parts.board.places);
  }

  get progress(): Progress {
    const applied = this.#parts.applied();
    let last = applied;
    const { sightings } = this.#presence;
    for (const name of sightings.names()) last = Math.max(last, sightings.latest(name)!.note.applied);
    return { applied, shown: this.records.shown, last };
  }

  /** Whether it is neither behind nor cut off. */
  get isWell(): boolean {
    return this.#presence.mayAnswer(performance.now());
  }

  /** Where servers wait for each other, one that is not waited for may not answer: it might not have what others show. */
  get mayAnswer(): boolean {
    return this.isWell || (this.#wasIn && !this.#parts.waitsForAll);
  }

  members(): Member[] {
    return this.#presence.members.all(performance.now());
  }

  start(): void {
    this.#parts.board.onSight((sight) => this.#see(sight));
    this.#parts.board.onGone((place, moment) => this.#presence.miss(place, moment, performance.now()));
    this.#parts.board.onNews((name, news) => this.#hear(name, news));
    this.#beating = setInterval(() => void this.beat(), BEAT_MS);
    void this.beat();
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#beating !== null) clearInterval(this.#beating);
    if (this.#telling !== null) clearTimeout(this.#telling);
    for (const resume of this.#waiting) resume();
  }

  /** What was stored is shown: from now on this server can become one that answers. */
  opened(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    void this.beat();
  }

  /** From now on others reach this server there. */
  onListening(url: string): void {
    this.#url = url;
    void this.beat();
  }

  /** Leaves a note, reads those of the others, and leads when nobody else does. */
  async beat(): Promise<void> {
    if (this.#isStopped) return;
    const { board, onTrouble, leader, claim } = this.#parts;
    this.#mindStanding();
    try {
      await board.put(this.#parts.name, JSON.stringify(this.#note()));
      this.#parts.onHeard();
      const judged = leader();
      if (!this.#isStopped && this.#presence.mayReplace(judged)) await claim(judged);
    } catch (problem) {
      onTrouble(problem as Error);
    }
  }

  /** Something more is shown here, or may be told. */
  progressed(): void {
    const { shown } = this.records;
    if (shown !== this.#progressed.shown) this.#progressed = { shown, at: performance.now() };
    if (this.#mustTell && this.#telling === null) this.#tell();
    this.#advance();
  }

  /** Resolves with whether reads that see this record may be answered; not before they may, within a bound. */
  async ready(number: number): Promise<boolean> {
    const end = performance.now() + READY_MS_MAX;
    const isReady = (): boolean => this.mayAnswer && this.records.shown >= number;
    while (!isReady() && !this.#isStopped) {
      const leftMs = end - performance.now();
      if (leftMs <= 0) return false;
      await new Promise<void>((resolve) => {
        const resume = (): void => {
          clearTimeout(timer);
          this.#waiting.delete(resume);
          resolve();
        };
        const timer = setTimeout(resume, leftMs);
        this.#waiting.add(resume);
      });
    }
    return isReady();
  }

  #note(): Note {
    const { boot, version, applied } = this.#parts;
    const now = performance.now();
    const heard: Note["heard"] = {};
    const { sightings } = this.#presence;
    for (const name of sightings.names()) {
      const seen = sightings.seenByMost(name);
      if (seen !== null) heard[name] = seen;
    }
    const count = ++this.#beats;
    const isIn = this.#presence.putting(count, now);
    const { shown } = this.records;
    const running = this.#parts.running();
    const told = running.length > 0 ? { running } : {};
    return { boot, count, applied: applied(), shown, isIn, heard, url: this.#url, version, at: Date.now(), ...told };
  }

  #see({ place, notes, isNew, ageMs }: Sight): void {
    if (this.#isStopped) return;
    const before = new Set(this.#presence.waitedFor());
    this.#presence.see(place, parsed(notes), performance.now(), { isNew, ageMs });
    // One that has come waits until it is known here.
    if (this.#presence.waitedFor().some((name) => !before.has(name))) void this.beat();
    void this.#enter();
    this.#advance();
  }

  /** Another server shows more. */
  #hear(name: string, news: string): void {
    if (name === this.#parts.name || this.#isStopped) return;
    this.#told.set(name, JSON.parse(news) as { boot: string; shown: number });
    this.#advance();
  }

  /** Out when it is stuck, and about to be in when it is about as far as the journal. */
  #mindStanding(): void {
    const now = performance.now();
    const { shown, last } = this.progress;
    const isStuck = shown < last && now - this.#progressed.at > STUCK_MS && shown === this.#progressed.shown;
    if (isStuck) this.#presence.leave();
    else if (this.#isOpen && last - shown <= BEHIND_MAX) this.#presence.enter();
  }

  async #enter(): Promise<void> {
    if (!this.#presence.isKnown(performance.now())) return;
    // One from before it was out the last time is too early.
    const asked = ++this.#asked;
    this.#target = null;
    try {
      const target = await this.#parts.journal.last();
      if (asked !== this.#asked) return;
      this.#target = target;
      this.#advance();
    } catch (problem) {
      // Nobody would ask again: it begins anew.
      if (asked === this.#asked) this.#presence.leave();
      this.#parts.onTrouble(problem as Error);
    }
  }

  /** Tells what every server shows by now, and answers who has waited for it. */
  #advance(): void {
    const { records } = this;
    if (this.#target !== null && records.shown >= this.#target) {
      this.#target = null;
      this.#presence.caughtUp();
    }
    this.#wasIn ||= this.isWell;
    if (this.mayAnswer) records.release(this.#parts.waitsForAll ? this.#shownByAll() : records.shown);
    for (const resume of [...this.#waiting]) resume();
  }

  #shownByAll(): number {
    return this.#presence.shownByAll(this.records.shown, (name, boot) => {
      const told = this.#told.get(name);
      return told?.boot === boot ? told.shown : 0;
    });
  }

  #tell(): void {
    const { name, boot, board } = this.#parts;
    this.#toldShown = this.records.shown;
    board.tell(name, JSON.stringify({ boot, shown: this.#toldShown }));
    this.#telling = setTimeout(() => {
      this.#telling = null;
      if (this.#mustTell && !this.#isStopped) this.#tell();
    }, TELL_MS);
  }

  /** What nobody waits for is told with the next note. */
  get #mustTell(): boolean {
    return this.records.awaited > this.#toldShown;
  }
}

function parsed(notes: ReadonlyMap<string, string>): Map<string, Note> {
  return new Map([...notes].map(([name, note]) => [name, JSON.parse(note) as Note]));
}
