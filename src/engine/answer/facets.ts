/**
 * The facets of an answer: for each field asked for, its values with the number of candidates that have them, and the
 * least and greatest of its numbers. What may be asked for is decided here too.
 */
import { apiError } from "../../base/errors/errors.ts";
import { ByteSink } from "../../base/json/bytes.ts";
import { doubleText } from "../../base/json/number.ts";
import type { IndexView, SegmentView } from "../../storage/index/view.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import type { Column } from "../../storage/segment/columns/column.ts";
import type { PlacedRows } from "../../storage/segment/columns/placed-rows.ts";
import type { SegmentReader } from "../../storage/segment/reader.ts";
import { newNameTree } from "../../storage/settings/name-tree.ts";
import { filterRuleFor, isPattern, matchesPattern } from "../../storage/settings/patterns.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import type { Equality } from "../filter/equalities.ts";
import { equalCodes, type Operand, operandOf } from "../filter/operand.ts";
import { type CountedSegment, FacetCounts, type NumberCounts, type StringCount } from "./facet-counts.ts";
import { writeJsonString } from "./json-writer.ts";
import { topCounts } from "./top-counts.ts";

/** What is needed of an index to count its facets; `IndexView` has it. */
export interface FacetsView extends Pick<IndexView, "settings"> {
  readonly segments: readonly FacetsSegment[];
}

interface FacetsSegment extends Pick<SegmentView, "rows" | "live" | "liveCount"> {
  readonly reader: Pick<SegmentReader, "docids" | "columns">;
}

/** Most distributions are no longer. */
const MEMBERS_BYTES = 1024;

export type FacetOrder = "alpha" | "count";

export interface FieldFacets {
  field: string;
  /** Value as it is shown to its number of documents, in order. */
  values: Map<string, number>;
  /** Null without numbers. */
  stats: { min: number; max: number } | null;
}

/** The same as JSON already, of a field without numbers: the members of an object. */
interface WrittenFacets {
  field: string;
  members: Uint8Array;
}

export type ShownFacets = FieldFacets | WrittenFacets;

/** With more candidates than this, numbers come in numeric order instead of the order of their text. */
const CANDIDATES_IN_TEXT_ORDER = 3000;

/** Facets that have values, by name. Throws `invalid_search_facets` for names that are not filterable. */
export function facetDistribution(
  view: FacetsView,
  candidates: readonly Bitmap[],
  facets: readonly string[],
): FieldFacets[] {
  const found: FieldFacets[] = [];
  forEachFacet(view, candidates, facets, (field, placed, total) => {
    const counts = new FacetCounts(countedSegments(view, placed, field));
    const facet = fieldFacets(view.settings, field, counts, total);
    if (facet.values.size > 0) found.push(facet);
  });
  return found;
}

/** The same to be shown as it is: compiled code writes what it can. `equalities`: of all candidates. */
export function shownFacets(
  view: FacetsView,
  candidates: readonly Bitmap[],
  facets: readonly string[],
  equalities: readonly Equality[] = [],
): ShownFacets[] {
  const found: ShownFacets[] = [];
  forEachFacet(view, candidates, facets, (field, placed, total) => {
    const equality = equalities.find((each) => each.field === field);
    const known =
      equality === undefined ? null : knownSegments(view, candidates, placed, field, operandOf(equality.value));
    const written = known === null ? writtenFacets(view, placed, field) : null;
    if (written === null) {
      const counts = new FacetCounts(known ?? countedSegments(view, placed, field));
      const facet = fieldFacets(view.settings, field, counts, total);
      if (facet.values.size > 0) found.push(facet);
    } else if (written.members.length > 0) found.push(written);
  });
  return found;
}

