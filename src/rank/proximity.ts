/**
 * Query words that stand near each other first. Measured between neighbours in the query, in any field of the document:
 * 0 for words that follow each other, up to 3; a pair in reversed order counts one more.
 */
import { FAR, forwardDistance } from "../query/places.ts";
import type { Word } from "../query/vocabulary.ts";
import type { RankContext } from "./context.ts";
import { type CostRule, NO_MATCH } from "./cost-sort.ts";
import type { Documents } from "./documents.ts";
import { Occurrences, PlaceCollector, type PlaceTable } from "./occurrences.ts";
import type { Reading } from "./reading.ts";
import type { RankDetail } from "./result.ts";
import type { RowSets } from "./row-sets.ts";
import { setWhere } from "./typo.ts";

/** A word at the edge of a phrase; counts only in documents that hold the phrase. */
interface EdgeWord {
  word: Word;
  documents: RowSets;
}

export class ProximityRule implements CostRule {
  readonly needsLeft = true;
  readonly choice = null;
  private readonly context: RankContext;
  private readonly occurrences: Occurrences;
  private readonly gathered = new Map<number, PlaceTable | null>();
  private gatheredFor: Documents | null = null;

  constructor(context: RankContext) {
    this.context = context;
    this.occurrences = new Occurrences(context.corpus, context.clock);
  }

  costMax(reading: Reading, left: Reading | null): number {
    return reading.node.size - 1 + (areNeighbours(left, reading) ? FAR - 1 : 0);
  }

  costs(reading: Reading, left: Reading | null, documents: Documents): Uint16Array {
    const costs = new Uint16Array(documents.count).fill(NO_MATCH);
    const base = reading.node.size - 1;
    const measured = left !== null && areNeighbours(left, reading);
    setWhere(this.context.matches.reading(reading), documents, base + (measured ? FAR - 1 : 0), costs);
    if (measured) this.measure(left, reading, documents, base, costs);
    return costs;
  }

  narrowed(reading: Reading): Reading {
    return reading;
  }

  detail(cost: number, max: number): RankDetail {
    return { kind: "proximity", rank: max - cost, max };
  }

  private measure(left: Reading, right: Reading, documents: Documents, base: number, costs: Uint16Array): void {
    const leftWords = this.readingPlaces(left, documents);
    const rightWords = this.readingPlaces(right, documents);
    const leftEdges = this.edges(left, -1);
    const rightEdges = this.edges(right, 0);
    const leftPhrases = this.edgePlaces(leftEdges, documents);
    const rightPhrases = this.edgePlaces(rightEdges, documents);
    const prefix = right.commonPrefix();
    const completions = prefix === null ? null : this.prefixPlaces(prefix, documents);
    const nearest = this.context.matches.byAttribute
      ? (a: PlaceTable, b: PlaceTable, at: number) => sameField(this.searchedFields(documents, at), a, b, at)
      : forward;
    const near = (a: PlaceTable | null, b: PlaceTable | null, more: number): void => {
      if (a === null || b === null) return;
      for (let at = 0; at < costs.length; at++) {
        if (a.starts[at] === a.starts[at + 1] || b.starts[at] === b.starts[at + 1]) continue;
        const distance = nearest(a, b, at) + more;
        if (distance < FAR && base + distance - 1 < costs[at]!) costs[at] = base + distance - 1;
      }
    };
    near(leftWords, rightWords, 0);
    near(rightWords, leftWords, this.context.matches.byAttribute ? 0 : 1);
    near(leftWords, rightPhrases, 0);
    near(leftPhrases, rightWords, 0);
    near(leftPhrases, rightPhrases, 0);
    near(leftWords, completions, 0);
    if (completions !== null) near(this.uncheckedPlaces(leftEdges, documents), completions, 0);
    this.context.clock.spend(documents.count);
  }

  /** A reading is the right side of one pair and the left side of the next. */
  private readingPlaces(reading: Reading, documents: Documents): PlaceTable | null {
    if (this.gatheredFor !== documents) {
      this.gathered.clear();
      this.gatheredFor = documents;
    }
    let table = this.gathered.get(reading.key);
    if (table === undefined) {
      table = this.wordPlaces(reading.words(), documents);
      this.gathered.set(reading.key, table);
    }
    return table;
  }

  private wordPlaces(words: readonly Word[], documents: Documents): PlaceTable | null {
    if (words.length === 0) return null;
    const collector = new PlaceCollector();
    for (const word of words) this.occurrences.word(word, documents, null, collector.visit, collector.visitPlaces);
    return collector.finish(documents.count);
  }

  private prefixPlaces(prefix: string, documents: Documents): PlaceTable {
    const collector = new PlaceCollector();
    this.occurrences.prefix(prefix, documents, collector.visitPlaces);
    return collector.finish(documents.count);
  }

  /** The last (-1) or first (0) words of the reading's phrases. */
  private edges(reading: Reading, slot: -1 | 0): EdgeWord[] {
    const { corpus, matches } = this.context;
    const edges: EdgeWord[] = [];
    for (const phrase of reading.phrases()) {
      const text = phrase.at(slot);
      if (text !== null && text !== undefined) {
        edges.push({ word: corpus.find(text), documents: matches.phrase(phrase) });
      }
    }
    return edges;
  }

  private edgePlaces(edges: readonly EdgeWord[], documents: Documents): PlaceTable | null {
    if (edges.length === 0) return null;
    const collector = new PlaceCollector();
    for (const { word, documents: among } of edges) {
      this.occurrences.word(word, documents, among, collector.visit, collector.visitPlaces);
    }
    return collector.finish(documents.count);
  }

  /** Before a common prefix a phrase is enough as its last word, if some document here holds the phrase. */
  private uncheckedPlaces(edges: readonly EdgeWord[], documents: Documents): PlaceTable | null {
    const held = edges.filter(({ documents: among }) => someIn(among, documents)).map(({ word }) => word);
    return this.wordPlaces(held, documents);
  }

  private searchedFields(documents: Documents, at: number): ReadonlySet<number> | null {
    let segment = 0;
    while (at >= documents.starts[segment + 1]!) segment++;
    return this.context.corpus.fields(segment);
  }
}

function someIn(sets: RowSets, { rows, starts }: Documents): boolean {
  return sets.some((set, segment) => {
    for (let i = starts[segment]!; i < starts[segment + 1]!; i++) if (set.has(rows[i]!)) return true;
    return false;
  });
}

/** Nothing stands between the two in the query. */
function areNeighbours(left: Reading | null, right: Reading): boolean {
  return left !== null && left.node.last + 1 === right.node.first;
}

function forward(a: PlaceTable, b: PlaceTable, at: number): number {
  return forwardDistance(a.places, a.starts[at]!, a.starts[at + 1]!, b.places, b.starts[at]!, b.starts[at + 1]!);
}

/** 1 when both stand in one field, FAR otherwise. */
function sameField(fields: ReadonlySet<number> | null, a: PlaceTable, b: PlaceTable, at: number): number {
  let j = b.starts[at]!;
  const end = b.starts[at + 1]!;
  for (let i = a.starts[at]!; i < a.starts[at + 1]!; i++) {
    const field = a.places[i]! >>> 16;
    while (j < end && b.places[j]! >>> 16 < field) j++;
    if (j === end) return FAR;
    if (b.places[j]! >>> 16 === field && (fields === null || fields.has(field))) return 1;
  }
  return FAR;
}
