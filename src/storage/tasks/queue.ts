/**
 * Which tasks run next, on the writer's side: the order of precedence between kinds of tasks, and batches cut from the
 * enqueued tasks of one index. Keeps a few words per task and reads whole records only for the batch it hands out.
 * Never runs or stores anything.
 */

import { TASK_TYPES, type TaskRecord, type TaskType } from "../../base/contract/task.ts";
import { type BatchLimits, type BatchStep, type Grouping, groupSteps } from "./autobatch.ts";
import type { AloneKind, Batch, IndexInfo } from "./batch.ts";
import { operationOf, TYPES } from "./types.ts";

interface Entry extends BatchStep {
  indexUid: string | null;
  /** Names whose lines hold this entry. */
  touches: ReadonlySet<string>;
  done: boolean;
}

/** Entries in uid order. Finished ones leave lazily, from the front. */
class Line {
  #entries: Entry[] = [];
  #head = 0;

  add(entry: Entry): void {
    let place = this.#entries.length;
    while (place > this.#head && this.#entries[place - 1]!.uid > entry.uid) place--;
    if (place === this.#entries.length) this.#entries.push(entry);
    else this.#entries.splice(place, 0, entry);
  }

  oldest(): Entry | null {
    while (this.#head < this.#entries.length && this.#entries[this.#head]!.done) this.#head++;
    if (this.#head > 1024 && this.#head * 2 > this.#entries.length) {
      this.#entries.splice(0, this.#head);
      this.#head = 0;
    }
    return this.#entries[this.#head] ?? null;
  }

  newest(): Entry | null {
    for (let i = this.#entries.length - 1; i >= this.#head; i--) {
      if (!this.#entries[i]!.done) return this.#entries[i]!;
    }
    return null;
  }

  *all(): Generator<Entry> {
    this.oldest();
    for (let i = this.#head; i < this.#entries.length; i++) {
      if (!this.#entries[i]!.done) yield this.#entries[i]!;
    }
  }
}

type HeldIndexes = Pick<ReadonlySet<string>, "has" | "size">;

const NONE_HELD: HeldIndexes = new Set<string>();
const NONE_UNDER_WAY: ReadonlySet<number> = new Set();

/** Types that go before any index, in this order. */
const FIRST = TASK_TYPES.flatMap((type) => {
  const { waits } = TYPES[type];
  return waits.line === "first" ? [{ type, ...waits }] : [];
}).sort((left, right) => left.precedence - right.precedence);

export class TaskQueue {
  readonly #load: (uid: number) => TaskRecord;
  readonly #limits: BatchLimits;
  readonly #entries = new Map<number, Entry>();
  readonly #first = new Map<TaskType, Line>();
  readonly #others = new Line();
  readonly #byIndex = new Map<string, Line>();
  readonly #searchRules = new Line();
  /** By index: uids that no batch reaches beyond, the nearest one last. */
  readonly #ends = new Map<string, number[]>();
  /** Matched uids of enqueued cancelations, to know at once whether one aims at the running batch. */
  readonly #aims = new Map<number, ReadonlySet<number>>();

  /** `load` reads the record of a pending task. */
  constructor(load: (uid: number) => TaskRecord, limits: BatchLimits) {
    this.#load = load;
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(uid: number): boolean {
    return this.#entries.has(uid);
  }

  add(records: Iterable<TaskRecord>): void {
    for (const record of records) this.#addOne(record);
  }

  #addOne(record: TaskRecord): void {
    if (this.#entries.has(record.uid)) return;
    const entry = entryOf(record);
    this.#entries.set(entry.uid, entry);
    if (record.content.type === "taskCancelation") this.#aims.set(record.uid, new Set(record.content.matchedUids));
    const { line } = TYPES[entry.type].waits;
    if (line === "first") {
      lineOf(this.#first, entry.type).add(entry);
      return;
    }
    this.#others.add(entry);
    if (line === "searchRules") this.#searchRules.add(entry);
    for (const uid of entry.touches) lineOf(this.#byIndex, uid).add(entry);
  }

  /** Finished or canceled tasks leave; tasks of an aborted batch simply stay. */
  remove(uids: Iterable<number>): void {
    const touched = new Set<string>();
    for (const uid of uids) {
      const entry = this.#entries.get(uid);
      if (entry === undefined) continue;
      entry.done = true;
      this.#entries.delete(uid);
      this.#aims.delete(uid);
      for (const index of entry.touches) touched.add(index);
    }
    for (const index of touched) {
      if (this.#byIndex.get(index)?.oldest() === null) this.#byIndex.delete(index);
    }
  }

  /**
   * A batch failed and one of its tasks may be to blame: they are to run in two batches, one after the other. Divided
   * again and again, n tasks of which one is bad take no more than 2 log n batches, and all of them bad 2 n.
   */
  divide({ indexUid, tasks }: Pick<Extract<Batch, { kind: "documents" }>, "indexUid" | "tasks">): void {
    if (tasks.length < 2) throw new Error("one task cannot be divided");
    const ends = this.#ends.get(indexUid) ?? [];
    ends.push(tasks.at(-1)!.uid, tasks[Math.floor(tasks.length / 2) - 1]!.uid);
    this.#ends.set(indexUid, ends);
  }

  /** Whether an enqueued cancelation wants one of these tasks, so that the batch running them must stop. */
  isAimedAt(tasks: readonly Pick<TaskRecord, "uid">[]): boolean {
    if (this.#aims.size === 0) return false;
    for (const { uid } of tasks) {
      for (const aim of this.#aims.values()) if (aim.has(uid)) return true;
    }
    return false;
  }

  /**
   * The batch to run now, or null when nothing is enqueued that may run. Asking again gives the same until tasks are removed.
   * `held`: indexes that a batch works on already. Their tasks wait, and so do those that come after them on other indexes,
   * since a swap or a rename may lie between. `underWay`: tasks of other kinds that a batch works on, and those behind them wait.
   */
  next(indexes: IndexInfo, held: HeldIndexes = NONE_HELD, underWay = NONE_UNDER_WAY): Batch | null {
    for (const rule of FIRST) {
      const line = this.#first.get(rule.type);
      const oldest = line?.oldest();
      if (line === undefined || oldest == null || underWay.has(oldest.uid)) continue;
      if (oldest.indexUid !== null && held.has(oldest.indexUid)) continue;
      const entries =
        rule.take === "all" ? [...line.all()] : rule.take === "newest" ? [line.newest() ?? oldest] : [oldest];
      return this.#fixedBatch(rule.kind, entries);
    }
    const oldest = held.size === 0 ? this.#others.oldest() : this.#oldestBut(held);
    if (oldest === null) return null;
    const { line } = TYPES[oldest.type].waits;
    if (line === "swaps") return this.#fixedBatch("indexSwap", [oldest]);
    if (line === "searchRules") return this.#fixedBatch("searchRules", [...this.#searchRules.all()]);
    return this.#indexBatch(oldest.indexUid!, indexes);
  }

  /** The oldest of those that come first on every index that they touch, when none of these is held. */
  #oldestBut(held: HeldIndexes): Entry | null {
    let found = this.#searchRules.oldest();
    for (const [uid, line] of this.#byIndex) {
      const entry = held.has(uid) ? null : line.oldest();
      if (entry === null || (found !== null && found.uid < entry.uid)) continue;
      const isFirst = (index: string): boolean => !held.has(index) && this.#byIndex.get(index)!.oldest() === entry;
      if ([...entry.touches].every(isFirst)) found = entry;
    }
    return found;
  }

  #fixedBatch(kind: Batch["kind"], entries: Entry[]): Batch {
    const tasks = this.#records(entries);
    const type = entries[0]!.type;
    const together = kind === "taskDeletions" || kind === "snapshots" || kind === "searchRules";
    const strategy = together
      ? `stopped after the last task of type \`${type}\` because they cannot be batched with tasks of any other type.`
      : `stopped after task ${entries.at(-1)!.uid} because tasks of type \`${type}\` run alone.`;
    if (kind === "indexCompaction") return { kind, tasks, strategy, indexUid: tasks[0]!.indexUid! };
    return { kind, tasks, strategy } as Batch;
  }

  #indexBatch(indexUid: string, indexes: IndexInfo): Batch {
    const line = this.#byIndex.get(indexUid)!;
    const end = this.#endOf(indexUid, line.oldest()!.uid);
    const state = { exists: indexes.exists(indexUid), primaryKey: indexes.primaryKey(indexUid) };
    const grouping = groupSteps(upTo(end, line.all()), state, this.#limits);
    const entries: Entry[] = [];
    for (const entry of line.all()) {
      if (entries.length === grouping.length) break;
      entries.push(entry);
    }
    const strategy = end === null ? this.#strategy(grouping, indexUid) : (grouping.strategy ?? divided(end));
    return batchOf(indexUid, this.#records(entries), grouping, strategy);
  }

  /** Null when nothing bounds the batch that begins with this task. */
  #endOf(indexUid: string, first: number): number | null {
    const ends = this.#ends.get(indexUid);
    if (ends === undefined) return null;
    while (ends.length > 0 && ends.at(-1)! < first) ends.pop();
    if (ends.length === 0) this.#ends.delete(indexUid);
    return ends.at(-1) ?? null;
  }

  #strategy(grouping: Grouping, indexUid: string): string {
    if (grouping.strategy !== null) return grouping.strategy;
    return grouping.length === this.#entries.size
      ? "batched all enqueued tasks."
      : `batched all enqueued tasks of index \`${indexUid}\`.`;
  }

  #records(entries: Entry[]): TaskRecord[] {
    return entries.map((entry) => this.#load(entry.uid));
  }
}

function* upTo(end: number | null, entries: Iterable<Entry>): Generator<Entry> {
  for (const entry of entries) {
    if (end !== null && entry.uid > end) return;
    yield entry;
  }
}

function divided(end: number): string {
  return `stopped after task ${end} because a larger batch failed and one of its tasks may be to blame.`;
}

function batchOf(indexUid: string, tasks: TaskRecord[], grouping: Grouping, strategy: string): Batch {
  const { kind, primaryKey, allowIndexCreation } = grouping;
  switch (kind) {
    case "documents":
      return { kind, indexUid, tasks, strategy, primaryKey, allowIndexCreation, onlyDeletions: false };
    case "deletions":
      return {
        kind: "documents",
        indexUid,
        tasks,
        strategy,
        primaryKey: null,
        allowIndexCreation: false,
        onlyDeletions: true,
      };
    case "alone":
      return { kind: aloneKind(tasks[0]!.content.type), indexUid, tasks, strategy };
    case "clear":
    case "settings":
    case "clearAndSettings":
    case "indexDeletion":
      return { kind, indexUid, tasks, strategy, allowIndexCreation };
  }
}

function aloneKind(type: TaskType): AloneKind {
  const { waits } = TYPES[type];
  if ("alone" in waits) return waits.alone;
  throw new Error(`Tasks of type ${type} do not run alone.`);
}

function lineOf<K>(lines: Map<K, Line>, key: K): Line {
  let line = lines.get(key);
  if (line === undefined) {
    line = new Line();
    lines.set(key, line);
  }
  return line;
}

/** A swap or a rename changes what a name means, so no batch of either name may reach across it. */
function indexesTouched(record: TaskRecord): Set<string> {
  const touched = new Set<string>();
  if (record.indexUid !== null) touched.add(record.indexUid);
  const { content } = record;
  if (content.type === "indexSwap") for (const swap of content.swaps) for (const uid of swap.indexes) touched.add(uid);
  if (content.type === "indexUpdate" && content.newIndexUid !== null) touched.add(content.newIndexUid);
  return touched;
}

function entryOf(record: TaskRecord): Entry {
  const { content } = record;
  return {
    uid: record.uid,
    type: content.type,
    indexUid: record.indexUid,
    operation: operationOf(content),
    primaryKey: content.type === "documentAdditionOrUpdate" ? content.primaryKey : null,
    allowIndexCreation:
      (content.type === "documentAdditionOrUpdate" || content.type === "settingsUpdate") && content.allowIndexCreation,
    payloadBytes: content.type === "documentAdditionOrUpdate" ? content.payload.bytes : 0,
    touches: indexesTouched(record),
    done: false,
  };
}
