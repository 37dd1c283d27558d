/**
 * Documents read back: a list, a page of it, or one by its id, as the bytes of the whole answer. Stored bytes are spliced
 * in; nothing is parsed into objects. Which rows a filter keeps and how a sort orders them is asked of others.
 */

import { isValidDocumentId } from "../../base/document/id.ts";
import { FieldSelection, pickFields, VECTORS_FIELD } from "../../base/document/pick.ts";
import { apiError, documentNotFound, refuseTooLong } from "../../base/errors/errors.ts";
import { ByteSink } from "../../base/json/bytes.ts";
import type { Json } from "../../base/json/value.ts";
import { KIB, limits } from "../../base/limits.ts";
import type { IndexView, SegmentView } from "../../storage/index/view.ts";
import { Bitmap } from "../../storage/segment/bitmap.ts";
import type { SegmentReader } from "../../storage/segment/reader.ts";

import { type IsKnown, type KnownFields, knownFieldsOf } from "./known-fields.ts";
import { type Page, type PageSource, selectPage } from "./page.ts";
import { shownVectors, type VectorForms, type VectorHolder, vectorForms } from "./vectors.ts";

interface DocumentParams {
  /** Null means every field. */
  fields: string[] | null;
  retrieveVectors: boolean;
}

export interface DocumentsParams extends DocumentParams {
  offset: number;
  limit: number;
  ids: string[] | null;
  filter: Json;
  sort: string[] | null;
  /** Whether another server will merge the list with those of others: each document then tells its place. */
  isShare: boolean;
}

/** What is needed of an index to read its documents back; `IndexView` has it. */
export interface DocumentsView extends Pick<IndexView, "settings" | "fieldOrder"> {
  readonly segments: readonly DocumentsSegment[];
}

export interface DocumentsSegment extends Pick<SegmentView, "rows" | "live" | "liveCount"> {
  readonly reader: Pick<SegmentReader, "docids" | "findRow" | "documentLength" | "readDocuments" | "vectors"> &
    KnownFields;
}

/** Filtering and sorting over the segments of the same view, in its order. Both throw ApiError. */
export interface DocumentsDeps {
  /** The rows a filter keeps, one set per segment, deleted ones possibly among them; null when the filter is blank. */
  filterRows(filter: Json): readonly Bitmap[] | null;
  /** The page of the given rows in sorted order. */
  sortRows(sort: string[], rows: readonly Bitmap[], offset: number, limit: number): Page;
  /** What puts each document of a sorted page in its place, as servers tell it each other. */
  sentPlaces(sort: string[], page: Page): string[];
}

/** Neighbouring documents are read together up to this size. */
const RUN_BYTES_MAX = 256 * KIB;

/** `{"results":[…],"offset":…,"limit":…,"total":…}` */
export function listDocuments(view: DocumentsView, params: DocumentsParams, deps: DocumentsDeps): Uint8Array {
  const { offset, limit } = params;
  const sources = selectSources(view, params, deps);
  let total = 0;
  for (const source of sources) total += source.count;
  const page =
    params.sort === null || params.sort.length === 0
      ? selectPage(sources, offset, limit)
      : deps.sortRows(params.sort, sources.map(selectedOf), offset, limit);

  const out = new ByteSink(16 * 1024);
  const shown = new ShownDocuments(view, params);
  out.ascii('{"results":[');
  if (params.isShare) shown.writeShare(view.segments, page, deps.sentPlaces(params.sort ?? [], page), out);
  else shown.writePage(view.segments, page, out);
  out.ascii(`],"offset":${offset},"limit":${limit},"total":${total}}`);
  return out.view();
}

/** The document, or `document_not_found`. The id is compared as text, whatever its form. */
export function getDocument(view: DocumentsView, id: string, params: DocumentParams): Uint8Array {
  for (const segment of view.segments) {
    const row = liveRow(segment, id);
    if (row === -1) continue;
    const out = new ByteSink(1024);
    new ShownDocuments(view, params).writeRun(segment, row, row + 1, out);
    return out.view();
  }
  throw documentNotFound(id);
}

function selectSources(view: DocumentsView, params: DocumentsParams, deps: DocumentsDeps): PageSource[] {
  const kept = params.filter === null ? null : deps.filterRows(params.filter);
  const named = params.ids === null ? null : namedRows(view, params.ids);
  return view.segments.map((segment, i) => {
    const { docids } = segment.reader;
    if (kept === null && named === null) return { docids, selected: segment.live, count: segment.liveCount };
    const selected = (named === null ? segment.live : named[i]!).copy();
    if (kept !== null) selected.andWith(kept[i]!);
    return { docids, selected, count: selected.count() };
  });
}

