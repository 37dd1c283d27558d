/**
 * Which documents match a reading of a term: the union over its words, phrases and completions. Each set is made once
 * per search, when first asked for.
 */
import type { Corpus, Reach } from "../query/corpus.ts";
import { phraseRows } from "../query/phrases.ts";
import type { RowSets } from "../query/row-sets.ts";
import { prefixRows } from "../query/row-tables.ts";
import type { Phrase } from "../query/synonyms.ts";
import type { Word } from "../query/vocabulary.ts";
import type { Reading } from "./reading.ts";

export class Matches {
  readonly corpus: Corpus;
  readonly byAttribute: boolean;
  readonly #nothing: RowSets;
  readonly #ofReadings = new Map<number, RowSets>();
  readonly #ofPhrases = new Map<string, RowSets>();
  readonly #ofExact = new Map<number, RowSets>();

  constructor(corpus: Corpus, byAttribute: boolean) {
    this.corpus = corpus;
    this.byAttribute = byAttribute;
    this.#nothing = this.none();
  }

  none(): RowSets {
    return this.corpus.spaces.none();
  }

  /** Documents that match any of what the reading allows. */
  reading(reading: Reading): RowSets {
    let sets = this.#ofReadings.get(reading.key);
    if (sets === undefined) {
      sets = this.#find(reading);
      this.#ofReadings.set(reading.key, sets);
    }
    return sets;
  }

  /** Whether no document matches. */
  isEmpty(reading: Reading): boolean {
    return this.reading(reading) === this.#nothing || this.corpus.spaces.isEmpty(this.reading(reading));
  }

  #find(reading: Reading): RowSets {
    if (!reading.mayMatch()) return this.#nothing;
    const sets = this.none();
    if (reading.isWhole && reading.node.term.phrase === null) {
      for (let typos = 0; typos <= 2; typos++) {
        const tier = this.reading(reading.tier(typos));
        if (tier !== this.#nothing) this.corpus.spaces.addTo(sets, tier);
      }
    } else {
      const reach = reading.node.term.joined === null ? "anywhere" : "tolerant";
      this.#addWords(reading.plainWords(), reach, sets);
      this.#addWords(reading.typoWords(), "tolerant", sets);
      for (const phrase of reading.phrases()) this.corpus.spaces.addTo(sets, this.phrase(phrase));
      const prefix = reading.commonPrefix();
      if (prefix !== null) this.#addCompletions(prefix, reach, sets);
    }
    return sets;
  }

  phrase(phrase: Phrase): RowSets {
    const key = phrase.map((word) => word ?? "").join("\u0000");
    let sets = this.#ofPhrases.get(key);
    if (sets === undefined) {
      sets = phraseRows(this.corpus, phrase, this.byAttribute);
      this.#ofPhrases.set(key, sets);
    }
    return sets;
  }

  word(word: Word): RowSets {
    const sets = this.none();
    this.#addWords([word], "anywhere", sets);
    return sets;
  }

  /** Documents that hold what the user wrote; null when that cannot be. */
  exact(reading: Reading): RowSets | null {
    const term = reading.exactTerm();
    if (term === null) return null;
    let sets = this.#ofExact.get(reading.node.index);
    if (sets === undefined) {
      sets = reading.node.term.phrase === null ? this.word(reading.node.term.exact!) : this.phrase(term);
      this.#ofExact.set(reading.node.index, sets);
    }
    return sets;
  }

  #addWords(words: readonly Word[], reach: Reach, sets: RowSets): void {
    const { corpus } = this;
    const counting = reach === "tolerant" ? words.filter((word) => !corpus.hasNoTolerantPlace(word)) : words;
    if (counting.length === 0) return;
    for (let i = 0; i < sets.length; i++) {
      const space = corpus.spaces.list[i]!;
      const { mark } = space.workspace;
      const ordinals: number[] = [];
      for (const word of counting) if (word.ordinals[i] !== -1) ordinals.push(word.ordinals[i]!);
      if (ordinals.length === 0) continue;
      const refs = space.refs(ordinals);
      const marks = corpus.sets(i, reach);
      const bits = sets[i]!.words.byteOffset;
      if (marks === null) space.kernels.unionRows(refs.at, refs.count, space.rows, bits);
      else space.kernels.unionRowsInSets(refs.at, refs.count, space.rows, space.bytesOf(marks), bits);
      space.workspace.release(mark);
    }
  }

  #addCompletions(prefix: string, reach: Reach, sets: RowSets): void {
    const { corpus } = this;
    const { vocabulary } = corpus;
    if (reach === "tolerant" && vocabulary.limitsNumbers) {
      this.#addWords(vocabulary.completions(prefix, Number.POSITIVE_INFINITY), reach, sets);
      this.#addWords([vocabulary.find(prefix)], reach, sets);
      return;
    }
    corpus.spaces.list.forEach((space, i) => {
      const bits = sets[i]!.words.byteOffset;
      const marks = corpus.sets(i, reach);
      const { kernels, workspace } = space;
      if (marks === null) {
        const rows = prefixRows(space, prefix).words.byteOffset;
        kernels.bitsOr(bits, bits, rows, space.bytes);
        return;
      }
      const { refs } = space.completions(prefix);
      const { mark } = workspace;
      kernels.unionRowsInSets(refs.at, refs.count, space.rows, space.bytesOf(marks), bits);
      workspace.release(mark);
    });
  }
}
