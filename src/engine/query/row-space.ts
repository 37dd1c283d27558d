/**
 * A segment as kernels see it within one search: sets of its rows, and terms by the addresses of their occurrences, all
 * in the memory that holds the segment. What is made here is good until the search ends.
 */
import { Buffer } from "node:buffer";
import { Ref } from "../../base/kernels/keyword/generated/layout.ts";
import { type KeywordKernels, keywordKernels } from "../../base/kernels/keyword/kernels.ts";
import type { Workspace } from "../../storage/memory/workspace.ts";
import { Bitmap, wordsFor } from "../../storage/segment/bitmap.ts";
import type { SegmentReader } from "../../storage/segment/reader.ts";
import { BLOCK_WORDS, TERM_BLOCK_SHIFT, TERMS_PER_BLOCK } from "../../storage/segment/terms/format.ts";
import { TermEntry } from "../../storage/segment/terms/reader.ts";

const SET_ALIGNMENT = 16;

/** Terms of a segment in the form that kernels read. */
export interface Refs {
  at: number;
  count: number;
  /** Rows of all of them together, those of several terms counted several times. */
  documents: number;
}

/** All words that begin with a prefix. */
export interface Completions {
  refs: Refs;
  rows: Bitmap;
  /** Searches, this one included, that had to do without their places by row; null while this one has not asked. */
  timesWanted: number | null;
}

export class RowSpace {
  readonly reader: SegmentReader;
  readonly rows: number;
  readonly workspace: Workspace;
  readonly kernels: KeywordKernels;
  /** Of a set of rows. */
  readonly bytes: number;
  /** Addresses of the field table. */
  setOffsets = 0;
  setFields = 0;
  /** 32-bit words of a set of rows. */
  readonly words: number;
  readonly #entry = new TermEntry();
  readonly #postingsAt: number;
  readonly #positionsAt: number;
  readonly #entriesAt: number;
  readonly #copies = new Map<Bitmap, number>();
  readonly #prefixes = new Map<string, Completions>();

  constructor(reader: SegmentReader) {
    this.reader = reader;
    this.rows = reader.rows;
    this.workspace = reader.home.workspace;
    this.kernels = keywordKernels(this.workspace.memory);
    this.words = wordsFor(this.rows);
    this.bytes = Math.ceil((this.words * 4) / SET_ALIGNMENT) * SET_ALIGNMENT;
    this.#postingsAt = reader.addressOf(reader.postings.postings);
    this.#positionsAt = reader.addressOf(reader.postings.positions);
    this.#entriesAt = reader.addressOf(reader.terms.entries);
  }

  /** Called when a search begins: nothing of the one before is left. */
  begin(): void {
    this.#copies.clear();
    this.#prefixes.clear();
    const { setFields, setOffsets } = this.reader.fieldTable;
    const { workspace } = this;
    this.setOffsets = workspace.allocate(setOffsets.byteLength);
    workspace.u32.set(setOffsets, this.setOffsets >>> 2);
    this.setFields = workspace.allocate(setFields.byteLength);
    workspace.u16.set(setFields, this.setFields >>> 1);
  }

  /** A new set; its bits are whatever the memory held. */
  rawSet(): Bitmap {
    const at = this.workspace.allocate(this.bytes);
    return new Bitmap(this.rows, this.workspace.u32.subarray(at >>> 2, (at >>> 2) + this.words));
  }

  emptySet(): Bitmap {
    const set = this.rawSet();
    this.kernels.fill(set.words.byteOffset, this.bytes, 0);
    return set;
  }

  /** Where kernels find a set; one that was made elsewhere is copied. */
  address(set: Bitmap): number {
    const { words } = set;
    const { workspace } = this;
    const { byteOffset } = words;
    const isOurs = words.buffer === workspace.u32.buffer;
    if (isOurs && byteOffset >= workspace.start && byteOffset < workspace.limit) return byteOffset;
    let at = this.#copies.get(set);
    if (at === undefined) {
      const own = this.emptySet();
      own.words.set(words);
      at = own.words.byteOffset;
      this.#copies.set(set, at);
    }
    return at;
  }