/** Live rows of the ids, as a set: unknown ids are passed over, repeated ones count once. */
export function namedRows(view: DocumentsView, ids: readonly string[]): Bitmap[] {
  const rows = view.segments.map((segment) => Bitmap.create(segment.rows));
  for (const id of ids) {
    if (!isValidDocumentId(id)) {
      throw apiError(
        "invalid_document_ids",
        `The document identifier \`${id}\` is invalid: it must be an integer, or a string of letters a to z, A to Z, ` +
          "digits, hyphens (-) and underscores (_), at most 511 bytes long.",
      );
    }
    for (let i = 0; i < view.segments.length; i++) {
      const row = liveRow(view.segments[i]!, id);
      if (row === -1) continue;
      rows[i]!.set(row);
      break;
    }
  }
  return rows;
}

/** At most one segment holds a document alive; others may hold older versions of it. */
function liveRow(segment: DocumentsSegment, id: string): number {
  const row = segment.reader.findRow(id);
  return row !== -1 && segment.live.has(row) ? row : -1;
}

function selectedOf(source: PageSource): Bitmap {
  return source.selected;
}

/** Writes documents the way one request wants them; what the request selects is worked out once. */
export class ShownDocuments {
  readonly #selection: FieldSelection | null;
  readonly #hideVectors: boolean;
  readonly #withVectors: boolean;
  readonly #forms: VectorForms;
  #scratch = new Uint8Array(16 * KIB);

  constructor(view: DocumentsView, params: DocumentParams, isKnown: IsKnown = knownFieldsOf(view)) {
    const { embedders } = view.settings;
    this.#selection = params.fields === null ? null : FieldSelection.of(params.fields, isKnown);
    this.#withVectors = params.retrieveVectors;
    // An index that never saw the field has nothing to hide: its documents are copied as they are.
    this.#hideVectors = view.fieldOrder.includes(VECTORS_FIELD);
    this.#forms = vectorForms(embedders);
  }

  /** Documents separated by commas. Rows that are neighbours in their segment are fetched in one read. */
  writePage(segments: readonly DocumentsSegment[], page: Page, out: ByteSink): void {
    const { rows } = page;
    for (let i = 0; i < rows.length; ) {
      if (i > 0) out.byte(0x2c);
      const segment = segments[page.segments[i]!]!;
      const from = rows[i]!;
      let bytes = segment.reader.documentLength(from);
      let next = i + 1;
      while (next < rows.length && page.segments[next] === page.segments[i] && rows[next] === rows[next - 1]! + 1) {
        bytes += segment.reader.documentLength(rows[next]!);
        if (bytes > RUN_BYTES_MAX) break;
        next++;
      }
      this.writeRun(segment, from, from + next - i, out);
      refuseTooLong(out.length, limits.documentsBytes);
      i = next;
    }
  }

  /** The same with the place of each. */
  writeShare(segments: readonly DocumentsSegment[], page: Page, places: readonly string[], out: ByteSink): void {
    for (const [i, place] of places.entries()) {
      if (i > 0) out.byte(0x2c);
      const start = out.length;
      const row = page.rows[i]!;
      this.writeRun(segments[page.segments[i]!]!, row, row + 1, out);
      reopen(start, out);
      out.utf8(`"_federation":{"weightedScoreValues":${place}}}`);
    }
  }

  /** The documents of rows `[from, to)`. */
  writeRun(segment: DocumentsSegment, from: number, to: number, out: ByteSink): void {
    const { reader } = segment;
    let length = 0;
    for (let row = from; row < to; row++) length += reader.documentLength(row);
    if (this.#scratch.length < length) this.#scratch = new Uint8Array(length);
    reader.readDocuments(from, to, this.#scratch, 0);
    for (let row = from, start = 0; row < to; row++) {
      if (row > from) out.byte(0x2c);
      const end = start + reader.documentLength(row);
      this.#writeOne(this.#scratch.subarray(start, end), reader, row, out);
      start = end;
    }
  }

  #writeOne(document: Uint8Array, reader: VectorHolder, row: number, out: ByteSink): void {
    const start = out.length;
    pickFields(document, this.#selection, { hideVectors: this.#hideVectors }, out);
    if (!this.#withVectors) return;
    // The shown form goes last, in place of the stored one.
    reopen(start, out);
    out.ascii('"_vectors":');
    shownVectors(document, reader, row, this.#forms, out);
    out.byte(0x7d);
  }
}

/** Takes back the end of the object that begins at `start`, so that one more member can follow. */
function reopen(start: number, out: ByteSink): void {
  out.length--;
  if (out.length > start + 1) out.byte(0x2c);
}
