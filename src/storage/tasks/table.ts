/**
 * Every stored task as a row of typed columns, in uid order: what filters look at. Rows say what clients may see now,
 * which can lag behind the store but never runs ahead of it. No I/O, no details.
 */

import { TASK_STATUSES, TASK_TYPES, type TaskStatus, type TaskType } from "../../base/contract/task.ts";
import { firstAtLeast } from "../../base/sorted/binary-search.ts";
import { decodeTaskColumns, decodeTaskHead, type TaskColumns } from "../store/task-record.ts";
import type { TaskFilter, TaskScope } from "./filter.ts";
import type { IndexRenames } from "./results.ts";

const NONE = 0xffffffff;
/** Status of a row whose task was deleted; such rows are squeezed out once they are many. */
const GONE = 255;
const FIRST_ROWS = 1024;

const STATUS_CODES = new Map(TASK_STATUSES.map((status, code) => [status, code]));
const TYPE_CODES = new Map<TaskType, number>(TASK_TYPES.map((type, code) => [type, code]));
const SWAP = TYPE_CODES.get("indexSwap")!;

/** What changes of a row. */
type TaskState = Pick<TaskColumns, "status" | "batchUid" | "canceledBy" | "startedAt" | "finishedAt">;

/** One flag per index name (and none), and one list of swap rows: everything a filter says about indexes. */
interface IndexChoice {
  names: Uint8Array;
  global: boolean;
  swap(uid: number): boolean;
}

export class TaskTable {
  #rows = 0;
  #gone = 0;
  #uid = new Uint32Array(FIRST_ROWS);
  #status = new Uint8Array(FIRST_ROWS);
  #type = new Uint8Array(FIRST_ROWS);
  #index = new Uint32Array(FIRST_ROWS);
  #batch = new Uint32Array(FIRST_ROWS);
  #canceledBy = new Uint32Array(FIRST_ROWS);
  #enqueuedAt = new Float64Array(FIRST_ROWS);
  /** NaN until it happens, so that no date bound matches. */
  #startedAt = new Float64Array(FIRST_ROWS);
  #finishedAt = new Float64Array(FIRST_ROWS);
  readonly #names: string[] = [];
  readonly #nameIds = new Map<string, number>();
  readonly #swaps = new Map<number, readonly string[]>();
  readonly #statusCounts = new Float64Array(TASK_STATUSES.length);

  /** Tasks in the table. */
  get size(): number {
    return this.#rows - this.#gone;
  }

