/**
 * Reads the rows, fields and positions of terms (layout in `format.ts`): a cursor that moves through the rows of one
 * term, and whole-term reads into bitmaps. Rows are never mixed with positions: what only asks for documents does not
 * touch the positions part.
 */
import { ByteBuffer } from "flatbuffers";
import type { FieldsReader } from "../fields/reader.ts";
import { PositionsPart } from "../generated/positions-part.ts";
import { PostingsPart } from "../generated/postings-part.ts";
import type { TermEntry, TermsReader } from "../terms/reader.ts";
import { PostingsCursor } from "./cursor.ts";

export class PostingsReader {
  readonly rows: number;
  readonly postings: Uint8Array;
  readonly positions: Uint8Array;
  readonly terms: TermsReader;
  readonly fields: FieldsReader;
  readonly #cursor: PostingsCursor;

  constructor(postingsPart: Uint8Array, positionsPart: Uint8Array, terms: TermsReader, fields: FieldsReader) {
    this.postings = PostingsPart.getRootAsPostingsPart(new ByteBuffer(postingsPart)).bytesArray() ?? new Uint8Array(0);
    this.positions =
      PositionsPart.getRootAsPositionsPart(new ByteBuffer(positionsPart)).bytesArray() ?? new Uint8Array(0);
    this.rows = fields.rows;
    this.terms = terms;
    this.fields = fields;
    this.#cursor = new PostingsCursor(this);
  }

  /** Sets the bits of the term's rows in `words` (one bit per row). */
  addRows(entry: TermEntry, words: Uint32Array): void {
    this.#cursor.open(entry);
    this.#cursor.addRows(words);
  }

  /**
   * As `addRows`, only for rows where the term stands in a field set marked in `sets` (indexed by set). A set that has
   * one wanted field is to be marked, whatever else is in it.
   */
  addRowsInSets(entry: TermEntry, sets: Uint8Array, words: Uint32Array): void {
    this.#cursor.open(entry);
    this.#cursor.addRowsInSets(sets, words);
  }

  /** Marks the sets that hold at least one of the fields: the argument of `addRowsInSets`. */
  setsWithFields(fields: Iterable<number>): Uint8Array {
    const wanted = new Set(fields);
    const { setFields, setOffsets } = this.fields;
    const marks = new Uint8Array(setOffsets.length - 1);
    for (let set = 0; set < marks.length; set++) {
      for (let i = setOffsets[set]!; i < setOffsets[set + 1]!; i++) if (wanted.has(setFields[i]!)) marks[set] = 1;
    }
    return marks;
  }
}
