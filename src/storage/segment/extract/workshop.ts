/**
 * The memory in which a thread turns documents into parts of segments, and the compiled code that works there. There is
 * one for each thread, and one build at a time: what a build made has to be copied out before the next one begins.
 */
import { type ExtractHost, type ExtractKernels, extractKernels } from "../../../base/kernels/extract/kernels.ts";
import { GrowingMemory, largeMemory } from "../../../base/kernels/growing-memory.ts";

const PAGES_FIRST = 16;
/** Address 0 stands for nothing. */
const FIRST_ADDRESS = 16;

export class Workshop extends GrowingMemory<SharedArrayBuffer> {
  readonly kernels: ExtractKernels;
  /** Who answers what the compiled code asks: the build under way. */
  host: ExtractHost | null = null;

  constructor() {
    super(largeMemory(PAGES_FIRST));
    this.kernels = extractKernels(this.memory, {
      child: (node, key, length) => this.host!.child(node, key, length),
      apart: (kind, row, start, length) => this.host!.apart(kind, row, start, length),
      words: (field, start, length, isPlain) => this.host!.words(field, start, length, isPlain),
      run: (field, start, length, script, state) => this.host!.run(field, start, length, script, state),
      lemma: (start, length, script, language) => this.host!.lemma(start, length, script, language),
      facet: (start, length) => this.host!.facet(start, length),
      character: (codePoint, script, place) => this.host!.character(codePoint, script, place),
      fieldSet: (fields, count) => this.host!.fieldSet(fields, count),
      tooManyFields: () => this.host!.tooManyFields(),
      nameOf: (start, length) => this.host!.nameOf(start, length),
    });
    // Chosen anew in each thread, so that nobody can send words prepared to collide.
    this.kernels.prepare(FIRST_ADDRESS, Math.random() * 2 ** 32, Math.random() * 2 ** 32);
  }

  copyOfWords(start: number, length: number): Uint32Array {
    return this.words.slice(start / 4, start / 4 + length);
  }

  copyOfBytes(start: number, length: number): Uint8Array {
    return Uint8Array.prototype.slice.call(this.bytes, start, start + length);
  }
}

let own: Workshop | null = null;

/** That of this thread. */
export function workshop(): Workshop {
  own ??= new Workshop();
  return own;
}

/** The next build has another one: what the last ones took, up to some hundred megabytes, can go back. False where there is none. */
export function leaveWorkshop(): boolean {
  const isThere = own !== null;
  own = null;
  return isThere;
}
