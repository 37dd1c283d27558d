/**
 * Commits of a store that has a journal in common with those of other servers. Every transaction is a record there first and
 * is then made here, in the order of the journal: those of this server, and those of the others as they come.
 *
 *   gather → append under the next number ─ appended → commit with the mark of that number → done
 *                                         └ taken    → commit what others have written, gather again
 *
 * Once it is appended it has happened, whatever the disk says here: it is tried until it is made. A server that ends in
 * between finds it in the journal when it starts. While one is committed here, the next one may be on its way to the journal.
 */
import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { Pace } from "../../base/time/pace.ts";
import { type Journal, LostRecords, TrimmedRecord } from "../journal/journal.ts";
import { Company } from "./company.ts";
import type { Change } from "./environment.ts";
import { StoreFault, StoreOpening } from "./fault.ts";
import { changedThing, type JournalRun, type Mark, readRun, runOf, StrayRecord } from "./journal-run.ts";
import type { SharedHost } from "./shared-host.ts";
import { encodeTransaction, ID_BYTES } from "./transaction.ts";

/** The tables below. */
interface MarkedTables {
  mark(): Mark;
  /** All of it and the mark, or nothing. */
  commit(changes: readonly Change[], mark: Mark): Promise<void>;
}

interface SharedOptions {
  /** After so long without the journal writers are told that it cannot be written to. */
  waitMsMax?: number;
  pauseMs?: number;
}

export interface AddOptions {
  /** What it was decided upon has been read already: refused when another server has changed the same records meanwhile. */
  isDecided?: boolean;
  /** Waits for as long as it takes. */
  isPatient?: boolean;
  /** Why it may not be written, asked when its turn has come. */
  refusal?: () => StoreFault | null;
}

interface Waiting extends AddOptions {
  changes(): readonly Change[];
  since: number;
  isSettled: boolean;
  settle(problem: unknown): void;
}

const WAIT_MS_MAX = 10_000;
const PAUSE_MS = 100;
/** Of the id of a transaction. */
const COUNT_BYTES = 6;
/** Of changes that others have written: what a transaction costs is shared by many, and what a later record replaces is never stored. */
const FOLLOWING = { doneAMs: 8, msMax: 32 };

export class SharedCommits {
  readonly #journal: Journal;
  readonly #tables: MarkedTables;
  readonly #host: SharedHost;
  readonly #waitMsMax: number;
  readonly #pauseMs: number;
  readonly #waiting: Waiting[] = [];
  /** Of the last record that is in the tables. */
  #mark: Mark;
  /** Of the last record of the journal that is known here: the same, or that of a record of its own that is being made. */
  #head: Mark;
  #making: Promise<void> = Promise.resolve();
  readonly #reaching = new Map<() => void, number>();
  #mayBeMore = true;
  #wake: (() => void) | null = null;
  readonly #id = randomBytes(ID_BYTES);
  /** Records that were to be appended. */
  #written = 0;
  #refused = 0;
  #isStopped = false;
  #running: Promise<void> | null = null;
  #committing: Promise<unknown> = Promise.resolve();
  readonly #pace = new Pace(FOLLOWING);
  readonly #company = new Company();

  constructor(journal: Journal, tables: MarkedTables, host: SharedHost, options: SharedOptions = {}) {
    this.#journal = journal;
    this.#tables = tables;
    this.#host = host;
    this.#waitMsMax = options.waitMsMax ?? WAIT_MS_MAX;
    this.#pauseMs = options.pauseMs ?? PAUSE_MS;
    this.#mark = tables.mark();
    this.#head = this.#mark;
  }

  /** Records whose number another server was given first. */
  get refused(): number {
    return this.#refused;
  }

  get mark(): Mark {
    return this.#mark;
  }

