/**
 * The two halves of `attribute`: words in more important fields first, and words that stand where the query has them
 * first. Each takes the best occurrence of each term, whatever the other half took.
 */
import { PlaceBuffer } from "../query/places.ts";
import type { PostingsCursor } from "../segment/postings/cursor.ts";
import type { RankContext } from "./context.ts";
import { type CostRule, NO_MATCH } from "./cost-sort.ts";
import type { Documents } from "./documents.ts";
import type { FieldWeights } from "./field-weights.ts";
import { Occurrences, type Visit, type VisitPlaces } from "./occurrences.ts";
import type { Reading } from "./reading.ts";
import type { RankDetail } from "./result.ts";
import { setWhere } from "./typo.ts";

abstract class OccurrenceRule {
  readonly needsLeft = false;
  readonly choice = null;
  protected readonly context: RankContext;
  protected readonly split: boolean;
  private readonly occurrences: Occurrences;

  constructor(context: RankContext, split: boolean) {
    this.context = context;
    this.split = split;
    this.occurrences = new Occurrences(context.corpus, context.clock);
  }

  narrowed(reading: Reading): Reading {
    return reading;
  }

  /** Visits every occurrence that stands for the reading; of a phrase its first word. */
  protected visitAll(reading: Reading, documents: Documents, visit: Visit, visitPlaces: VisitPlaces): void {
    const { corpus, matches } = this.context;
    const prefix = reading.commonPrefix();
    // The word itself is among the words that begin with it.
    const words = prefix === null ? reading.words() : reading.typoWords();
    for (const word of words) this.occurrences.word(word, documents, null, visit, visitPlaces);
    for (const phrase of reading.phrases()) {
      const first = phrase.find((text) => text !== null);
      if (first) this.occurrences.word(corpus.find(first), documents, matches.phrase(phrase), visit, visitPlaces);
    }
    if (prefix !== null) this.occurrences.prefix(prefix, documents, visitPlaces);
  }
}

export class FieldRule extends OccurrenceRule implements CostRule {
  private readonly weights: FieldWeights;

  constructor(context: RankContext, split: boolean, weights: FieldWeights) {
    super(context, split);
    this.weights = weights;
  }

  costMax(reading: Reading): number {
    return this.weights.heaviest * reading.node.size;
  }

  costs(reading: Reading, _left: Reading | null, documents: Documents): Uint16Array {
    const costs = new Uint16Array(documents.count).fill(NO_MATCH);
    const { size } = reading.node;
    const { weights } = this;
    if (weights.heaviest === 0 && this.context.corpus.toleratesEverywhere) {
      setWhere(this.context.matches.reading(reading), documents, 0, costs);
      return costs;
    }
    const visit: Visit = (position, cursor, segment) => {
      if (costs[position] === 0) return;
      const weight = weights.ofSets(segment)[cursor.fieldSet()]!;
      if (weight !== NO_MATCH && weight * size < costs[position]!) costs[position] = weight * size;
    };
    this.visitAll(reading, documents, visit, (position, places, from, to, segment) => {
      const ofFields = weights.ofFields(segment);
      for (let i = from; i < to && costs[position] !== 0; i++) {
        const weight = ofFields[places[i]! >>> 16]!;
        if (weight !== NO_MATCH && weight * size < costs[position]!) costs[position] = weight * size;
      }
    });
    return costs;
  }

  detail(cost: number, max: number): RankDetail {
    return { kind: "field", rank: max - cost, max, split: this.split };
  }
}

/** Beyond the first few, positions are told apart by powers of two only. */
const SINGLE_POSITIONS = 16;
const BUCKETS = 30;
const STEP_MAX = 10;
const STEPS = [0, 1, 4, 7, 11, 16, 24, 64, 256, 1024];

function bucketOf(position: number): number {
  if (position < SINGLE_POSITIONS) return position;
  return position < 24 ? SINGLE_POSITIONS : SINGLE_POSITIONS - 4 + (32 - Math.clz32(position - 1));
}

/** The position that stands for all of its bucket. */
export function bucketPosition(position: number): number {
  if (position < SINGLE_POSITIONS) return position;
  if (position < 24) return 24;
  return Math.min(65_535, 1 << (32 - Math.clz32(position - 1)));
}

/** What each bucket costs a term of `size` words at a place of the query. */
function bucketCosts(queryPosition: number, size: number): Uint8Array {
  const costs = new Uint8Array(BUCKETS);
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    let position = bucket;
    if (bucket === SINGLE_POSITIONS) position = 24;
    else if (bucket > SINGLE_POSITIONS) position = Math.min(65_535, 1 << (bucket - SINGLE_POSITIONS + 4));
    const distance = Math.abs(position - queryPosition);
    for (let i = 0; i < size; i++) costs[bucket]! += step(distance + i);
  }
  return costs;
}

function step(distance: number): number {
  const found = STEPS.findIndex((most) => distance <= most);
  return found < 0 ? STEP_MAX : found;
}

export class PositionRule extends OccurrenceRule implements CostRule {
  private readonly buffer = new PlaceBuffer();

  costMax(reading: Reading): number {
    return STEP_MAX * reading.node.size;
  }

  costs(reading: Reading, _left: Reading | null, documents: Documents): Uint16Array {
    const costs = new Uint16Array(documents.count).fill(NO_MATCH);
    const ofBuckets = bucketCosts(reading.node.first, reading.node.size);
    const { buffer } = this;
    const visitPlaces = (position: number, places: Uint32Array, from: number, to: number): void => {
      let least = costs[position]!;
      for (let i = from; i < to; i++) {
        const cost = ofBuckets[bucketOf(places[i]! & 0xffff)]!;
        if (cost < least) least = cost;
      }
      costs[position] = least;
    };
    const visit = (position: number, cursor: PostingsCursor): void => {
      if (costs[position] === 0) return;
      buffer.read(cursor);
      visitPlaces(position, buffer.places, 0, buffer.count);
    };
    this.visitAll(reading, documents, visit, visitPlaces);
    return costs;
  }

  detail(cost: number, max: number): RankDetail {
    return { kind: "position", rank: max - cost, max, split: this.split };
  }
}
