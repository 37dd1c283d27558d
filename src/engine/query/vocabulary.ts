/**
 * The words of an index: one vocabulary over all segments, of which only live documents count. Kept from search to
 * search as long as the index does not change, with what was found out about its words.
 */
import { Buffer } from "node:buffer";
import { WORD_BYTES_MAX } from "../../base/text/token.ts";
import type { IndexView, SegmentView } from "../../storage/index/view.ts";
import type { Workspace } from "../../storage/memory/workspace.ts";
import { NO_ROW, PostingsCursor } from "../../storage/segment/postings/cursor.ts";
import type { SegmentReader } from "../../storage/segment/reader.ts";
import { TermEntry } from "../../storage/segment/terms/reader.ts";
import { nameTree } from "../../storage/settings/name-tree.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import { Dictionary } from "./dictionary.ts";
import { compareText } from "./order.ts";
import { RowSpace } from "./row-space.ts";
import { ScratchCache } from "./scratch-cache.ts";
import type { SearchIndex } from "./search-index.ts";

/** A prefix of at most COMMON_BYTES_MAX bytes that at least COMMON_WORDS_MIN words share is searched as one word. */
export const COMMON_WORDS_MIN = 100;
const COMMON_BYTES_MAX = 4;
const NUMERIC_WORD = /^[\p{N}!-/:-@[-`{-~]+$/u;
/** Vocabularies kept by a thread, and words remembered in each. */
const KEPT_MAX = 16;
const REMEMBERED_MAX = 50_000;

/** A word of the index, or one that was looked for and is in no live document (`exists` is false). */
export interface Word {
  readonly text: string;
  /** In each segment, -1 where it is absent. */
  readonly ordinals: Int32Array;
  exists: boolean;
  /** In some place where typos are tolerated. */
  tolerant: boolean;
  /** Documents that hold it, or held it before they were deleted. */
  documents: number;
}

/** A segment with the cursors that searches of this thread share. */
export class WordSegment {
  readonly view: SegmentView;
  readonly reader: SegmentReader;
  readonly hasDeletes: boolean;
  /** Field sets with a field that tolerates typos; null when all have one. */
  readonly tolerantSets: Uint8Array | null;
  readonly #entry = new TermEntry();
  readonly #shared: PostingsCursor;
  readonly #cursors: PostingsCursor[] = [];
  #ownSpace: RowSpace | null = null;
  #ownDictionary: Dictionary | null = null;

  constructor(view: SegmentView, exactFields: readonly string[]) {
    this.view = view;
    this.reader = view.reader;
    this.#shared = new PostingsCursor(this.reader.postings);
    this.hasDeletes = view.liveCount < view.rows;
    const { fields, postings } = this.reader;
    const tolerant = fields.map((_, id) => id).filter((id) => !isExactField(exactFields, fields[id]!));
    this.tolerantSets = exactFields.length === 0 ? null : postings.setsWithFields(tolerant);
  }

  get space(): RowSpace {
    this.#ownSpace ??= new RowSpace(this.reader);
    return this.#ownSpace;
  }

  get dictionary(): Dictionary {
    this.#ownDictionary ??= new Dictionary(this.reader);
    return this.#ownDictionary;
  }

  /** A cursor of its own on a term, for reading several at once; `slot` tells them apart. */
  open(slot: number, ordinal: number): PostingsCursor {
    while (this.#cursors.length <= slot) this.#cursors.push(new PostingsCursor(this.reader.postings));
    this.reader.terms.entry(ordinal, this.#entry);
    this.#cursors[slot]!.open(this.#entry);
    return this.#cursors[slot]!;
  }

  /** How many rows hold a term. */
  documentsOf(ordinal: number): number {
    this.reader.terms.entry(ordinal, this.#entry);
    return this.#entry.docCount;
  }

  /** The shared cursor on a term: valid until the next call. */
  openShared(ordinal: number): PostingsCursor {
    this.reader.terms.entry(ordinal, this.#entry);
    this.#shared.open(this.#entry);
    return this.#shared;
  }
}

export function isExactField(exactFields: readonly string[], field: string): boolean {
  return nameTree(exactFields).covers(field);
}

/** A word cut in two; null for a half that is no word. */
interface WordCut {
  at: number;
  left: Word | null;
  right: Word | null;
}

export class Vocabulary {
  readonly segments: readonly WordSegment[];
  /** What searches found out about words, by their own keys; forgotten with the words. */
  readonly findings = new Map<string, unknown>();
  /** What compiled search was told of the index, by the name under which it is kept. */
  searchIndex: { name: string; index: SearchIndex } | null = null;
  readonly #typos: Settings["typoTolerance"];
  readonly #words = new Map<string, Word>();

  constructor(view: IndexView) {
    this.#typos = view.settings.typoTolerance;
    this.segments = view.segments.map((segment) => new WordSegment(segment, this.#typos.disableOnAttributes));
  }

  /** Where all segments are; null when they are in several memories. */
  get workspace(): Workspace | null {
    const [first, ...others] = this.segments;
    const workspace = first?.reader.home.workspace ?? null;
    return others.every(({ reader }) => reader.home.workspace === workspace) ? workspace : null;
  }

  /** Whether it was made over exactly these segments. */
  isOf(view: IndexView): boolean {
    return (
      view.segments.length === this.segments.length &&
      view.segments.every(({ reader }, i) => this.segments[i]!.reader === reader)
    );
  }

  /** Gives back what searches have kept about this state of the index. Nobody will ask for it again. */
  letGo(): void {
    if (this.searchIndex !== null) ScratchCache.forget(this.searchIndex.index.workspace, this);
    this.searchIndex = null;
  }

  /** Called between searches: what is remembered has a bound. */
  trim(): void {
    if (this.#words.size + this.findings.size < REMEMBERED_MAX) return;
    this.#words.clear();
    this.findings.clear();
  }

  /** What `find` says, found out once. */
  finding<Value>(key: string, find: () => Value): Value {
    let value = this.findings.get(key) as Value | undefined;
    if (value === undefined) {
      value = find();
      this.findings.set(key, value);
    }
    return value;
  }

  find(text: string): Word {
    return this.#words.get(text) ?? this.#look(text, null, -1);
  }

  /** The halves of a word, wherever it can be cut, that documents have or had; cuts without any are left out. */
  cuts(text: string): WordCut[] {
    const bytes = Buffer.from(text);
    let isThere: Uint8Array | null = null;
    for (const { dictionary } of this.segments) {
      const halves = dictionary.cuts(bytes);
      isThere ??= new Uint8Array(halves.length);
      for (let half = 0; half < halves.length; half++) if (halves[half] !== -1) isThere[half] = 1;
    }
    const found: WordCut[] = [];
    let at = 0;
    for (let half = 0; half < (isThere?.length ?? 0); half += 2) {
      at += text.codePointAt(at)! > 0xffff ? 2 : 1;
      const left = isThere![half] === 1 ? this.find(text.slice(0, at)) : null;
      const right = isThere![half + 1] === 1 ? this.find(text.slice(at)) : null;
      if (left !== null || right !== null) found.push({ at, left, right });
    }
    return found;
  }

  /** As `find`, for a term of a segment. */
  wordOf(segment: WordSegment, ordinal: number): Word {
    const text = segment.dictionary.term(ordinal);
    return this.#words.get(text) ?? this.#look(text, segment, ordinal);
  }

  /** `at` is a segment that has the word, `known` its ordinal there. */
  #look(text: string, at: WordSegment | null, known: number): Word {
    const { segments } = this;
    const ordinals = new Int32Array(segments.length).fill(-1);
    const word: Word = { text, ordinals, exists: false, tolerant: false, documents: 0 };
    this.#words.set(text, word);
    const bytes = at !== null && segments.length === 1 ? EMPTY : Buffer.from(text);
    const isIndexable = at !== null || (bytes.length > 0 && bytes.length <= WORD_BYTES_MAX);
    if (!isIndexable) return word;
    for (let i = 0; i < segments.length; i++) {
      const segment = segments[i]!;
      ordinals[i] = segment === at ? known : segment.dictionary.find(bytes);
      if (ordinals[i] !== -1) word.documents += segment.documentsOf(ordinals[i]!);
    }
    this.#judge(word);
    return word;
  }

  #judge(word: Word): void {
    const mayTolerate = !this.isExactNumber(word);
    for (let i = 0; i < this.segments.length; i++) {
      const ordinal = word.ordinals[i]!;
      if (ordinal === -1) continue;
      const segment = this.segments[i]!;
      word.exists ||= !segment.hasDeletes || isLive(segment, ordinal, null);
      if (mayTolerate && !word.tolerant) {
        const sets = segment.tolerantSets;
        word.tolerant = sets === null ? word.exists : isLive(segment, ordinal, sets);
      }
      if (word.exists && (word.tolerant || !mayTolerate)) return;
    }
  }

  /** Whether numbers tolerate no typo. */
  get limitsNumbers(): boolean {
    return this.#typos.disableOnNumbers;
  }

  /** True for numbers that tolerate no typo anywhere. */
  isExactNumber(word: Word): boolean {
    return this.#typos.disableOnNumbers && NUMERIC_WORD.test(word.text);
  }

  /** The first `wanted` words that begin with `prefix`, in byte order, without `prefix` itself. */
  completions(prefix: string, wanted: number): Word[] {
    const bytes = Buffer.from(prefix);
    const found = new Set<Word>();
    for (const segment of this.segments) {
      const { dictionary } = segment;
      const { from, to } = dictionary.beginning(bytes);
      let taken = 0;
      for (let ordinal = dictionary.find(bytes) === -1 ? from : from + 1; ordinal < to && taken < wanted; ordinal++) {
        const word = this.wordOf(segment, ordinal);
        if (!word.exists) continue;
        found.add(word);
        taken++;
      }
    }
    const words = [...found];
    if (this.segments.length > 1) words.sort((a, b) => compareText(a.text, b.text));
    return words.slice(0, wanted);
  }

  /** Whether so many words begin with `prefix` that they are searched as one. */
  isCommonPrefix(prefix: string): boolean {
    const bytes = Buffer.from(prefix);
    if (!canBeCommon(bytes)) return false;
    const only = this.segments.length === 1 ? this.segments[0]! : null;
    if (only !== null && !only.hasDeletes && only.tolerantSets === null && !this.#typos.disableOnNumbers) {
      const { from, to } = only.dictionary.beginning(bytes);
      return to - from >= COMMON_WORDS_MIN;
    }
    return this.sharing(prefix).size === COMMON_WORDS_MIN;
  }

  /** Words that begin with `prefix` and tolerate typos somewhere, no more than make it a common one; none when it cannot be that. */
  sharing(prefix: string): Set<Word> {
    const bytes = Buffer.from(prefix);
    const seen = new Set<Word>();
    if (!canBeCommon(bytes)) return seen;
    for (const segment of this.segments) {
      const { from, to } = segment.dictionary.beginning(bytes);
      for (let ordinal = from; ordinal < to; ordinal++) {
        const word = this.wordOf(segment, ordinal);
        if (word.tolerant) seen.add(word);
        if (seen.size === COMMON_WORDS_MIN) return seen;
      }
    }
    return seen;
  }
}

function canBeCommon({ length }: Uint8Array): boolean {
  return length > 0 && length <= COMMON_BYTES_MAX;
}

const EMPTY = Buffer.alloc(0);

function isLive(segment: WordSegment, ordinal: number, sets: Uint8Array | null): boolean {
  const cursor = segment.openShared(ordinal);
  if (sets !== null && !segment.hasDeletes) return cursor.setList().some((set) => sets[set] === 1);
  const { live } = segment.view;
  for (let row = cursor.next(); row !== NO_ROW; row = cursor.next()) {
    if (live.has(row) && (sets === null || sets[cursor.fieldSet()] === 1)) return true;
  }
  return false;
}

const kept = new Map<string, { version: string; vocabulary: Vocabulary }>();

/** The vocabulary of this state of the index. */
export function vocabularyOf(view: IndexView): Vocabulary {
  const version = `${view.version}/${view.settingsVersion}`;
  const known = kept.get(view.id);
  if (known !== undefined && known.version === version && known.vocabulary.isOf(view)) {
    known.vocabulary.trim();
    return known.vocabulary;
  }
  const vocabulary = new Vocabulary(view);
  kept.delete(view.id);
  if (known !== undefined) {
    known.vocabulary.letGo();
    const stay = new Set(vocabulary.segments.map(({ reader }) => reader));
    for (const { reader } of known.vocabulary.segments) if (!stay.has(reader)) letGoOf(reader);
  }
  if (kept.size >= KEPT_MAX) letGoOfOldest();
  kept.set(view.id, { version, vocabulary });
  return vocabulary;
}

/**
 * Forgets indexes in states other than these, which searches do as they come to them: for a thread that nobody asks anything, and
 * that holds the memory of what is over.
 */
export function forgetPastVocabularies(current: readonly IndexView[]): void {
  for (const [id, { vocabulary }] of kept) {
    if (current.some((view) => view.id === id && vocabulary.isOf(view))) continue;
    kept.delete(id);
    vocabulary.letGo();
  }
}

/** Its segments are still there: what is known of them is found again by those who search them. */
function letGoOfOldest(): void {
  const [id, { vocabulary }] = kept.entries().next().value!;
  kept.delete(id);
  vocabulary.letGo();
}

function letGoOf(reader: SegmentReader): void {
  if (reader.isInPlace) ScratchCache.forget(reader.home.workspace, reader);
}
