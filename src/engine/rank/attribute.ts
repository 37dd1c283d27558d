/**
 * The two halves of `attribute`: words in more important fields first, and words that stand where the query has them
 * first. Each takes the best occurrence of each term, whatever the other half took.
 */
import { STEP_BUCKETS } from "../../base/kernels/keyword/kernels.ts";
import type { RowSets } from "../query/row-sets.ts";
import type { Refs, RowSpace } from "../query/row-space.ts";
import type { RowSummaries, RowTable } from "../query/row-tables.ts";
import type { Word } from "../query/vocabulary.ts";
import type { RankContext } from "./context.ts";
import { type CostColumn, NO_MATCH, newCostColumn } from "./cost-column.ts";
import type { CostRule } from "./cost-sort.ts";
import { type Documents, NO_SET, type RankedSet, type RowList } from "./documents.ts";
import type { FieldWeights } from "./field-weights.ts";
import { type Meeting, Occurrences } from "./occurrences.ts";
import type { Interpretations, Reading } from "./reading.ts";
import { setWhere } from "./typo.ts";

/** Lowers the costs of documents in which a term stands better than known so far. */
interface Lowering {
  /** `among`: address of the set of documents that count, 0 for all. */
  words(space: RowSpace, refs: Refs, list: RowList, set: RankedSet, among: number, segment: number): void;
  table(space: RowSpace, table: RowTable, list: RowList, segment: number): void;
  /** Given where fields, or first positions, say it all. */
  summaries?(space: RowSpace, summaries: RowSummaries, list: RowList, segment: number): void;
}

abstract class OccurrenceRule {
  readonly needsLeft = false;
  readonly choiceBase = null;
  protected readonly context: RankContext;
  readonly #occurrences: Occurrences;

  constructor(context: RankContext) {
    this.context = context;
    this.#occurrences = new Occurrences(context.clock);
  }

  narrowed(reading: Reading): Reading {
    return reading;
  }

  /** Meets every occurrence that stands for the reading; of a phrase its first word. */
  protected meetAll(reading: Reading, documents: Documents, lowering: Lowering): void {
    const { corpus, matches } = this.context;
    const prefix = reading.commonPrefix();
    // The word itself is among the words that begin with it.
    const words = prefix === null ? reading.words() : reading.typoWords();
    const meeting: Meeting = {
      words: (space, refs, list, set, segment) => lowering.words(space, refs, list, set, 0, segment),
      table: lowering.table,
      ...(lowering.summaries === undefined ? {} : { summaries: lowering.summaries }),
    };
    this.#occurrences.words(words, documents, meeting);
    for (const phrase of reading.phrases()) {
      const first = phrase.find((text) => text !== null);
      if (first) this.#meetPhrase(corpus.find(first), documents, matches.phrase(phrase), lowering);
    }
    if (prefix !== null) this.#occurrences.prefix(prefix, documents, meeting);
  }

  /** The first word of a phrase, in the documents that hold the phrase. */
  #meetPhrase(word: Word, documents: Documents, among: RowSets, lowering: Lowering): void {
    documents.eachList((space, list, segment) => {
      const { mark } = space.workspace;
      const refs = space.refs([word.ordinals[segment]!]);
      if (refs.count > 0) lowering.words(space, refs, list, NO_SET, space.address(among[segment]!), segment);
      space.workspace.release(mark);
    });
  }
}

export class FieldRule extends OccurrenceRule implements CostRule {
  readonly #weights: FieldWeights;

  constructor(context: RankContext, weights: FieldWeights) {
    super(context);
    this.#weights = weights;
  }

  costMax(reading: Reading): number {
    return this.#weights.heaviest * reading.node.size;
  }

