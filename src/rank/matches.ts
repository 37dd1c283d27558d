/**
 * Which documents match a reading of a term: the union over its words, phrases and completions. Each set is made once
 * per search, when first asked for.
 */
import { Buffer } from "node:buffer";
import type { Corpus, Reach } from "../query/corpus.ts";
import { phraseRows } from "../query/phrases.ts";
import { prefixTable } from "../query/row-tables.ts";
import type { Phrase } from "../query/rules.ts";
import type { Word } from "../query/vocabulary.ts";
import { Bitmap } from "../segment/bitmap.ts";
import type { Reading } from "./reading.ts";
import { addTo, isEmpty, type RowSets } from "./row-sets.ts";

export class Matches {
  readonly corpus: Corpus;
  readonly byAttribute: boolean;
  private readonly nothing: RowSets;
  private readonly ofReadings = new Map<number, RowSets>();
  private readonly ofPhrases = new Map<string, RowSets>();
  private readonly ofExact = new Map<number, RowSets>();

  constructor(corpus: Corpus, byAttribute: boolean) {
    this.corpus = corpus;
    this.byAttribute = byAttribute;
    this.nothing = this.none();
  }

  none(): RowSets {
    return this.corpus.segments.map(({ view }) => Bitmap.create(view.rows));
  }

  /** Documents that match any of what the reading allows. */
  reading(reading: Reading): RowSets {
    let sets = this.ofReadings.get(reading.key);
    if (sets === undefined) {
      sets = this.find(reading);
      this.ofReadings.set(reading.key, sets);
    }
    return sets;
  }

  /** Whether no document matches. */
  isEmpty(reading: Reading): boolean {
    return this.reading(reading) === this.nothing || isEmpty(this.reading(reading));
  }

  private find(reading: Reading): RowSets {
    if (!reading.mayMatch()) return this.nothing;
    const sets = this.none();
    if (reading.isWhole && reading.node.term.phrase === null) {
      for (let typos = 0; typos <= 2; typos++) {
        const tier = this.reading(reading.tier(typos));
        if (tier !== this.nothing) addTo(sets, tier);
      }
    } else {
      const reach = reading.node.term.joined === null ? "anywhere" : "tolerant";
      for (const word of reading.plainWords()) this.addWord(word, reach, sets);
      for (const word of reading.typoWords()) this.addWord(word, "tolerant", sets);
      for (const phrase of reading.phrases()) addTo(sets, this.phrase(phrase));
      const prefix = reading.commonPrefix();
      if (prefix !== null) this.addCompletions(prefix, reach, sets);
    }
    return sets;
  }

  phrase(phrase: Phrase): RowSets {
    const key = phrase.map((word) => word ?? "").join("\u0000");
    let sets = this.ofPhrases.get(key);
    if (sets === undefined) {
      sets = phraseRows(this.corpus, phrase, this.byAttribute);
      this.ofPhrases.set(key, sets);
    }
    return sets;
  }

  word(word: Word): RowSets {
    const sets = this.none();
    this.addWord(word, "anywhere", sets);
    return sets;
  }

  /** Documents that hold what the user wrote; null when that cannot be. */
  exact(reading: Reading): RowSets | null {
    const term = reading.exactTerm();
    if (term === null) return null;
    let sets = this.ofExact.get(reading.node.index);
    if (sets === undefined) {
      sets = reading.node.term.phrase === null ? this.word(reading.node.term.exact!) : this.phrase(term);
      this.ofExact.set(reading.node.index, sets);
    }
    return sets;
  }

  private addWord(word: Word, reach: Reach, sets: RowSets): void {
    if (reach === "tolerant" && this.corpus.hasNoTolerantPlace(word)) return;
    this.corpus.segments.forEach((segment, i) => {
      const ordinal = word.ordinals[i]!;
      if (ordinal === -1) return;
      const cursor = segment.openShared(ordinal);
      const marks = this.corpus.sets(i, reach);
      if (marks === null) cursor.addRows(sets[i]!.words);
      else cursor.addRowsInSets(marks, sets[i]!.words);
    });
  }

  private addCompletions(prefix: string, reach: Reach, sets: RowSets): void {
    const { vocabulary } = this.corpus;
    if (reach === "tolerant" && vocabulary.limitsNumbers) {
      for (const word of vocabulary.completions(prefix, Number.POSITIVE_INFINITY)) this.addWord(word, reach, sets);
      this.addWord(vocabulary.find(prefix), reach, sets);
      return;
    }
    const bytes = Buffer.from(prefix);
    this.corpus.segments.forEach((segment, i) => {
      if (this.corpus.sets(i, reach) === null) {
        sets[i]!.orWith(prefixTable(segment, prefix).bitmap);
        return;
      }
      const { from, to } = segment.reader.terms.prefixRange(bytes);
      const marks = this.corpus.sets(i, reach);
      for (let ordinal = from; ordinal < to; ordinal++) {
        const cursor = segment.openShared(ordinal);
        if (marks === null) cursor.addRows(sets[i]!.words);
        else cursor.addRowsInSets(marks, sets[i]!.words);
      }
    });
  }
}
