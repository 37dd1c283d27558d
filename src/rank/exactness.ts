/**
 * The two halves of `exactness`: documents with a field that is, or begins with, the whole query first; then those with
 * more of the words exactly as written.
 */
import { PlaceBuffer } from "../query/places.ts";
import type { Word } from "../query/vocabulary.ts";
import type { PostingsCursor } from "../segment/postings/cursor.ts";
import { bucketPosition } from "./attribute.ts";
import type { Bucket, RankContext, Sorting } from "./context.ts";
import { type CostRule, NO_MATCH } from "./cost-sort.ts";
import type { Documents } from "./documents.ts";
import { Occurrences, type Visit, type VisitPlaces } from "./occurrences.ts";
import type { Interpretations, Reading } from "./reading.ts";
import type { RankDetail } from "./result.ts";
import { setWhere } from "./typo.ts";

export class ExactWordsRule implements CostRule {
  readonly needsLeft = false;
  private readonly context: RankContext;

  constructor(context: RankContext) {
    this.context = context;
  }

  costMax(reading: Reading): number {
    return reading.node.size;
  }

  costs(reading: Reading, _left: Reading | null, documents: Documents): Uint16Array {
    const costs = new Uint16Array(documents.count).fill(NO_MATCH);
    const { matches } = this.context;
    setWhere(matches.reading(reading), documents, reading.node.size, costs);
    const exact = matches.exact(reading);
    if (exact !== null) setWhere(exact, documents, 0, costs);
    return costs;
  }

  readonly choice = (_reading: Reading, cost: number): number => (cost === 0 ? 0 : 1);

  narrowed(reading: Reading, choice: number): Reading {
    return choice === 0 ? reading.exactly() : reading;
  }

  detail(cost: number, max: number): RankDetail {
    return { kind: "exactWords", matching: max - 1 - cost, max: max - 1 };
  }
}

interface ExactTerm {
  from: number;
  first: number;
  width: number;
  words: readonly (string | null)[];
}

type Standing = 1 | 2 | 3;

export class ExactAttributeSort implements Sorting {
  private readonly context: RankContext;
  private readonly documents: Documents;
  private readonly interpretations: Interpretations;
  /** 3 for the whole field, 2 for its beginning, 1 for neither. */
  private readonly standings: Uint8Array;
  private upcoming = 3;

  constructor(context: RankContext, documents: Documents, interpretations: Interpretations) {
    this.context = context;
    this.documents = documents;
    this.interpretations = interpretations;
    this.standings = new Uint8Array(documents.count).fill(1);
    const terms = exactTerms(interpretations);
    if (terms !== null) this.judge(terms);
  }

  private judge(terms: readonly ExactTerm[]): void {
    const { context, documents } = this;
    const occurrences = new Occurrences(context.corpus, context.clock);
    const buffer = new PlaceBuffer();
    const expected: { word: Word; place: number }[] = [];
    for (const { first, words } of terms) {
      words.forEach((text, i) => {
        if (text !== null) expected.push({ word: context.corpus.find(text), place: bucketPosition(first + i) });
      });
    }
    expected.sort((a, b) => a.word.documents - b.word.documents);
    // Each word in turn, the rarest first, keeps the documents that have it where the query has it.
    let left = documents;
    let positions = Uint32Array.from({ length: documents.count }, (_, i) => i);
    for (const { word, place } of expected) {
      const kept: number[] = [];
      const visitPlaces = (position: number, places: Uint32Array, from: number, to: number): void => {
        for (let i = from; i < to; i++) {
          if (bucketPosition(places[i]! & 0xffff) !== place) continue;
          kept.push(position);
          break;
        }
      };
      const visit = (position: number, cursor: PostingsCursor): void => {
        buffer.read(cursor);
        visitPlaces(position, buffer.places, 0, buffer.count);
      };
      occurrences.word(word, left, null, visit, visitPlaces);
      const picked = Uint32Array.from(kept);
      left = left.pick(picked);
      positions = picked.map((position) => positions[position]!);
      if (left.count === 0) return;
    }
    const words = new Set(expected.map(({ word }) => word));
    const width = terms.reduce((sum, term) => sum + term.width, 0);
    this.compareFields(left, positions, [...words], width, occurrences);
  }

  /** Among documents that have all words in place: is there a field with all of them, and does it have more? */
  private compareFields(
    documents: Documents,
    positions: Uint32Array,
    words: readonly Word[],
    width: number,
    occurrences: Occurrences,
  ): void {
    const { corpus } = this.context;
    const common: (number[] | null)[] = new Array(documents.count).fill(null);
    const buffer = new PlaceBuffer();
    const visitPlaces: VisitPlaces = (position, places, from, to, segment) => {
      const searched = corpus.fields(segment);
      const known = common[position]!;
      const fields: number[] = [];
      for (let i = from; i < to; i++) {
        const field = places[i]! >>> 16;
        if (fields.at(-1) === field || (searched !== null && !searched.has(field))) continue;
        if (known === null || known.includes(field)) fields.push(field);
      }
      common[position] = fields;
    };
    const visit: Visit = (position, cursor, segment) => {
      buffer.read(cursor);
      visitPlaces(position, buffer.places, 0, buffer.count, segment);
    };
    for (const word of words) occurrences.word(word, documents, null, visit, visitPlaces);
    for (let segment = 0; segment < documents.segmentCount; segment++) {
      const { facts } = corpus.segments[segment]!.reader;
      for (let i = documents.starts[segment]!; i < documents.starts[segment + 1]!; i++) {
        const fields = common[i] ?? [];
        if (fields.length === 0) continue;
        const whole = fields.some((field) => facts.wordCount(documents.rows[i]!, field) === width);
        this.standings[positions[i]!] = whole ? 3 : 2;
      }
    }
  }

  next(): Bucket | null {
    if (this.upcoming === 0) return null;
    const standing = this.upcoming as Standing;
    this.upcoming--;
    return {
      documents: this.withStanding((own) => own === standing),
      interpretations: this.interpretations,
      detail: { kind: "exactAttribute", rank: standing },
    };
  }

  private withStanding(wanted: (standing: number) => boolean): Documents {
    const { isExcluded } = this.context;
    const positions: number[] = [];
    for (let i = 0; i < this.standings.length; i++) if (wanted(this.standings[i]!)) positions.push(i);
    const found =
      positions.length === this.documents.count ? this.documents : this.documents.pick(Uint32Array.from(positions));
    return isExcluded === null ? found : found.filter((segment, row) => !isExcluded(segment, row));
  }

  rest(): Documents {
    return this.withStanding((own) => own <= this.upcoming);
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
