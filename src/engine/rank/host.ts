/** What compiled search leaves to its host: time, sorting by fields and by distance, values that are shown once. */

import type { SearchHost } from "../../base/kernels/search/kernels.ts";
import type { IndexView } from "../../storage/index/view.ts";
import type { Workspace } from "../../storage/memory/workspace.ts";
import { Bitmap } from "../../storage/segment/bitmap.ts";
import { type Deadline, TimeIsUp } from "../query/deadline.ts";
import { RowSpaces } from "../query/row-sets.ts";
import type { Vocabulary } from "../query/vocabulary.ts";
import type { Sorting } from "./context.ts";
import type { Distinct } from "./distinct.ts";
import { Documents, type RowList } from "./documents.ts";
import { GeoSort } from "./geo.ts";
import { chosenPaths, type Interpretations } from "./reading.ts";
import type { RankDetail } from "./result.ts";
import type { RuleName } from "./rule-table.ts";
import { FieldSort } from "./sort.ts";

/** Sorting by values does not look at how the query is read. */
const NO_PATHS: Interpretations = chosenPaths([]);

export class Host implements SearchHost {
  /** What there is to say about documents sorted by values. */
  readonly details: RankDetail[] = [];
  /** By segment: documents that were shown, of which others with the same value are left out. */
  readonly shown: readonly Bitmap[];
  readonly #view: IndexView;
  readonly #vocabulary: Vocabulary;
  readonly #workspace: Workspace;
  readonly #ranking: readonly RuleName[];
  readonly clock: Deadline;
  readonly #distinct: Distinct | null;
  readonly #sortings: Sorting[] = [];

  constructor(
    view: IndexView,
    vocabulary: Vocabulary,
    workspace: Workspace,
    ranking: readonly RuleName[],
    clock: Deadline,
    distinct: Distinct | null,
  ) {
    this.#view = view;
    this.#vocabulary = vocabulary;
    this.#workspace = workspace;
    this.#ranking = ranking;
    this.clock = clock;
    this.#distinct = distinct;
    this.shown = distinct === null ? [] : view.segments.map(({ rows }) => Bitmap.create(rows));
  }

  get isDistinct(): boolean {
    return this.#distinct !== null;
  }

  /** Whether it will be asked for anything but the time. */
  get isCalled(): boolean {
    return this.isDistinct || this.#ranking.some(({ kind }) => kind === "sort");
  }

  isOver(): boolean {
    return this.clock.isOver();
  }

  openSort(level: number, list: number, starts: number): boolean {
    const spaces = new RowSpaces(this.#vocabulary.segments.map(({ space }) => space));
    const { u32 } = this.#workspace;
    const first = starts >>> 2;
    const lists = this.#view.segments.map((_, i): RowList => {
      const from = u32[first + i]!;
      return { at: list + from * 4, count: u32[first + i + 1]! - from };
    });
    try {
      this.#sortings[level] = this.#sorting(level, new Documents(spaces, lists));
      return true;
    } catch (problem) {
      if (!(problem instanceof TimeIsUp)) throw problem;
      return false;
    }
  }

  #sorting(level: number, documents: Documents): Sorting {
    const name = this.#ranking[level]!;
    if (name.kind !== "sort") throw new TypeError(`rule ${name.kind} is not sorted here`);
    const { rule } = name;
    const { segments } = this.#view;
    const isExcluded = this.#distinct?.has ?? null;
    if (rule.kind === "field") {
      const columns = segments.map(({ reader }) => reader.columns.column(rule.field));
      return new FieldSort(rule, columns, documents, NO_PATHS, this.clock, isExcluded, null);
    }
    const readers = segments.map(({ reader }) => reader.geo);
    const docids = segments.map(({ reader }) => reader.docids);
    return new GeoSort(rule, readers, docids, documents, NO_PATHS, this.clock, isExcluded);
  }

  nextSort(level: number, list: number, starts: number): number {
    const bucket = this.#sortings[level]!.next();
    if (bucket === null) return -1;
    this.details.push(bucket.detail);
    return this.#write(bucket.documents, list, starts);
  }

  restSort(level: number, list: number, starts: number): number {
    return this.#write(this.#sortings[level]!.rest(), list, starts);
  }

  #write({ count, lists }: Documents, list: number, starts: number): number {
    const { u32 } = this.#workspace;
    let to = list >>> 2;
    lists.forEach((rows, segment) => {
      u32[(starts >>> 2) + segment] = to - (list >>> 2);
      u32.copyWithin(to, rows.at >>> 2, (rows.at >>> 2) + rows.count);
      to += rows.count;
    });
    u32[(starts >>> 2) + lists.length] = count;
    return count;
  }

  sortDetail(): number {
    return this.details.length - 1;
  }

  findExcluded(list: number, starts: number, flags: number): number {
    const { u8, u32 } = this.#workspace;
    let found = 0;
    for (let segment = 0; segment < this.#view.segments.length; segment++) {
      const end = u32[(starts >>> 2) + segment + 1]!;
      for (let i = u32[(starts >>> 2) + segment]!; i < end; i++) {
        const isExcluded = this.#distinct!.has(segment, u32[(list >>> 2) + i]!);
        u8[flags + i] = isExcluded ? 1 : 0;
        if (isExcluded) found++;
      }
    }
    return found;
  }

  showOnce(segment: number, row: number): boolean {
    if (this.#distinct!.has(segment, row)) return false;
    this.#distinct!.add(segment, row);
    this.shown[segment]!.set(row);
    return true;
  }
}