  costs(reading: Reading, _left: Reading | null, documents: Documents): CostColumn {
    const plane = newCostColumn(documents, NO_MATCH);
    const weights = this.#weights;
    if (weights.heaviest === 0 && this.context.corpus.toleratesEverywhere) {
      setWhere(this.context.matches.reading(reading), documents, 0, plane);
      return plane;
    }
    const { size } = reading.node;
    this.meetAll(reading, documents, {
      words: (space, refs, { at, count }, { bits, ranks }, among, segment) => {
        const { kernels, rows } = space;
        const to = plane[segment]!;
        const ofSets = space.shortsOf(weights.ofSets(segment));
        kernels.wordWeights(refs.at, refs.count, rows, at, count, bits, ranks, among, ofSets, size, to);
      },
      table: (space, { bits, ranks, starts, places }, { at, count }, segment) => {
        const { mark } = space.workspace;
        const ofFields = space.shortsOf(weights.ofFields(segment));
        space.kernels.tableWeights(bits, ranks, starts, places, at, count, ofFields, size, plane[segment]!);
        space.workspace.release(mark);
      },
      summaries: (space, { bits, ranks, masks }, { at, count }, segment) => {
        const { mark } = space.workspace;
        const ofMasks = space.shortsOf(leastOfMasks(weights.ofFields(segment), size));
        space.kernels.maskValues(bits, ranks, masks, at, count, ofMasks, plane[segment]!);
        space.workspace.release(mark);
      },
    });
    return plane;
  }

  sameForAll({ isGraph, paths }: Interpretations): number | null {
    const isFlat = this.#weights.heaviest === 0 && this.context.corpus.toleratesEverywhere;
    return isFlat && !isGraph && paths.length === 1 ? 0 : null;
  }
}

/** By set of fields, one bit each: what the lightest of them costs. */
function leastOfMasks(ofFields: Uint16Array, size: number): Uint16Array {
  const least = new Uint16Array(1 << ofFields.length).fill(NO_MATCH);
  for (let mask = 1; mask < least.length; mask++) {
    const field = 31 - Math.clz32(mask & -mask);
    const own = ofFields[field] === NO_MATCH ? NO_MATCH : ofFields[field]! * size;
    least[mask] = Math.min(own, least[mask & (mask - 1)]!);
  }
  return least;
}

/** Beyond the first few, positions are told apart by powers of two only. */
const SINGLE_POSITIONS = 16;
const STEP_MAX = 10;
const STEPS = [0, 1, 4, 7, 11, 16, 24, 64, 256, 1024];

export function bucketOf(position: number): number {
  if (position < SINGLE_POSITIONS) return position;
  return position < 24 ? SINGLE_POSITIONS : SINGLE_POSITIONS - 4 + (32 - Math.clz32(position - 1));
}

/** What each bucket costs a term of `size` words at a place of the query. */
function bucketCosts(queryPosition: number, size: number): Uint8Array {
  const costs = new Uint8Array(STEP_BUCKETS);
  for (let bucket = 0; bucket < STEP_BUCKETS; bucket++) {
    // One position stands for all of its bucket.
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
  costMax(reading: Reading): number {
    return STEP_MAX * reading.node.size;
  }

  costs(reading: Reading, _left: Reading | null, documents: Documents): CostColumn {
    const plane = newCostColumn(documents, NO_MATCH);
    const ofBuckets = bucketCosts(reading.node.first, reading.node.size);
    const firstSteps: Lowering["summaries"] = (space, { bits, ranks, firsts }, { at, count }, segment) => {
      const { mark } = space.workspace;
      space.kernels.firstValues(bits, ranks, firsts, at, count, space.bytesOf(ofBuckets), plane[segment]!);
      space.workspace.release(mark);
    };
    this.meetAll(reading, documents, {
      words: (space, refs, { at, count }, { bits, ranks }, among, segment) => {
        const to = plane[segment]!;
        const { kernels, rows, setFields, setOffsets } = space;
        const steps = space.bytesOf(ofBuckets);
        kernels.wordSteps(refs.at, refs.count, rows, setOffsets, setFields, at, count, bits, ranks, among, steps, to);
      },
      table: (space, { bits, ranks, starts, places }, { at, count }, segment) => {
        const { mark } = space.workspace;
        const steps = space.bytesOf(ofBuckets);
        space.kernels.tableSteps(bits, ranks, starts, places, at, count, steps, plane[segment]!);
        space.workspace.release(mark);
      },
      // The first word of a query had better stand first: no later place of it matters.
      ...(reading.node.first > 0 ? {} : { summaries: firstSteps }),
    });
    return plane;
  }

  sameForAll(): null {
    return null;
  }
}
