/**
 * Documents found by a search, as the bytes of its hits: what may be shown of each, and what was asked about its match.
 * Stored bytes are spliced in; nothing is parsed into objects. The order is given.
 */
import type { HitsQuery } from "../../base/contract/search.ts";
import { FieldSelection, pickFields, VECTORS_FIELD } from "../../base/document/pick.ts";
import { refuseTooLong } from "../../base/errors/errors.ts";
import { ByteSink } from "../../base/json/bytes.ts";
import { doubleText } from "../../base/json/number.ts";
import { limits } from "../../base/limits.ts";
import type { IndexView, SegmentView } from "../../storage/index/view.ts";
import type { SegmentReader } from "../../storage/segment/reader.ts";
import {
  type AttributeNames,
  displayedNames,
  includesName,
  retrievedNames,
  sameNames,
} from "../../storage/settings/attribute-names.ts";
import { isDisplayed } from "../../storage/settings/patterns.ts";
import { parseSortExpression } from "../filter/sort.ts";
import type { Hydration } from "../joins/hydration.ts";
import type { MatchedQuery } from "../query/matched.ts";
import type { RankedHit } from "../rank/result.ts";
import { detailsView, globalScore } from "../rank/score.ts";
import { type FormattedAttribute, FormattedAttributes } from "./format/attributes.ts";
import { CompiledFormatter } from "./format/compiled.ts";
import { DocumentFormatter, type MatchPositions, writePositions } from "./format/document.ts";
import { QueryTerms } from "./format/terms.ts";
import { type Marks, marksOf } from "./format/text.ts";
import { type IsKnown, type KnownFields, knownFieldsOf } from "./known-fields.ts";
import { shownVectors, vectorForms } from "./vectors.ts";

const GEO_FIELD = "_geo";
const SCRATCH_BYTES = 4096;

/** What is needed of an index to show its hits; `IndexView` has it. */
export interface HitsView extends Pick<IndexView, "settings" | "fieldOrder"> {
  readonly segments: readonly HitsSegment[];
}

interface HitsSegment extends Pick<SegmentView, "rows"> {
  readonly reader: Pick<SegmentReader, "lendDocument" | "geo" | "vectors"> & KnownFields;
}

/** Appends `[{…},…]`. */
export function formatHits(
  view: HitsView,
  hits: readonly RankedHit[],
  query: HitsQuery,
  matched: (() => MatchedQuery) | null,
  out: ByteSink,
  hydration: Hydration | null = null,
): void {
  const writer = new HitWriter(view, query, matched, hydration);
  out.byte(0x5b);
  for (let i = 0; i < hits.length; i++) {
    if (i > 0) out.byte(0x2c);
    writer.write(hits[i]!, out);
  }
  out.byte(0x5d);
}

/**
 * Writes hits the way one request wants them; what the request selects is worked out once. `isKnown`: whether some document of the
 * index is sure to have a field, where that is more than can be seen here.
 */
export class HitWriter {
  readonly #view: HitsView;
  readonly #query: HitsQuery;
  readonly #retrieved: FieldSelection | null;
  readonly #displayed: FieldSelection | null;
  /** Undefined when there is no `_formatted`. */
  readonly #shown: FieldSelection | null | undefined;
  /** Whether the walk for `_formatted` meets all attributes in which matches are looked for. */
  readonly #shownIsDisplayed: boolean;
  readonly #formatted: FormattedAttributes | null;
  /** Null for what compiled code does not do, and when nothing is to be formatted. */
  readonly #compiled: CompiledFormatter | null;
  readonly #matched: MatchedQuery | null;
  readonly #marks: Marks;
  #ownFormatter: DocumentFormatter | null = null;
  readonly #hideVectors: boolean;
  readonly #withVectors: boolean;
  readonly #place: { lat: number; lng: number } | null;
  /** Scratch, made when first needed: most hits are shown whole and as they are. */
  #ownPicked: ByteSink | null = null;
  #ownDiscarded: ByteSink | null = null;
  readonly #hydration: Hydration | null;

  constructor(
    view: HitsView,
    query: HitsQuery,
    matched: (() => MatchedQuery) | null,
    hydration: Hydration | null = null,
    isKnown: IsKnown = knownFieldsOf(view),
  ) {
    const displayed = displayedNames(view.settings);
    const retrieved = retrievedNames(query.attributesToRetrieve, displayed);
    const asked = (query.attributesToHighlight?.length ?? 0) + (query.attributesToCrop?.length ?? 0) > 0;
    this.#view = view;
    this.#query = query;
    this.#hydration = hydration;
    this.#retrieved = selectionOf(retrieved, isKnown);
    this.#displayed = selectionOf(displayed, isKnown);
    this.#formatted =
      asked || query.showMatchesPosition ? new FormattedAttributes(view, query, displayed, retrieved) : null;
    const shown = this.#formatted?.shown;
    this.#shown = shown === undefined ? undefined : selectionOf(shown, isKnown);
    this.#shownIsDisplayed = shown !== undefined && sameNames(shown, displayed);
    this.#matched = this.#formatted === null ? null : (matched?.() ?? null);
    this.#marks = marksOf(query);
    const isCompiled = this.#shown !== undefined && !query.showMatchesPosition;
    this.#compiled = isCompiled ? this.#compiledFor(this.#formatted!) : null;
    this.#hideVectors = view.fieldOrder.includes(VECTORS_FIELD);
    this.#withVectors = query.retrieveVectors && includesName(displayed, VECTORS_FIELD);
    this.#place = includesName(retrieved, GEO_FIELD) ? sortedPlace(query.sort) : null;
  }

