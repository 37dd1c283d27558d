/**
 * Query words that stand near each other first. Measured between neighbours in the query, in any field of the document:
 * 0 for words that follow each other, up to 3; a pair in reversed order counts one more.
 */
import { FAR } from "../query/places.ts";
import type { RowSets } from "../query/row-sets.ts";
import type { Word } from "../query/vocabulary.ts";
import type { RankContext } from "./context.ts";
import { type CostColumn, NO_MATCH, newCostColumn } from "./cost-column.ts";
import type { CostRule } from "./cost-sort.ts";
import type { Documents } from "./documents.ts";
import { Occurrences, type PlaceTable } from "./occurrences.ts";
import type { Interpretations, Reading } from "./reading.ts";
import { setWhere } from "./typo.ts";

/** A word at the edge of a phrase; counts only in documents that hold the phrase. */
interface EdgeWord {
  word: Word;
  documents: RowSets;
}

/** By segment; null where there are none. */
type Places = readonly (PlaceTable | null)[];

export class ProximityRule implements CostRule {
  readonly needsLeft = true;
  readonly choiceBase = null;
  readonly #context: RankContext;
  readonly #occurrences: Occurrences;
  readonly #gathered = new Map<number, Places>();
  #gatheredFor: Documents | null = null;

  constructor(context: RankContext) {
    this.#context = context;
    this.#occurrences = new Occurrences(context.clock);
  }

  costMax(reading: Reading, left: Reading | null): number {
    return reading.node.size - 1 + (areNeighbours(left, reading) ? FAR - 1 : 0);
  }

  costs(reading: Reading, left: Reading | null, documents: Documents): CostColumn {
    const base = reading.node.size - 1;
    const measured = left !== null && areNeighbours(left, reading);
    const matching = this.#context.matches.reading(reading);
    const plane = newCostColumn(documents, NO_MATCH);
    setWhere(matching, documents, base + (measured ? FAR - 1 : 0), plane);
    if (measured) this.#measure(left, reading, documents, base, plane);
    return plane;
  }

  narrowed(reading: Reading): Reading {
    return reading;
  }

  /** A single word is near itself. */
  sameForAll({ isGraph, paths }: Interpretations): number | null {
    if (isGraph || paths.length !== 1 || paths[0]!.length !== 1) return null;
    return paths[0]![0]!.node.size - 1;
  }

  #measure(left: Reading, right: Reading, documents: Documents, base: number, plane: CostColumn): void {
    const leftWords = this.#readingPlaces(left, documents);
    const rightWords = this.#readingPlaces(right, documents);
    const leftEdges = this.#edges(left, -1);
    const rightEdges = this.#edges(right, 0);
    const leftPhrases = this.#edgePlaces(leftEdges, documents);
    const rightPhrases = this.#edgePlaces(rightEdges, documents);
    const prefix = right.commonPrefix();
    const completions = prefix === null ? [] : this.#occurrences.prefixPlaces(prefix, documents);
    const { byAttribute } = this.#context.matches;
    const near = (a: Places, b: Places, more: number): void => {
      if (byAttribute) this.#nearInField(a, b, documents, base, plane);
      else this.#near(a, b, more, documents, base, plane);
    };
    near(leftWords, rightWords, 0);
    near(rightWords, leftWords, byAttribute ? 0 : 1);
    for (const places of rightPhrases) near(leftWords, places, 0);
    for (const places of leftPhrases) {
      near(places, rightWords, 0);
      for (const others of rightPhrases) near(places, others, 0);
    }
    near(leftWords, completions, 0);
    if (prefix !== null) near(this.#uncheckedPlaces(leftEdges, documents, `${left.key}`), completions, 0);
    this.#context.clock.spend(documents.count);
  }

  #near(a: Places, b: Places, more: number, documents: Documents, base: number, plane: CostColumn): void {
    documents.eachList(({ kernels }, { count }, segment) => {
      const [left, right] = [a[segment] ?? null, b[segment] ?? null];
      if (left === null || right === null) return;
      const to = plane[segment]!;
      kernels.near(left.begins, left.ends, left.places, right.begins, right.ends, right.places, count, more, base, to);
    });
  }

  #nearInField(a: Places, b: Places, documents: Documents, base: number, plane: CostColumn): void {
    documents.eachList((space, { count }, segment) => {
      const [left, right] = [a[segment] ?? null, b[segment] ?? null];
      if (left === null || right === null) return;
      const { mark } = space.workspace;
      const marks = space.fieldMarks(this.#context.corpus.fields(segment));
      space.kernels.nearInField(
        left.begins,
        left.ends,
        left.places,
        right.begins,
        right.ends,
        right.places,
        count,
        marks,
        base,
        plane[segment]!,
      );
      space.workspace.release(mark);
    });
  }

  /** A reading is the right side of one pair and the left side of the next. */
  #readingPlaces(reading: Reading, documents: Documents): Places {
    if (this.#gatheredFor !== documents) {
      this.#gathered.clear();
      this.#gatheredFor = documents;
    }
    let places = this.#gathered.get(reading.key);
    if (places === undefined) {
      places = this.#occurrences.places(reading.words(), documents, null);
      this.#gathered.set(reading.key, places);
    }
    return places;
  }

  /** The last (-1) or first (0) words of the reading's phrases. */
  #edges(reading: Reading, slot: -1 | 0): EdgeWord[] {
    const { corpus, matches } = this.#context;
    const edges: EdgeWord[] = [];
    for (const phrase of reading.phrases()) {
      const text = phrase.at(slot);
      if (text !== null && text !== undefined) {
        edges.push({ word: corpus.find(text), documents: matches.phrase(phrase) });
      }
    }
    return edges;
  }

  #edgePlaces(edges: readonly EdgeWord[], documents: Documents): Places[] {
    return edges.map(({ word, documents: among }) => this.#occurrences.places([word], documents, among));
  }

  /** Before a common prefix a phrase is enough as its last word, if some document here holds the phrase. */
  #uncheckedPlaces(edges: readonly EdgeWord[], documents: Documents, name: string): Places {
    const sets = edges.length === 0 ? null : documents.toSets();
    const { agreement } = this.#context;
    const { spaces } = documents;
    const held = edges.filter(({ documents: among }, i) => {
      const here = spaces.meet(among, sets!);
      return agreement?.holds(`${name} ${i}`, here) ?? here;
    });
    const words = held.map(({ word }) => word);
    return this.#occurrences.places(words, documents, null);
  }
}

/** Nothing stands between the two in the query. */
function areNeighbours(left: Reading | null, right: Reading): boolean {
  return left !== null && left.node.last + 1 === right.node.first;
}
