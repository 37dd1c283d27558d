/**
 * The two halves of `exactness`: documents with a field that is, or begins with, the whole query first; then those with
 * more of the words exactly as written.
 */
import { STEP_BUCKETS } from "../../base/kernels/keyword/kernels.ts";
import type { Word } from "../query/vocabulary.ts";
import { bucketOf } from "./attribute.ts";
import type { Bucket, RankContext, Sorting } from "./context.ts";
import { type CostColumn, NO_MATCH, newCostColumn } from "./cost-column.ts";
import { listed, type Picked, pickCosts, traced } from "./cost-selection.ts";
import type { CostRule } from "./cost-sort.ts";
import type { Documents } from "./documents.ts";
import { Occurrences, type PlaceTable } from "./occurrences.ts";
import type { Interpretations, Reading } from "./reading.ts";
import { setWhere } from "./typo.ts";

export class ExactWordsRule implements CostRule {
  readonly needsLeft = false;
  readonly #context: RankContext;

  constructor(context: RankContext) {
    this.#context = context;
  }

  costMax(reading: Reading): number {
    return reading.node.size;
  }

  costs(reading: Reading, _left: Reading | null, documents: Documents): CostColumn {
    const { matches } = this.#context;
    const all = matches.reading(reading);
    const exact = matches.exact(reading);
    const plane = newCostColumn(documents, NO_MATCH);
    setWhere(all, documents, reading.node.size, plane);
    if (exact !== null) setWhere(exact, documents, 0, plane);
    return plane;
  }

  readonly choiceBase = (): number => 0;

  narrowed(reading: Reading, choice: number): Reading {
    return choice === 0 ? reading.exactly() : reading;
  }

  sameForAll(): null {
    return null;
  }
}

interface ExactTerm {
  from: number;
  first: number;
  width: number;
  words: readonly (string | null)[];
}

/** What a document costs by how its best field begins: it is the whole query, it begins with it, neither. */
const WHOLE = 0;
const BEGINNING = 1;
const NEITHER = 2;
const COSTS = 3;

export class ExactAttributeSort implements Sorting {
  readonly #context: RankContext;
  readonly #documents: Documents;
  readonly #interpretations: Interpretations;
  readonly #costs: CostColumn;
  #upcoming = WHOLE;

  constructor(context: RankContext, documents: Documents, interpretations: Interpretations) {
    this.#context = context;
    this.#documents = documents;
    this.#interpretations = interpretations;
    this.#costs = newCostColumn(documents, NEITHER);
    const terms = exactTerms(interpretations);
    if (terms !== null) this.#judge(terms);
  }

