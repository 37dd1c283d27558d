/** Reads the words of rows in the order in which they stand (layout in `format.ts`). */
import { ByteBuffer } from "flatbuffers";
import { ForwardPart } from "../generated/forward-part.ts";

export class ForwardReader {
  readonly starts: Uint32Array;
  readonly words: Uint32Array;

  constructor(part: Uint8Array) {
    const table = ForwardPart.getRootAsForwardPart(new ByteBuffer(part));
    this.starts = table.startsArray() ?? new Uint32Array(1);
    this.words = table.wordsArray() ?? new Uint32Array(0);
  }
}