  /** Follows the journal from now on, and writes to it. */
  start(): void {
    this.#journal.onNews(this.#mark.number, () => {
      this.#mayBeMore = true;
      this.#company.disperse();
      this.#wake?.();
    });
    this.#running = this.#run();
  }

  add(changes: () => readonly Change[], options: AddOptions = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        ...options,
        changes,
        since: performance.now(),
        isSettled: false,
        settle(problem) {
          if (waiting.isSettled) return;
          waiting.isSettled = true;
          if (problem === null) resolve();
          else reject(problem);
        },
      };
      if (this.#isStopped) waiting.settle(unreachable(this.#journal.place));
      this.#waiting.push(waiting);
      this.#company.joined();
      this.#pace.hurry();
      this.#wake?.();
    });
  }

  /** Resolves when the record of this number is in the tables. */
  async reached(number: number): Promise<void> {
    if (this.#mark.number >= number) return;
    this.#mayBeMore = true;
    this.#pace.hurry();
    this.#wake?.();
    await new Promise<void>((resolve) => this.#reaching.set(resolve, number));
  }

  /** Resolves when nothing is being written to the tables. */
  async idle(): Promise<void> {
    await this.#committing;
  }

  /** What is appended by then is in the tables, or will be at the next start; the rest is refused. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#company.disperse();
    this.#pace.hurry();
    this.#wake?.();
    await this.#running;
    await this.#making;
    for (const waiting of this.#waiting.splice(0)) waiting.settle(unreachable(this.#journal.place));
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      if (this.#mayBeMore) await this.#readOn();
      else if (this.#waiting.length > 0) await this.#writeNext();
      else await this.#rest();
    }
  }

  async #rest(): Promise<void> {
    await new Promise<void>((resume) => {
      this.#wake = resume;
    });
    this.#wake = null;
  }

  /** Makes the changes of the next records, if there are any. */
  async #readOn(): Promise<void> {
    if (this.#waiting.length === 0 && this.#reaching.size === 0) await this.#pace.turn();
    this.#mayBeMore = false;
    try {
      const run = await readRun(this.#journal, this.#head);
      if (run === null) return;
      await this.#making;
      await this.#follow(run);
      if (run.isAtEnd && this.#mark.number === run.mark.number) return;
    } catch (problem) {
      if (isTheEnd(problem)) this.#lose(problem);
      else await this.#pause(problem);
    }
    this.#mayBeMore = true;
  }

  async #follow(run: JournalRun): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#host.prepare(run.changes);
        break;
      } catch (problem) {
        await this.#pause(problem);
      }
    }
    await this.#make(run, false, () => this.#host.placed(run.changes));
    this.#head = this.#mark;
    // Who is behind takes no longer than it must.
    if (run.isAtEnd) this.#pace.made(run.changes.length);
    // Afterwards: until now others may have decided upon what was there before.
    this.#refuseStale(run.changes);
  }

  /** Those who come in one turn share a record: also what has arrived and was not looked at yet when the one before it is appended. */
  async #writeNext(): Promise<void> {
    await new Promise((resume) => setImmediate(resume));
    await this.#company.gathered(this.#waiting.length);
    // What others have written meanwhile comes first.
    if (!this.#mayBeMore && !this.#isStopped) await this.#write();
  }

  async #write(): Promise<void> {
    const { group, changes } = this.#take();
    if (changes.length === 0) {
      // Whoever changes nothing wants to know that what was before is made.
      await this.#making;
      for (const waiting of group) waiting.settle(null);
      return;
    }
    const number = this.#head.number + 1;
    const record = encodeTransaction({ before: this.#head.hash, id: this.#nextId(), changes });
    const begin = performance.now();
    const outcome = await this.#append(number, record, group);
    if (outcome === "appended") {
      this.#company.appended(group.length, this.#waiting.length, performance.now() - begin);
      const run = runOf(number, record, changes);
      this.#head = run.mark;
      this.#host.placed(changes);
      // No more than one is made while the next is on its way.
      await this.#making;
      this.#making = this.#finish(run, group);
      return;
    }
    if (outcome === "taken") this.#refused++;
    this.#waiting.unshift(...group.filter(({ isSettled }) => !isSettled));
    this.#host.regather();
    this.#mayBeMore = true;
  }

  /** No other transaction has it: no other process begins with the same bytes, and this one counts. */
  #nextId(): Buffer {
    this.#id.writeUIntBE(++this.#written, ID_BYTES - COUNT_BYTES, COUNT_BYTES);
    return this.#id;
  }

  /** Makes what has been appended, and tells those who wait for it. */
  async #finish(run: JournalRun, group: readonly Waiting[]): Promise<void> {
    await this.#make(
      run,
      group.every(({ isSettled }) => !isSettled),
    );
    const isMade = this.#mark.number >= run.mark.number;
    for (const waiting of group) waiting.settle(isMade ? null : unreachable(this.#journal.place, "unknown"));
  }

  /** `uncertain` when nobody waits for it any more; it may still turn up in the journal. */
  async #append(number: number, record: Uint8Array, group: Waiting[]): Promise<"appended" | "taken" | "uncertain"> {
    while (!this.#isStopped) {
      try {
        if ((await this.#journal.append(number, record)) === "appended") return "appended";
        // An attempt that seemed to fail may have been the one that took it.
        const there = await this.#journal.read(number);
        if (there === null)
          throw new Error(`record ${number} of ${this.#journal.place} is there and cannot be read yet`);
        return Buffer.from(there).equals(record) ? "appended" : "taken";
      } catch (problem) {
        if (isTheEnd(problem)) return "taken";
        await this.#pause(problem, group);
        if (group.every(({ isSettled }) => isSettled)) return "uncertain";
      }
    }
    return "uncertain";
  }

  async #make({ records, changes, mark }: JournalRun, isOwn: boolean, made = (): void => {}): Promise<void> {
    while (!this.#isStopped && this.#mark.number < mark.number) {
      try {
        this.#host.storing(changes);
        const commit = this.#tables.commit(changes, mark);
        this.#committing = commit.catch(() => {});
        await commit;
        this.#mark = mark;
      } catch (problem) {
        if (problem instanceof StoreFault && problem.kind === "fenced") {
          this.#lose(problem);
          return;
        }
        if (problem instanceof StoreOpening) await Promise.race([problem.opened, setTimeout(this.#pauseMs)]);
        else await this.#pause(problem);
        this.#rereadMark();
      }
    }
    if (this.#mark.number !== mark.number) return;
    made();
    this.#host.applied(records.map(({ number, changes: made }) => ({ number, changes: made, isOwn })));
    for (const [resolve, wanted] of this.#reaching) {
      if (wanted > mark.number) continue;
      this.#reaching.delete(resolve);
      resolve();
    }
  }

  /** A commit of which nobody knew whether it was there may be. */
  #rereadMark(): void {
    try {
      this.#mark = this.#tables.mark();
    } catch {
      // The store is being opened anew.
    }
  }

  #take(): { group: Waiting[]; changes: Change[] } {
    const group: Waiting[] = [];
    const changes: Change[] = [];
    let bytes = 0;
    while (this.#waiting.length > 0 && bytes < this.#journal.recordBytes) {
      const waiting = this.#waiting.shift()!;
      if (waiting.isSettled) continue;
      const refusal = waiting.refusal?.() ?? null;
      if (refusal !== null) {
        waiting.settle(refusal);
        continue;
      }
      try {
        for (const change of waiting.changes()) {
          changes.push(change);
          bytes += change.value?.byteLength ?? 0;
        }
        group.push(waiting);
      } catch (problem) {
        waiting.settle(problem);
      }
    }
    return { group, changes };
  }

  #refuseStale(changes: readonly Change[]): void {
    if (this.#waiting.length === 0) return;
    const changed = new Set(changes.map(changedThing));
    for (const waiting of this.#waiting) {
      if (waiting.isDecided !== true) continue;
      if (waiting.changes().some((change) => changed.has(changedThing(change)))) {
        waiting.settle(
          new StoreFault("refused", "ECONFLICT", "another server has changed the same at the same moment"),
        );
      }
    }
  }

  /** Meanwhile, whoever has waited for too long is told. */
  async #pause(problem: unknown, underWay: readonly Waiting[] = []): Promise<void> {
    this.#host.onTrouble(problem as Error);
    const now = performance.now();
    for (const waiting of [...underWay, ...this.#waiting]) {
      if (waiting.isPatient === true || now - waiting.since < this.#waitMsMax) continue;
      waiting.settle(unreachable(this.#journal.place, underWay.includes(waiting) ? "unknown" : "refused"));
    }
    await setTimeout(this.#pauseMs);
  }

  #lose(problem: Error): void {
    this.#isStopped = true;
    for (const waiting of this.#waiting.splice(0)) waiting.settle(problem);
    this.#host.onLost(problem);
  }
}

/** Whether the journal has nothing any more for a server that is where this one is. */
function isTheEnd(problem: unknown): problem is Error {
  return problem instanceof TrimmedRecord || problem instanceof LostRecords || problem instanceof StrayRecord;
}

function unreachable(place: string, kind: "refused" | "unknown" = "refused"): StoreFault {
  return new StoreFault(kind, "EJOURNAL", `the journal ${place} cannot be written to`);
}