/** Null for several segments that have the field, another order than that of the alphabet, and what is counted already. */
function writtenFacets(view: FacetsView, placed: readonly PlacedRows[], field: string): WrittenFacets | null {
  const { settings } = view;
  if (facetOrder(settings, field) !== "alpha") return null;
  let only = -1;
  for (let i = 0; i < placed.length; i++) {
    if (placed[i]!.count === 0 || view.segments[i]!.reader.columns.column(field) === null) continue;
    if (only !== -1 || placed[i]!.count === view.segments[i]!.liveCount) return null;
    only = i;
  }
  if (only === -1) return null;
  const { scan } = view.segments[only]!.reader.columns.column(field)!;
  const out = new ByteSink(MEMBERS_BYTES);
  if (!scan.writeTexts(placed[only]!, settings.faceting.maxValuesPerFacet, out)) return null;
  return { field, members: out.view() };
}

/** Visits the fields that are asked for, with the candidates where they can be counted, and how many these are. */
function forEachFacet(
  view: FacetsView,
  candidates: readonly Bitmap[],
  facets: readonly string[],
  visit: (field: string, placed: readonly PlacedRows[], total: number) => void,
): void {
  const fields = facetFields(view);
  checkFacets(view.settings, facets, fields);
  const wanted = wantedFacets(fields, facets);
  withCandidates(view, candidates, (placed) => {
    const total = placed.reduce((sum, { count }) => sum + count, 0);
    for (const field of wanted) visit(field, placed, total);
  });
}

function fieldFacets(settings: Settings, field: string, counts: FacetCounts, candidates: number): FieldFacets {
  return facetOf(settings, field, counts.numbers(), candidates, (add, order, most) =>
    addStrings(add, counts, order, most),
  );
}

/** Whether there is room for more. */
type AddText = (text: string, count: number) => boolean;

/** `addTexts` adds those that come first in an order until there is no room for more: of so many at most. */
export function facetOf(
  settings: Settings,
  field: string,
  numbers: NumberCounts,
  candidates: number,
  addTexts: (add: AddText, order: FacetOrder, most: number) => void,
): FieldFacets {
  const order = facetOrder(settings, field);
  const values = new Map<string, number>();
  const { maxValuesPerFacet } = settings.faceting;
  const byNumber = candidates > CANDIDATES_IN_TEXT_ORDER;
  addNumbers(values, numbers, order, byNumber, maxValuesPerFacet);
  // A text that is printed like a number takes its place. Only in the order of texts it takes room as well.
  const takesRoom = order === "alpha" && !byNumber;
  let left = maxValuesPerFacet - values.size;
  const add = (text: string, count: number): boolean => {
    if (takesRoom || !values.has(text)) left--;
    values.set(text, count);
    return left > 0;
  };
  if (left > 0) addTexts(add, order, maxValuesPerFacet);
  return { field, values, stats: statsOf(numbers) };
}

/** Appends `{"field":{"value":count,…},…}`. */
export function writeFacetDistribution(facets: readonly ShownFacets[], out: ByteSink): void {
  out.byte(0x7b);
  facets.forEach((facet, i) => {
    if (i > 0) out.byte(0x2c);
    writeJsonString(out, facet.field);
    out.ascii(":{");
    if ("members" in facet) out.bytes(facet.members);
    else writeMembers(facet.values, out);
    out.byte(0x7d);
  });
  out.byte(0x7d);
}

function writeMembers(values: ReadonlyMap<string, number>, out: ByteSink): void {
  let first = true;
  for (const [value, count] of values) {
    if (!first) out.byte(0x2c);
    first = false;
    writeJsonString(out, value);
    out.ascii(`:${count}`);
  }
}

/** Appends `{"field":{"min":…,"max":…},…}`, fields without numbers left out. */
export function writeFacetStats(facets: readonly ShownFacets[], out: ByteSink): void {
  out.byte(0x7b);
  let first = true;
  for (const facet of facets) {
    if ("members" in facet || facet.stats === null) continue;
    if (!first) out.byte(0x2c);
    first = false;
    writeJsonString(out, facet.field);
    out.ascii(`:{"min":${doubleText(facet.stats.min)},"max":${doubleText(facet.stats.max)}}`);
  }
  out.byte(0x7d);
}

export function facetOrder(settings: Pick<Settings, "faceting">, field: string): FacetOrder {
  const orders = settings.faceting.sortFacetValuesBy;
  return (Object.hasOwn(orders, field) ? orders[field] : orders["*"]) ?? "alpha";
}

