/**
 * One server's part of a federated search, read from the bytes it answered: where each hit lies in them and how it ranks, what
 * was found in all, and facets. Documents stay bytes, so that they are shown as their server wrote them.
 */
import { Buffer } from "node:buffer";
import type { FacetOrder, FieldFacets } from "../answer/facets.ts";
import { ARRAY_END, ARRAY_START, JsonCursor, KEY, OBJECT_END, OBJECT_START } from "../json/cursor.ts";
import { JsonScanner, utf8Problem } from "../json/validate.ts";
import type { JsonObject } from "../tasks/task.ts";
import type { MergeableHit } from "./merge.ts";
import { receivedElements } from "./sent-elements.ts";

export interface ShareHit extends MergeableHit {
  indexUid: string;
  /** Where it lies, and in it the value of `_federation`. */
  start: number;
  end: number;
  federationStart: number;
  federationEnd: number;
  /** Null unless a rule put it in its place. */
  pinnedAt: number | null;
  /** Values that are needed to tell hits apart, by attribute. */
  values: JsonObject;
}

export interface ShareFacets {
  uid: string;
  facets: FieldFacets[];
  orderOf(field: string): FacetOrder;
  /** Most values of a facet. */
  valuesMax: number;
}

export interface Share {
  hits: ShareHit[];
  total: number;
  facets: ShareFacets[];
  /** Null for searches by words alone. */
  semanticHitCount: number | null;
  /** By position of the query, as JSON. */
  queryVectors: [position: string, vector: string][];
  /** Of the queries, where it was asked for. */
  metadata: JsonObject[];
}

/** Why an answer is no share of a search, in words for whoever searches. */
export class NoShare extends Error {
  override readonly name = "NoShare";
}

/** Order of the values of facets, where an index says otherwise than by the alphabet, and how many of them it shows. */
type FacetRules = Record<string, { maxValues: number; orders: Record<string, FacetOrder> }>;

/** Throws `NoShare`. */
export function readShare(bytes: Uint8Array): Share {
  checkJson(bytes);
  const members = membersOf(bytes, 0, bytes.length);
  const read = (name: string): unknown => {
    const found = members.get(name);
    return found === undefined ? null : JSON.parse(textOf(bytes, found));
  };
  const total = read("estimatedTotalHits") ?? read("totalHits");
  const hits = members.get("hits");
  if (hits === undefined || typeof total !== "number") throw new NoShare("it is no answer to a federated search");
  const facets = members.get("facetsByIndex");
  const semanticHitCount = read("semanticHitCount");
  const metadata = read("metadata");
  const vectors = members.get("queryVectors");
  return {
    hits: elementsIn(bytes, hits).map((range) => readHit(bytes, range)),
    total,
    facets: facets === undefined ? [] : readFacets(bytes, facets, (read("facetRules") ?? {}) as FacetRules),
    semanticHitCount: typeof semanticHitCount === "number" ? semanticHitCount : null,
    queryVectors: vectors === undefined ? [] : textsOf(bytes, vectors),
    metadata: Array.isArray(metadata) ? metadata : [],
  };
}

function checkJson(bytes: Uint8Array): void {
  if (utf8Problem(bytes, 0, bytes.length) !== null) throw new NoShare("it is not UTF-8");
  const scanner = new JsonScanner();
  let end = scanner.value(bytes, 0, bytes.length);
  if (end === -1) throw new NoShare(`it is no JSON: ${scanner.problem}`);
  while (end < bytes.length && bytes[end]! <= 0x20) end++;
  if (end < bytes.length) throw new NoShare("something follows it");
}

interface Range {
  start: number;
  end: number;
}

/** The members of an object, in order; none of anything else. */
function membersOf(bytes: Uint8Array, start: number, end: number): Map<string, Range> {
  const cursor = new JsonCursor();
  cursor.reset(bytes, start, end);
  const members = new Map<string, Range>();
  if (cursor.next() !== OBJECT_START) return members;
  for (let token = cursor.next(); token === KEY; token = cursor.next()) {
    const name = cursor.text();
    cursor.skipValue();
    members.set(name, { start: cursor.start, end: cursor.end });
  }
  return members;
}

/** The objects in an array. */
function elementsIn(bytes: Uint8Array, { start, end }: Range): Range[] {
  const cursor = new JsonCursor();
  cursor.reset(bytes, start, end);
  const found: Range[] = [];
  if (cursor.next() !== ARRAY_START) return found;
  for (let token = cursor.next(); token !== ARRAY_END; token = cursor.next()) {
    if (token !== OBJECT_START) throw new NoShare("a hit is no object");
    const elementStart = cursor.start;
    while (cursor.next() !== OBJECT_END) cursor.skipValue();
    found.push({ start: elementStart, end: cursor.end });
  }
  return found;
}

function textOf(bytes: Uint8Array, { start, end }: Range): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("utf8");
}

function textsOf(bytes: Uint8Array, { start, end }: Range): [string, string][] {
  return [...membersOf(bytes, start, end)].map(([name, value]) => [name, textOf(bytes, value)]);
}

function readHit(bytes: Uint8Array, { start, end }: Range): ShareHit {
  const federation = membersOf(bytes, start, end).get("_federation");
  if (federation === undefined) throw new NoShare("a hit has no `_federation`");
  const told = JSON.parse(textOf(bytes, federation)) as Partial<Record<string, unknown>> | null;
  const elements = receivedElements(told?.["weightedScoreValues"]);
  const { indexUid, queriesPosition: query, weightedRankingScore: weightedScore } = told ?? {};
  const isWhole = typeof indexUid === "string" && typeof query === "number" && typeof weightedScore === "number";
  if (elements === null || !isWhole) throw new NoShare("a hit does not tell how it ranks");
  const { pinnedPosition, extraDocument } = told ?? {};
  return {
    indexUid,
    query,
    weightedScore,
    elements,
    start,
    end,
    federationStart: federation.start,
    federationEnd: federation.end,
    pinnedAt: typeof pinnedPosition === "number" ? pinnedPosition : null,
    values: (extraDocument ?? {}) as JsonObject,
  };
}

function readFacets(bytes: Uint8Array, range: Range, rules: FacetRules): ShareFacets[] {
  return [...membersOf(bytes, range.start, range.end)].map(([uid, { start, end }]) => {
    const members = membersOf(bytes, start, end);
    const rule = Object.hasOwn(rules, uid) ? rules[uid]! : null;
    return {
      uid,
      facets: fieldFacets(bytes, members.get("distribution"), members.get("stats")),
      orderOf: (field) => (rule !== null && rule.orders[field] === "count" ? "count" : "alpha"),
      valuesMax: rule?.maxValues ?? Number.POSITIVE_INFINITY,
    };
  });
}

/** Values in the order in which they came: an object would sort those that look like numbers. */
function fieldFacets(bytes: Uint8Array, distribution: Range | undefined, stats: Range | undefined): FieldFacets[] {
  const facets = new Map<string, FieldFacets>();
  for (const [field, { start, end }] of distribution === undefined
    ? []
    : membersOf(bytes, distribution.start, distribution.end)) {
    const values = new Map(
      [...membersOf(bytes, start, end)].map(([value, count]) => [value, Number(textOf(bytes, count))]),
    );
    facets.set(field, { field, values, stats: null });
  }
  for (const [field, text] of stats === undefined ? [] : textsOf(bytes, stats)) {
    const known = facets.get(field) ?? { field, values: new Map(), stats: null };
    facets.set(field, { ...known, stats: JSON.parse(text) });
  }
  return [...facets.values()];
}