  #judge(terms: readonly ExactTerm[]): void {
    const context = this.#context;
    const documents = this.#documents;
    const occurrences = new Occurrences(context.clock);
    const expected: { word: Word; bucket: number }[] = [];
    for (const { first, words } of terms) {
      words.forEach((text, i) => {
        if (text !== null) expected.push({ word: context.corpus.find(text), bucket: bucketOf(first + i) });
      });
    }
    expected.sort((a, b) => a.word.documents - b.word.documents);
    // Each word in turn, the rarest first, keeps the documents that have it where the query has it.
    let left = documents;
    let origins: Picked | null = null;
    for (const { word, bucket } of expected) {
      const kept = this.#withWordAt(word, bucket, left, occurrences);
      origins = origins === null ? kept : traced(documents, origins, kept);
      left = listed(left, kept);
      if (left.count === 0) return;
    }
    const words = new Set(expected.map(({ word }) => word));
    const width = terms.reduce((sum, term) => sum + term.width, 0);
    if (origins !== null) this.#compareFields(left, origins, [...words], width, occurrences);
  }

  /** The documents in which the word stands in a bucket of positions. */
  #withWordAt(word: Word, bucket: number, documents: Documents, occurrences: Occurrences): Picked {
    const elsewhere = new Uint8Array(STEP_BUCKETS).fill(1);
    elsewhere[bucket] = 0;
    const plane = newCostColumn(documents, 1);
    occurrences.words([word], documents, {
      words: (space, refs, { at, count }, { bits, ranks }, segment) => {
        const { kernels, rows, setFields, setOffsets } = space;
        const steps = space.bytesOf(elsewhere);
        const to = plane[segment]!;
        kernels.wordSteps(refs.at, refs.count, rows, setOffsets, setFields, at, count, bits, ranks, 0, steps, to);
      },
      table: (space, { bits, ranks, starts, places }, { at, count }, segment) => {
        const { mark } = space.workspace;
        const steps = space.bytesOf(elsewhere);
        space.kernels.tableSteps(bits, ranks, starts, places, at, count, steps, plane[segment]!);
        space.workspace.release(mark);
      },
    });
    return pickCosts(documents, plane, 0, 1);
  }

  /** Among documents that have all words in place: is there a field with all of them, and does it have more? */
  #compareFields(
    documents: Documents,
    origins: Picked,
    words: readonly Word[],
    width: number,
    occurrences: Occurrences,
  ): void {
    const tables = words.map((word) => occurrences.places([word], documents, null));
    documents.eachList(({ reader, workspace }, { at, count }, segment) => {
      const { fieldLengths, fields } = reader;
      const { u16, u32 } = workspace;
      const searched = this.#context.corpus.fields(segment);
      const common = new CommonFields(searched, fields.length);
      for (let i = 0; i < count; i++) {
        common.reset();
        for (const table of tables) common.keep(u32, table[segment] ?? null, i);
        if (common.count === 0) continue;
        const row = u32[(at >>> 2) + i]!;
        const origin = u32[(origins[segment]!.at >>> 2) + i]!;
        let cost = BEGINNING;
        for (let j = 0; j < common.count; j++)
          if (fieldLengths.wordCount(row, common.fields[j]!) === width) cost = WHOLE;
        u16[(this.#costs[segment]! >>> 1) + origin] = cost;
      }
    });
  }

  next(): Bucket | null {
    if (this.#upcoming === COSTS) return null;
    const cost = this.#upcoming++;
    this.#context.agreement?.reach(cost);
    return {
      documents: this.#between(cost, cost + 1),
      interpretations: this.#interpretations,
      detail: { kind: "exactAttribute", rank: (COSTS - cost) as 1 | 2 | 3 },
    };
  }

  #between(from: number, below: number): Documents {
    const { isExcluded } = this.#context;
    const found = listed(this.#documents, pickCosts(this.#documents, this.#costs, from, below));
    return isExcluded === null ? found : found.filter((segment, row) => !isExcluded(segment, row));
  }

  rest(): Documents {
    return this.#between(this.#upcoming, COSTS);
  }
}

/** The fields of a document in which several words stand, found out word by word. */
class CommonFields {
  /** Ascending; the first `count` count. */
  readonly fields: Uint16Array;
  count = 0;
  readonly #searched: ReadonlySet<number> | null;
  #isFirst = true;

  constructor(searched: ReadonlySet<number> | null, fieldCount: number) {
    this.#searched = searched;
    this.fields = new Uint16Array(fieldCount);
  }

  reset(): void {
    this.count = 0;
    this.#isFirst = true;
  }

  /** Keeps the fields in which a word stands in the document at position `i`. */
  keep(u32: Uint32Array, table: PlaceTable | null, i: number): void {
    const { fields } = this;
    const isFirst = this.#isFirst;
    const searched = this.#searched;
    const known = this.count;
    this.count = 0;
    this.#isFirst = false;
    if (table === null) return;
    const places = table.places >>> 2;
    const end = places + u32[(table.ends >>> 2) + i]!;
    let last = -1;
    let next = 0;
    for (let at = places + u32[(table.begins >>> 2) + i]!; at < end; at++) {
      const field = u32[at]! >>> 16;
      if (field === last) continue;
      last = field;
      if (isFirst) {
        if (searched === null || searched.has(field)) fields[this.count++] = field;
        continue;
      }
      while (next < known && fields[next]! < field) next++;
      if (next < known && fields[next] === field) fields[this.count++] = field;
    }
  }
}

/** What the whole query is, exactly; null when some of it cannot be found as it is. */
function exactTerms({ paths }: Interpretations): ExactTerm[] | null {
  const found: ExactTerm[] = [];
  for (const path of paths) {
    for (const reading of path) {
      const words = reading.exactTerm();
      const { first, from, last } = reading.node;
      if (words === null || found.some((term) => term.from === from)) continue;
      found.push({ from, first, width: last - first + 1, words });
    }
  }
  found.sort((a, b) => a.from - b.from);
  if (found.length === 0 || found[0]!.from !== 0) return null;
  for (let i = 1; i < found.length; i++) if (found[i]!.from - found[i - 1]!.from > 1) return null;
  return found;
}