  /** Bytes for kernels, one for each number. */
  bytesOf(values: Uint8Array): number {
    const at = this.workspace.allocate(values.length);
    this.workspace.u8.set(values, at);
    return at;
  }

  /** A mark for every field of the segment, 1 for those among `fields`; 0 instead of an address for all of them. */
  fieldMarks(fields: ReadonlySet<number> | null): number {
    if (fields === null) return 0;
    return this.bytesOf(Uint8Array.from(this.reader.fields, (_, field) => (fields.has(field) ? 1 : 0)));
  }

  shortsOf(values: Uint16Array): number {
    const at = this.workspace.allocate(values.length * 2);
    this.workspace.u16.set(values, at >>> 1);
    return at;
  }

  /** How many rows hold a term. */
  documentsOf(ordinal: number): number {
    this.reader.terms.entry(ordinal, this.#entry);
    return this.#entry.docCount;
  }

  /** The terms with these ordinals; -1 stands for none. */
  refs(ordinals: readonly number[]): Refs {
    const refs: Refs = { at: this.workspace.allocate(ordinals.length * Ref.WORDS * 4), count: 0, documents: 0 };
    for (const ordinal of ordinals) if (ordinal !== -1) this.#addRef(refs, ordinal);
    return refs;
  }

  /** The terms `[from, to)`. */
  refsBetween(from: number, to: number): Refs {
    const count = to - from;
    const at = this.workspace.allocate(count * Ref.WORDS * 4);
    if (count === 0) return { at, count, documents: 0 };
    const { blocks } = this.reader.terms;
    const block = (from >>> TERM_BLOCK_SHIFT) * BLOCK_WORDS;
    const documents = this.kernels.refsOfEntries(
      this.#entriesAt + blocks[block + 1]!,
      from & (TERMS_PER_BLOCK - 1),
      count,
      this.#postingsAt + blocks[block + 2]!,
      this.#positionsAt + blocks[block + 3]!,
      this.setOffsets,
      at,
    );
    return { at, count, documents };
  }

  /** The terms that begin with `prefix`, and their rows; made once a search. */
  completions(prefix: string): Completions {
    let known = this.#prefixes.get(prefix);
    if (known === undefined) {
      const { from, to } = this.reader.terms.prefixRange(Buffer.from(prefix));
      const refs = this.refsBetween(from, to);
      const rows = this.emptySet();
      this.kernels.unionRows(refs.at, refs.count, this.rows, rows.words.byteOffset);
      known = { refs, rows, timesWanted: null };
      this.#prefixes.set(prefix, known);
    }
    return known;
  }

  /** Those of the terms that have a row in a set; good until the search ends. */
  refsAmong(refs: Refs, bits: number): Refs {
    const at = this.workspace.allocate(refs.count * Ref.WORDS * 4);
    const count = this.kernels.refsAmong(refs.at, refs.count, this.rows, bits, at);
    this.workspace.release(at);
    this.workspace.allocate(count * Ref.WORDS * 4);
    return { at, count, documents: refs.documents };
  }

  #addRef(refs: Refs, ordinal: number): void {
    const { workspace } = this;
    const entry = this.#entry;
    this.reader.terms.entry(ordinal, entry);
    const at = (refs.at >>> 2) + refs.count * Ref.WORDS;
    const { u32 } = workspace;
    const isSingle = entry.docCount === 1;
    u32[at + Ref.docCount] = entry.docCount;
    u32[at + Ref.postings] = isSingle ? 0 : this.#postingsAt + entry.postingsAt;
    u32[at + Ref.positions] = (isSingle ? this.#entriesAt : this.#positionsAt) + entry.positionsAt;
    u32[at + Ref.row] = entry.row;
    u32[at + Ref.form] = entry.form;
    refs.count++;
    refs.documents += entry.docCount;
  }
}