  statusCounts(): Record<TaskStatus, number> {
    return Object.fromEntries(TASK_STATUSES.map((status, code) => [status, this.#statusCounts[code]!])) as Record<
      TaskStatus,
      number
    >;
  }

  typeCounts(): Partial<Record<TaskType, number>> {
    return Object.fromEntries(this.#counted(this.#type, TASK_TYPES));
  }

  indexCounts(): [name: string, tasks: number][] {
    return this.#counted(this.#index, this.#names);
  }

  /** Tasks by their value in a column, of values that any have. There may be a million of them, so they are counted by number. */
  #counted<Name>(column: Uint8Array | Uint32Array, names: readonly Name[]): [Name, number][] {
    const counts = new Uint32Array(names.length);
    for (let row = 0; row < this.#rows; row++) {
      const value = column[row]!;
      if (this.#status[row] !== GONE && value < names.length) counts[value]!++;
    }
    return names.map((name, value): [Name, number] => [name, counts[value]!]).filter(([, tasks]) => tasks > 0);
  }

  /** `swapIndexes`: the indexes of an index swap, which has no index uid of its own. */
  add(task: TaskColumns, swapIndexes: readonly string[] | null = null): void {
    if (this.#rows === this.#uid.length) this.#grow();
    let row = this.#rows++;
    // Uids arrive in order but for rare races between commits.
    while (row > 0 && this.#uid[row - 1]! > task.uid) this.#move(row - 1, row--);
    this.#uid[row] = task.uid;
    this.#type[row] = TYPE_CODES.get(task.type)!;
    this.#index[row] = this.#nameId(task.indexUid);
    this.#enqueuedAt[row] = task.enqueuedAt;
    this.#status[row] = GONE;
    if (swapIndexes !== null) this.#swaps.set(task.uid, swapIndexes);
    this.#setState(row, task);
  }

  /** Takes over the state of a task that started, finished, or went back to waiting. */
  update(uid: number, state: TaskState): void {
    const row = this.#find(uid);
    if (row >= 0) this.#setState(row, state);
  }

  remove(uids: Iterable<number>): void {
    for (const uid of uids) {
      const row = this.#find(uid);
      if (row < 0) continue;
      this.#statusCounts[this.#status[row]!]!--;
      this.#status[row] = GONE;
      this.#swaps.delete(uid);
      this.#gone++;
    }
    if (this.#gone > FIRST_ROWS && this.#gone * 4 > this.#rows) this.#squeeze();
  }

  rename({ below, names }: IndexRenames): void {
    const byId = new Map<number, number>();
    for (const [from, to] of names) {
      const id = this.#nameIds.get(from);
      if (id !== undefined) byId.set(id, this.#nameId(to));
    }
    for (let row = 0; row < this.#rows && this.#uid[row]! < below; row++) {
      const renamed = byId.get(this.#index[row]!);
      if (renamed !== undefined) this.#index[row] = renamed;
    }
    for (const [uid, indexes] of this.#swaps) {
      if (uid < below) this.#swaps.set(uid, [...new Set(indexes.flatMap((name) => namesAfter(name, names)))]);
    }
  }

  has(uid: number): boolean {
    return this.#find(uid) >= 0;
  }

  /** False for one that is not there. */
  isFinished(uid: number): boolean {
    const row = this.#find(uid);
    return row >= 0 && !Number.isNaN(this.#finishedAt[row]);
  }

  columns(uid: number): TaskColumns | null {
    const row = this.#find(uid);
    if (row < 0) return null;
    return {
      uid,
      status: TASK_STATUSES[this.#status[row]!]!,
      type: TASK_TYPES[this.#type[row]!]!,
      indexUid: this.#index[row] === NONE ? null : this.#names[this.#index[row]!]!,
      batchUid: orNull(this.#batch[row]!),
      canceledBy: orNull(this.#canceledBy[row]!),
      enqueuedAt: this.#enqueuedAt[row]!,
      startedAt: Number.isNaN(this.#startedAt[row]) ? null : this.#startedAt[row]!,
      finishedAt: Number.isNaN(this.#finishedAt[row]) ? null : this.#finishedAt[row]!,
    };
  }

  isVisible(uid: number, scope: TaskScope): boolean {
    const row = this.#find(uid);
    if (row < 0) return false;
    if (scope.all) return true;
    if (this.#index[row] !== NONE) return scope.allowsIndex(this.#names[this.#index[row]!]!);
    return this.#swaps.get(uid)?.every((index) => scope.allowsIndex(index)) ?? false;
  }

  /** Calls `visit` for every matching task in uid order; those that are not `listed` only count towards totals. */
  select(filter: TaskFilter, scope: TaskScope, visit: (uid: number, listed: boolean, batchUid: number) => void): void {
    const choice = this.#chooseIndexes(filter, scope);
    const matches = this.#rowTest(filter, choice);
    const visitRow = (row: number) => {
      if (!matches(row)) return;
      // A swap counts for the indexes it names, but pages of one index list that index's own tasks.
      const listed = filter.indexUids === null || this.#index[row] !== NONE;
      visit(this.#uid[row]!, listed, this.#batch[row]!);
    };
    if (filter.uids === null) {
      for (let row = 0; row < this.#rows; row++) visitRow(row);
      return;
    }
    const uids = Uint32Array.from(filter.uids).sort();
    for (let i = 0; i < uids.length; i++) {
      if (i > 0 && uids[i] === uids[i - 1]) continue;
      const row = this.#find(uids[i]!);
      if (row >= 0) visitRow(row);
    }
  }

  /** The oldest finished tasks, at most `max`. */
  oldestFinished(max: number): number[] {
    const found: number[] = [];
    for (let row = 0; row < this.#rows && found.length < max; row++) {
      if (this.#status[row] !== GONE && !Number.isNaN(this.#finishedAt[row])) found.push(this.#uid[row]!);
    }
    return found;
  }

  /** Uids from `from` on, in either direction, without any filter: the common first page costs nothing. */
  *walk(from: number | null, reverse: boolean): Generator<number> {
    if (reverse) {
      for (let row = from === null ? 0 : this.#atLeast(from); row < this.#rows; row++) {
        if (this.#status[row] !== GONE) yield this.#uid[row]!;
      }
      return;
    }
    for (let row = from === null ? this.#rows - 1 : this.#atLeast(from + 1) - 1; row >= 0; row--) {
      if (this.#status[row] !== GONE) yield this.#uid[row]!;
    }
  }

  #rowTest(filter: TaskFilter, choice: IndexChoice): (row: number) => boolean {
    const statuses = mask(filter.statuses, (status) => STATUS_CODES.get(status)!);
    const types = mask(filter.types, (type) => TYPE_CODES.get(type)!);
    const batches = uidSet(filter.batchUids);
    const cancelers = uidSet(filter.canceledBy);
    const enqueued = bounds(filter.afterEnqueuedAt, filter.beforeEnqueuedAt);
    const started = bounds(filter.afterStartedAt, filter.beforeStartedAt);
    const finished = bounds(filter.afterFinishedAt, filter.beforeFinishedAt);
    const [status, type, index, batch] = [this.#status, this.#type, this.#index, this.#batch];
    const [canceledBy, enqueuedAt, startedAt, finishedAt] = [
      this.#canceledBy,
      this.#enqueuedAt,
      this.#startedAt,
      this.#finishedAt,
    ];
    return (row) => {
      const code = status[row]!;
      if (code === GONE || (statuses & (1 << code)) === 0 || (types & (1 << type[row]!)) === 0) return false;
      const name = index[row]!;
      if (name !== NONE) {
        if (choice.names[name] === 0) return false;
      } else if (!choice.global && !(type[row] === SWAP && choice.swap(this.#uid[row]!))) return false;
      if (batches !== null && !batches.has(batch[row]!)) return false;
      if (cancelers !== null && !cancelers.has(canceledBy[row]!)) return false;
      if (enqueued !== null && !(enqueuedAt[row]! > enqueued.after && enqueuedAt[row]! < enqueued.before)) return false;
      if (started !== null && !(startedAt[row]! > started.after && startedAt[row]! < started.before)) return false;
      return finished === null || (finishedAt[row]! > finished.after && finishedAt[row]! < finished.before);
    };
  }

  #chooseIndexes(filter: TaskFilter, scope: TaskScope): IndexChoice {
    const asked = filter.indexUids === null ? null : new Set(filter.indexUids);
    const names = Uint8Array.from(this.#names, (name) =>
      (asked === null || asked.has(name)) && (scope.all || scope.allowsIndex(name)) ? 1 : 0,
    );
    return {
      names,
      global: asked === null && scope.all,
      swap: (uid) => {
        const indexes = this.#swaps.get(uid) ?? [];
        if (asked !== null && !indexes.some((index) => asked.has(index))) return false;
        return scope.all || (indexes.length > 0 && indexes.every((index) => scope.allowsIndex(index)));
      },
    };
  }

  #setState(row: number, state: TaskState): void {
    if (this.#status[row] !== GONE) this.#statusCounts[this.#status[row]!]!--;
    const code = STATUS_CODES.get(state.status)!;
    this.#status[row] = code;
    this.#statusCounts[code]!++;
    this.#batch[row] = state.batchUid ?? NONE;
    this.#canceledBy[row] = state.canceledBy ?? NONE;
    this.#startedAt[row] = state.startedAt ?? Number.NaN;
    this.#finishedAt[row] = state.finishedAt ?? Number.NaN;
  }

  #nameId(name: string | null): number {
    if (name === null) return NONE;
    let id = this.#nameIds.get(name);
    if (id === undefined) {
      id = this.#names.push(name) - 1;
      this.#nameIds.set(name, id);
    }
    return id;
  }

  #find(uid: number): number {
    const row = this.#atLeast(uid);
    return row < this.#rows && this.#uid[row] === uid && this.#status[row] !== GONE ? row : -1;
  }

  /** First row whose uid is not below `uid`. */
  #atLeast(uid: number): number {
    return firstAtLeast(this.#uid, uid, 0, this.#rows);
  }

  #move(from: number, to: number): void {
    for (const column of this.#columns()) column[to] = column[from]!;
  }

  #squeeze(): void {
    const kept = this.#rows - this.#gone;
    // The status column says which rows go, so it is squeezed after all others.
    for (const column of [...this.#columns().filter((one) => one !== this.#status), this.#status]) {
      let place = 0;
      for (let row = 0; row < this.#rows; row++) {
        if (this.#status[row] === GONE) continue;
        column[place++] = column[row]!;
      }
    }
    this.#rows = kept;
    this.#gone = 0;
  }

  #columns() {
    return [
      this.#uid,
      this.#status,
      this.#type,
      this.#index,
      this.#batch,
      this.#canceledBy,
      this.#enqueuedAt,
      this.#startedAt,
      this.#finishedAt,
    ];
  }

  #grow(): void {
    const size = this.#uid.length * 2;
    this.#uid = grown(this.#uid, new Uint32Array(size));
    this.#status = grown(this.#status, new Uint8Array(size));
    this.#type = grown(this.#type, new Uint8Array(size));
    this.#index = grown(this.#index, new Uint32Array(size));
    this.#batch = grown(this.#batch, new Uint32Array(size));
    this.#canceledBy = grown(this.#canceledBy, new Uint32Array(size));
    this.#enqueuedAt = grown(this.#enqueuedAt, new Float64Array(size));
    this.#startedAt = grown(this.#startedAt, new Float64Array(size));
    this.#finishedAt = grown(this.#finishedAt, new Float64Array(size));
  }
}

function grown<A extends Uint8Array | Uint32Array | Float64Array>(column: A, larger: A): A {
  larger.set(column);
  return larger;
}

function mask<T>(values: readonly T[] | null, code: (value: T) => number): number {
  return values === null ? -1 : values.reduce((bits, value) => bits | (1 << code(value)), 0);
}

/** The largest uid a client can write stands for "none" in the columns and must not match it. */
function uidSet(uids: readonly number[] | null): Set<number> | null {
  return uids === null ? null : new Set(uids.filter((uid) => uid !== NONE));
}

function bounds(after: number | null, before: number | null): { after: number; before: number } | null {
  if (after === null && before === null) return null;
  return { after: after ?? Number.NEGATIVE_INFINITY, before: before ?? Number.POSITIVE_INFINITY };
}

function orNull(value: number): number | null {
  return value === NONE ? null : value;
}

/** Where a swap counts that named an index: a name that only went away, and took none in exchange, still counts. */
function namesAfter(name: string, names: ReadonlyMap<string, string>): string[] {
  const other = names.get(name);
  if (other === undefined) return [name];
  return names.get(other) === name ? [other] : [name, other];
}

/** What the table has of a stored task, and the indexes of a swap. */
export function rowOf(bytes: Uint8Array, uid: number): [TaskColumns, string[] | null] {
  const columns = decodeTaskColumns(bytes, uid);
  if (columns.type !== "indexSwap") return [columns, null];
  const swaps = (decodeTaskHead(bytes, uid).details?.["swaps"] ?? []) as { indexes: string[] }[];
  return [columns, swaps.flatMap((swap) => swap.indexes)];
}
