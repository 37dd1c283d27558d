/**
 * The way back: a ring per reader and one wake flag for the front. A reader that wrote an answer rings unless the flag is
 * already set; the front clears the flag before it looks into the rings, so that no answer is left behind.
 *
 * ```
 *  reader                                   front, on a message
 *  1 write the record                       1 flag = 0
 *  2 exchange(flag, 1) was 0? post          2 drain every ring
 * ```
 * An answer written after the front looked finds the flag clear and sets it again; one that found it set was
 * written before the front silenced it, and is seen.
 */
import { type AnswerHead, encodeAnswer, encodePieceHead } from "./requests.ts";
import type { ByteRing } from "./ring.ts";

export class WakeFlag {
  readonly buffer: SharedArrayBuffer;
  readonly #word: Int32Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(4)) {
    this.buffer = buffer;
    this.#word = new Int32Array(buffer);
  }

  /** Whether the caller has to post the message. */
  ring(): boolean {
    return Atomics.exchange(this.#word, 0, 1) === 0;
  }

  silence(): void {
    Atomics.store(this.#word, 0, 0);
  }
}

/** How long a reader sleeps at most before it looks again whether a full ring has room. */
const DRAIN_WAIT_MS = 1000;
const NOTHING = new Uint8Array(0);

/** The reader's end. */
export class AnswerWriter {
  readonly #ring: ByteRing;
  readonly #wakeFlag: WakeFlag;
  readonly #post: () => void;
  readonly #pieceBytesMax: number;

  constructor(ring: ByteRing, wakeFlag: WakeFlag, post: () => void) {
    this.#ring = ring;
    this.#wakeFlag = wakeFlag;
    this.#post = post;
    // A quarter of the ring: the front copies one piece while the next ones are written.
    this.#pieceBytesMax = ring.recordBytesMax >>> 2;
  }

  /** Returns when the front has room for all of it. */
  write(id: number, answer: AnswerHead, body: Uint8Array): void {
    const { marks = null } = answer;
    if ((marks?.length ?? 0) + body.length <= this.#pieceBytesMax) {
      this.#push(encodeAnswer(id, body.length, answer), body);
    } else {
      const pieces = [...this.#piecesOf(marks ?? NOTHING), ...this.#piecesOf(body)];
      pieces.forEach((piece, i) => {
        this.#push(encodePieceHead(id, body.length, i < pieces.length - 1, answer), piece);
      });
    }
    this.#wakeFront();
  }

  *#piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += this.#pieceBytesMax) yield bytes.subarray(at, at + this.#pieceBytesMax);
  }

  #push(head: Uint8Array, piece: Uint8Array): void {
    for (;;) {
      const drained = this.#ring.drained;
      if (this.#ring.push(head, piece)) return;
      this.#wakeFront();
      this.#ring.waitDrained(drained, DRAIN_WAIT_MS);
    }
  }

  #wakeFront(): void {
    if (this.#wakeFlag.ring()) this.#post();
  }
}
