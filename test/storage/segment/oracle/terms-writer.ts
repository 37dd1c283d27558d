/** Writes the vocabulary of a segment, term after term in byte order plainly. */
import { WordLog } from "../../../../src/storage/segment/byte-log.ts";
import { bytesVector, flatPart, wordsVector } from "../../../../src/storage/segment/flat-table.ts";
import { TermsPart } from "../../../../src/storage/segment/generated/terms-part.ts";
import type { Part } from "../../../../src/storage/segment/parts.ts";
import { PART } from "../../../../src/storage/segment/parts.ts";
import { NIBBLE_FULL, TERMS_PER_BLOCK } from "../../../../src/storage/segment/terms/format.ts";
import { NumberLog } from "./number-log.ts";
import type { PostingsWriter } from "./postings-writer.ts";
import { plainPrefixSlots } from "./prefixes.ts";

export class TermsWriter {
  readonly #postings: PostingsWriter;
  readonly #text = new NumberLog();
  readonly #entries = new NumberLog();
  readonly #blocks = new WordLog(256);
  readonly #terms: Uint8Array[] = [];
  readonly #previous = new Uint8Array(256);
  #previousLength = 0;
  #count = 0;

  constructor(postings: PostingsWriter) {
    this.#postings = postings;
  }

  /** Adds the term `bytes[start, end)`, greater than the one before, with its occurrences (see PostingsWriter.term). */
  add(bytes: Uint8Array, start: number, end: number, pairs: Uint32Array, from: number, to: number): void {
    const previous = this.#previous;
    const text = this.#text;
    const length = end - start;
    if (this.#count % TERMS_PER_BLOCK === 0) {
      this.#markBlock();
      text.varint(length);
      text.append(bytes, start, end);
    } else {
      const limit = Math.min(length, this.#previousLength);
      let shared = 0;
      while (shared < limit && previous[shared] === bytes[start + shared]) shared++;
      const suffix = length - shared - 1;
      text.byte((Math.min(shared, NIBBLE_FULL) << 4) | Math.min(suffix, NIBBLE_FULL));
      if (shared >= NIBBLE_FULL) text.varint(shared - NIBBLE_FULL);
      if (suffix >= NIBBLE_FULL) text.varint(suffix - NIBBLE_FULL);
      text.append(bytes, start + shared, end);
    }
    for (let i = 0; i < length; i++) previous[i] = bytes[start + i]!;
    this.#previousLength = length;
    this.#terms.push(bytes.slice(start, end));
    this.#count++;
    this.#postings.term(this.#entries, pairs, from, to);
  }

  #markBlock(): void {
    this.#blocks.push(this.#text.length);
    this.#blocks.push(this.#entries.length);
    this.#blocks.push(this.#postings.postings.length);
    this.#blocks.push(this.#postings.positions.length);
  }

  part(): Part {
    this.#markBlock();
    return flatPart(PART.terms, TermsPart, {
      count: this.#count,
      blockOffsets: wordsVector(this.#blocks.view()),
      text: bytesVector(this.#text.chunks()),
      entries: bytesVector(this.#entries.chunks()),
      ...plainPrefixSlots(this.#terms),
    });
  }
}