/** Runs `count` with the candidates of each segment where they can be counted. */
export function withCandidates<Result>(
  view: FacetsView,
  candidates: readonly Bitmap[],
  count: (placed: readonly PlacedRows[]) => Result,
): Result {
  const placed: PlacedRows[] = [];
  try {
    for (let i = 0; i < candidates.length; i++) placed.push(view.segments[i]!.reader.columns.place(candidates[i]!));
    return count(placed);
  } finally {
    for (let i = placed.length - 1; i >= 0; i--) placed[i]!.release();
  }
}

/** The column of a field, where a segment has it, with what the candidates of that segment have in it. */
export function countedSegments(view: FacetsView, candidates: readonly PlacedRows[], field: string): CountedSegment[] {
  const found: CountedSegment[] = [];
  for (let i = 0; i < candidates.length; i++) {
    const { live, liveCount, reader } = view.segments[i]!;
    const column: Column | null = reader.columns.column(field);
    const rows = candidates[i]!;
    if (column === null || rows.count === 0) continue;
    // Candidates are live rows: as many as there are, they are all of them.
    const isAll = rows.count === liveCount;
    const counts = isAll ? reader.columns.kept.of(column, live, rows) : column.scan.countCodes(rows);
    found.push({ column, docids: reader.docids, counts });
  }
  return found;
}

/** Null where some candidates, which all have a value, may have another one besides, or spell it in several ways. */
function knownSegments(
  view: FacetsView,
  candidates: readonly Bitmap[],
  placed: readonly PlacedRows[],
  field: string,
  value: Operand,
): CountedSegment[] | null {
  const known: CountedSegment[] = [];
  // The lowest document decides between the spellings of several segments, and only between them.
  const isAlone = placed.filter(({ count }) => count > 0).length === 1;
  for (let i = 0; i < placed.length; i++) {
    const { count } = placed[i]!;
    if (count === 0) continue;
    const { columns, docids } = view.segments[i]!.reader;
    const column = columns.column(field)!;
    const [codes, more] = equalCodes(column, [value]);
    if (column.codeStarts !== null || codes === undefined || more !== undefined) return null;
    if (codes.to - codes.from !== 1) return null;
    const counts = {
      codes: Uint32Array.of(codes.from),
      counts: Uint32Array.of(count),
      firstRows: Uint32Array.of(isAlone ? 0 : candidates[i]!.next(0)),
    };
    known.push({ column, docids, counts });
  }
  return known;
}

/** Names or patterns of all attributes that some feature is enabled for, for messages. */
export function usablePatterns(settings: Settings, isUsable: (settings: Settings, field: string) => boolean): string {
  const names = settings.filterableAttributes.flatMap((rule) =>
    typeof rule === "string" ? [rule] : rule.attributePatterns,
  );
  const usable = [...new Set(names)].filter((name) => isUsable(settings, name)).sort();
  return usable.map((name) => `\`${name}\``).join(", ");
}

function isFilterable(settings: Settings, field: string): boolean {
  const filter = filterRuleFor(settings, field)?.features.filter;
  return filter !== undefined && (filter.equality || filter.comparison);
}

const fieldsOfStates = new WeakMap<FacetsView, readonly string[]>();

/** Names of all fields that can be facets, in order; the same for all searches of one state of the index. */
export function facetFields(view: FacetsView): readonly string[] {
  let fields = fieldsOfStates.get(view);
  if (fields === undefined) {
    const names = new Set<string>();
    for (const { reader } of view.segments) for (const field of reader.columns.fields()) names.add(field);
    fields = [...names].filter((field) => isFilterable(view.settings, field)).sort();
    fieldsOfStates.set(view, fields);
  }
  return fields;
}

/** A name stands for all below it too; a pattern for what it matches. */
function selectedBy(facets: readonly string[]): (field: string) => boolean {
  const patterns = facets.filter(isPattern);
  const names = newNameTree(facets);
  return (field) => names.covers(field) || patterns.some((pattern) => matchesPattern(pattern, field));
}