  #compiledFor(formatted: FormattedAttributes): CompiledFormatter | null {
    return CompiledFormatter.of(this.#view.settings, formatted, this.#matched, this.#marks, () => this.#formatter);
  }

  get #formatter(): DocumentFormatter {
    this.#ownFormatter ??= new DocumentFormatter(this.#view.settings, new QueryTerms(this.#matched), this.#marks);
    return this.#ownFormatter;
  }

  get #picked(): ByteSink {
    this.#ownPicked ??= new ByteSink(SCRATCH_BYTES);
    return this.#ownPicked;
  }

  get #discarded(): ByteSink {
    this.#ownDiscarded ??= new ByteSink(SCRATCH_BYTES);
    return this.#ownDiscarded;
  }

  /** `members`: further members of the document itself, as JSON text that begins with a comma. */
  write(hit: RankedHit, out: ByteSink, members = ""): void {
    const { reader } = this.#view.segments[hit.segment]!;
    const document = reader.lendDocument(hit.row);
    const start = out.length;
    if (this.#hydration !== null) this.#hydration.write(this.#pick(document, this.#retrieved), out);
    else pickFields(document, this.#retrieved, { hideVectors: this.#hideVectors }, out);
    out.length--;
    if (this.#withVectors) {
      out.ascii(',"_vectors":');
      shownVectors(document, reader, hit.row, vectorForms(this.#view.settings.embedders), out);
    }
    if (this.#place !== null) {
      const metres = reader.geo?.distance(hit.row, this.#place.lat, this.#place.lng) ?? Number.POSITIVE_INFINITY;
      if (metres !== Number.POSITIVE_INFINITY) out.ascii(`,"_geoDistance":${Math.round(metres)}`);
    }
    out.utf8(members);
    if (this.#formatted !== null) this.#writeFormatted(document, this.#formatted.root, out);
    this.#writeScores(hit, out);
    out.byte(0x7d);
    refuseTooLong(out.length, limits.answerBytes);
    // Whatever follows an empty document begins with the comma that separates members.
    if (out.buffer[start + 1] === 0x2c) {
      out.buffer.copyWithin(start + 1, start + 2, out.length);
      out.length--;
    }
  }

  #writeFormatted(document: Uint8Array, root: FormattedAttribute, out: ByteSink): void {
    const { showMatchesPosition } = this.#query;
    const positions: MatchPositions | null = showMatchesPosition ? new Map() : null;
    if (this.#shown !== undefined) {
      const shown = this.#pick(document, this.#shown, true);
      if (shown.length > 2) {
        out.ascii(',"_formatted":');
        const target = this.#hydration === null ? out : this.#discarded;
        if (target !== out) target.reset();
        if (this.#compiled !== null) this.#compiled.format(shown, target);
        else this.#formatter.format(shown, root, this.#shownIsDisplayed ? positions : null, target);
        this.#hydration?.write(target.view(), out);
      }
    }
    if (positions === null) return;
    if (!this.#shownIsDisplayed) {
      this.#discarded.reset();
      this.#formatter.format(this.#pick(document, this.#displayed), root, positions, this.#discarded);
    }
    out.ascii(',"_matchesPosition":');
    writePositions(positions, out);
  }

  /** The selected part of the document, never with vectors; valid until the next call. */
  #pick(document: Uint8Array, selection: FieldSelection | null, onlySelected = false): Uint8Array {
    if (selection === null && !this.#hideVectors) return document;
    this.#picked.reset();
    pickFields(document, selection, { hideVectors: true, onlySelected }, this.#picked);
    return this.#picked.view();
  }

  #writeScores(hit: RankedHit, out: ByteSink): void {
    const { showRankingScore, showRankingScoreDetails } = this.#query;
    if (showRankingScore) out.ascii(`,"_rankingScore":${doubleText(globalScore(hit.details))}`);
    if (showRankingScoreDetails) {
      const details = detailsView(hit.details, (field) => isDisplayed(this.#view.settings, field));
      out.ascii(',"_rankingScoreDetails":');
      out.utf8(JSON.stringify(details));
    }
  }
}

function selectionOf(names: AttributeNames, isKnown: IsKnown): FieldSelection | null {
  return names === null ? null : FieldSelection.of(names, isKnown);
}

/** The place of the first `_geoPoint` in a sort, which is known to be well-formed. */
function sortedPlace(sort: readonly string[] | null): { lat: number; lng: number } | null {
  const expression = sort?.find((each) => each.startsWith("_geoPoint"));
  if (expression === undefined) return null;
  const rule = parseSortExpression(expression);
  return rule.kind === "geo" ? rule : null;
}
