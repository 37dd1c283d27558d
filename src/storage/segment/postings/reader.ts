/**
 * The postings and positions of a segment, as bytes (layout in `format.ts`); `cursor.ts` moves through the rows of one term.
 * Rows are never mixed with positions: what only asks for documents does not touch the positions part.
 */
import { ByteBuffer } from "flatbuffers";
import type { FieldsReader } from "../fields/reader.ts";
import { PositionsPart } from "../generated/positions-part.ts";
import { PostingsPart } from "../generated/postings-part.ts";
import type { TermsReader } from "../terms/reader.ts";

export class PostingsReader {
  readonly rows: number;
  readonly postings: Uint8Array;
  readonly positions: Uint8Array;
  readonly terms: TermsReader;
  readonly fields: FieldsReader;

  constructor(postingsPart: Uint8Array, positionsPart: Uint8Array, terms: TermsReader, fields: FieldsReader) {
    this.postings = PostingsPart.getRootAsPostingsPart(new ByteBuffer(postingsPart)).bytesArray() ?? new Uint8Array(0);
    this.positions =
      PositionsPart.getRootAsPositionsPart(new ByteBuffer(positionsPart)).bytesArray() ?? new Uint8Array(0);
    this.rows = fields.rows;
    this.terms = terms;
    this.fields = fields;
  }

  /** Marks the sets that hold at least one of the fields. */
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