/** Those of the fields that are asked for. */
export function wantedFacets(fields: readonly string[], facets: readonly string[]): readonly string[] {
  return facets.includes("*") ? fields : fields.filter(selectedBy(facets));
}

/** `fields`: all that can be facets. Throws `invalid_search_facets` for names that are not filterable. */
export function checkFacets(settings: Settings, facets: readonly string[], fields: readonly string[]): void {
  const refused = facets.filter((facet) => {
    if (facet === "*" || isFilterable(settings, facet)) return false;
    return !(isPattern(facet) && fields.some((field) => matchesPattern(facet, field)));
  });
  if (refused.length === 0) return;
  const names = [...new Set(refused)].sort().map((name) => `\`${name}\``);
  const subject = names.length === 1 ? `Attribute ${names[0]} is` : `Attributes ${names.join(", ")} are`;
  const usable = usablePatterns(settings, isFilterable);
  const hint =
    usable === "" ? "This index does not have configured filterable attributes." : `Filterable attributes: ${usable}.`;
  throw apiError("invalid_search_facets", `Invalid facet distribution: ${subject} not filterable. ${hint}`);
}

function addNumbers(
  values: Map<string, number>,
  numbers: NumberCounts,
  order: FacetOrder,
  numeric: boolean,
  limit: number,
): void {
  const count = numbers.values.length;
  if (order === "count") {
    for (const i of topCounts(numbers.counts, limit)) values.set(decimalText(numbers.values[i]!), numbers.counts[i]!);
    return;
  }
  if (numeric) {
    for (let i = 0; i < Math.min(count, limit); i++) values.set(decimalText(numbers.values[i]!), numbers.counts[i]!);
    return;
  }
  const texts = Array.from(numbers.values, (value, i) => ({ text: decimalText(value), count: numbers.counts[i]! }));
  texts.sort((a, b) => (a.text < b.text ? -1 : 1));
  for (const { text, count: candidates } of texts.slice(0, limit)) values.set(text, candidates);
}

function addStrings(add: AddText, counts: FacetCounts, order: FacetOrder, most: number): void {
  if (order === "count") {
    for (const { column, code, count } of mostCounted(counts, most)) {
      if (!add(column.spellingOfCode(code), count)) return;
    }
  } else counts.forEachString(({ count, column, code }) => add(column.spellingOfCode(code), count));
}

type Spelled = Pick<StringCount, "column" | "code" | "count">;

/** Strings by descending count. All are noted before the best are chosen, in plain arrays: there may be very many. */
function mostCounted(counts: FacetCounts, limit: number): Spelled[] {
  const met = new Uint32Array(counts.stringsMax);
  const codes = new Uint32Array(met.length);
  const segments = new Uint32Array(met.length);
  const columns: Column[] = [];
  let length = 0;
  counts.forEachString(({ count, segment, column, code }) => {
    met[length] = count;
    codes[length] = code;
    segments[length++] = segment;
    columns[segment] = column;
    return true;
  });
  return topCounts(met.subarray(0, length), limit).map((i) => ({
    column: columns[segments[i]!]!,
    code: codes[i]!,
    count: met[i]!,
  }));
}

function statsOf({ values }: NumberCounts): FieldFacets["stats"] {
  return values.length === 0 ? null : { min: values[0]!, max: values[values.length - 1]! };
}

/** The shortest digits of a double, never with an exponent. */
export function decimalText(value: number): string {
  const text = Object.is(value, -0) ? "-0" : String(value);
  const exponent = text.indexOf("e");
  if (exponent === -1) return text;
  const power = Number(text.slice(exponent + 1));
  const sign = value < 0 ? "-" : "";
  const [whole, fraction = ""] = text.slice(sign.length, exponent).split(".");
  const digits = `${whole}${fraction}`;
  if (power < 0) return `${sign}0.${"0".repeat(-power - 1)}${digits}`;
  return `${sign}${digits}${"0".repeat(power - fraction.length)}`;
}
