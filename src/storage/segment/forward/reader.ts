/** Reads the words of rows in the order in which they stand (layout in `format.ts`). */
import { ByteBuffer } from "flatbuffers";
import { ForwardPart } from "../generated/forward-part.ts";
import { NARROW, WIDE, type WordForm } from "./format.ts";

export class ForwardReader {
  readonly starts: Uint32Array;
  readonly form: WordForm;
  /** As they are stored. */
  readonly words: Uint8Array | Uint32Array;

  constructor(part: Uint8Array) {
    const table = ForwardPart.getRootAsForwardPart(new ByteBuffer(part));
    this.starts = table.startsArray() ?? new Uint32Array(1);
    const narrow = table.narrowArray();
    this.form = narrow === null ? WIDE : NARROW;
    this.words = narrow ?? table.wordsArray() ?? new Uint32Array(0);
  }

  /** Words in all rows. */
  get count(): number {
    return this.starts.at(-1)!;
  }

  word(i: number): number {
    const { words } = this;
    if (this.form === WIDE) return words[i]!;
    const at = i * NARROW.bytes;
    return words[at]! | (words[at + 1]! << 8) | (words[at + 2]! << 16);
  }
}
