/** The words of an index within one search: the fields it is limited to, and the words it came across. */
import type { IndexView } from "../../storage/index/view.ts";
import { RowSpaces } from "./row-sets.ts";
import { isExactField, type Vocabulary, vocabularyOf, type Word, type WordSegment } from "./vocabulary.ts";

/** Where a word counts as found. */
export type Reach = "anywhere" | "tolerant";

/** What of a segment a search looks at: local fields and field sets, null for all of them. */
interface Scope {
  fields: ReadonlySet<number> | null;
  anywhere: Uint8Array | null;
  tolerant: Uint8Array | null;
}

export class Corpus {
  readonly vocabulary: Vocabulary;
  readonly segments: readonly WordSegment[];
  readonly spaces: RowSpaces;
  readonly #scopes: readonly Scope[];
  readonly isRestricted: boolean;
  readonly #met = new Map<Word, number>();

  /** `searched` names the flattened fields a search is limited to; null for all. */
  constructor(view: IndexView, searched: ReadonlySet<string> | null) {
    this.vocabulary = vocabularyOf(view);
    this.segments = this.vocabulary.segments;
    this.spaces = new RowSpaces(this.segments.map(({ space }) => space));
    this.isRestricted = searched !== null;
    const { disableOnAttributes } = view.settings.typoTolerance;
    this.#scopes = this.segments.map(({ reader, tolerantSets }) => {
      if (searched === null) return { fields: null, anywhere: null, tolerant: tolerantSets };
      const { fields: names, postings } = reader;
      const fields = names.map((_, id) => id).filter((id) => searched.has(names[id]!));
      const tolerant = fields.filter((id) => !isExactField(disableOnAttributes, names[id]!));
      return {
        fields: new Set(fields),
        anywhere: postings.setsWithFields(fields),
        tolerant: postings.setsWithFields(tolerant),
      };
    });
  }

  /** Local fields of a segment that are searched; null for all. */
  fields(segment: number): ReadonlySet<number> | null {
    return this.#scopes[segment]!.fields;
  }

  /** Field sets of a segment in which words count; null for all. */
  sets(segment: number, reach: Reach): Uint8Array | null {
    return this.#scopes[segment]![reach];
  }

  /** Whether no word is kept from matching somewhere because typos are not tolerated there. */
  get toleratesEverywhere(): boolean {
    return !this.vocabulary.limitsNumbers && this.segments.every(({ tolerantSets }) => tolerantSets === null);
  }

  find(text: string): Word {
    return this.vocabulary.find(text);
  }

  /** Remembers when a word first turned up in this search; highlighting tries words in that order. */
  meet(word: Word): Word {
    if (!this.#met.has(word)) this.#met.set(word, this.#met.size);
    return word;
  }

  /** Rank among the words this search met. */
  metAs(word: Word): number {
    return this.#met.get(word) ?? Number.POSITIVE_INFINITY;
  }

  /** True for numbers that tolerate no typo; a search limited to some fields does not look at that. */
  hasNoTolerantPlace(word: Word): boolean {
    return !this.isRestricted && this.vocabulary.isExactNumber(word);
  }
}
