/** Documents of a part that another server speaks of: by a search that found them, by a filter, or by their numbers. */
import { firstAtLeast } from "../../../base/sorted/binary-search.ts";
import type { Snapshot } from "../../../storage/index/catalog.ts";
import type { IndexView } from "../../../storage/index/view.ts";
import { Bitmap } from "../../../storage/segment/bitmap.ts";
import { rankPart } from "../../parts/part.ts";
import type { SentSearch, SentSet, ToldSearch, ValuedDocument } from "../../parts/questions.ts";
import type { Report } from "../../parts/script.ts";
import { Deadline } from "../../query/deadline.ts";
import { or } from "../../query/row-sets.ts";
import { Distinct } from "../../rank/distinct.ts";
import { byVector } from "../../semantic/search.ts";
import { selectedRows } from "../select.ts";

/** A part, the state that all questions to it are answered from, and until when. */
export interface Part {
  view: IndexView;
  snapshot: Snapshot;
  /** Of this thread's `performance.now()`. */
  deadline: number;
  /** Throws when nobody waits for the answer any more. */
  goOn(): void;
}

interface FoundRow {
  segment: number;
  row: number;
}

export function ranked(
  part: Part,
  { known, script, search, terms }: ToldSearch,
): { report: Report; candidates: Bitmap[] } {
  const { deadline, view } = part;
  const { locales, request, searched, vector } = search;
  const meaning = vector === null ? { vector: null } : byVector(view, vector.embedder, vector.numbers);
  const asked = { ...request, ...meaning, deadline };
  const clock = new Deadline(deadline);
  return rankPart(view, universeOf(part, search), { request: asked, searched, locales, clock }, terms, known, script);
}

function universeOf({ snapshot, view }: Part, { filter, pinned }: SentSearch): Bitmap[] {
  const passing = selectedRows(view, filter, snapshot, "invalid_search_filter");
  if (pinned === null) return passing;
  const left = passing.map((rows) => rows.copy());
  for (const docid of pinned.docids) {
    const found = rowOf(view, docid);
    if (found !== null) left[found.segment]!.clear(found.row);
  }
  if (pinned.distinct === null) return left;
  const shown = distinctIn(view, pinned.distinct);
  shown.addValues(pinned.values);
  for (const [segment, rows] of shown.rows(left).entries()) left[segment]!.andNotWith(rows);
  return left;
}

/** Not to be changed. */
export function rowsOf(part: Part, set: SentSet): Bitmap[] {
  const { snapshot, view } = part;
  part.goOn();
  switch (set.kind) {
    case "ranked":
      return ranked(part, set.by).candidates;
    case "filtered":
      return selectedRows(view, set.filter, snapshot, "invalid_search_filter");
    case "listed":
      return changed(
        view,
        view.segments.map(({ rows }) => Bitmap.create(rows)),
        set.docids,
        [],
      );
    case "any":
      return set.of.map((each) => rowsOf(part, each)).reduce(or);
    case "changed":
      return changed(
        view,
        rowsOf(part, set.of).map((rows) => rows.copy()),
        set.with,
        set.without,
      );
  }
}

function changed(view: IndexView, sets: Bitmap[], added: readonly number[], taken: readonly number[]): Bitmap[] {
  for (const docid of added) {
    const found = rowOf(view, docid);
    if (found !== null) sets[found.segment]!.set(found.row);
  }
  for (const docid of taken) {
    const found = rowOf(view, docid);
    if (found !== null) sets[found.segment]!.clear(found.row);
  }
  return sets;
}

/** Null for a document that is not here, or no longer. */
export function rowOf({ segments }: IndexView, docid: number): FoundRow | null {
  for (const [segment, { live, reader }] of segments.entries()) {
    const { docids } = reader;
    const row = firstAtLeast(docids, docid, 0, docids.length);
    if (row < docids.length && docids[row] === docid && live.has(row)) return { segment, row };
  }
  return null;
}

export function distinctIn({ segments }: IndexView, field: string): Distinct {
  return new Distinct(segments.map(({ reader }) => reader.columns.column(field)));
}

/** What the documents have of a field. */
export function valuesIn(view: IndexView, sets: readonly Bitmap[], field: string): ValuedDocument[] {
  const distinct = distinctIn(view, field);
  const found: ValuedDocument[] = [];
  for (const [segment, rows] of sets.entries()) {
    const { docids } = view.segments[segment]!.reader;
    for (let row = rows.first(); row !== -1; row = rows.next(row + 1)) {
      found.push({ docid: docids[row]!, values: distinct.valuesOf(segment, row) });
    }
  }
  return found;
}
