/**
 * The room that answers share which their clients have not read yet, all connections together. Where it runs out, those of clients that
 * hardly read are given up first, so that nobody can fill it by asking for much and reading nothing; then others are told to come
 * back later instead of what they asked for.
 */
import { type ApiError, apiError, readableSize } from "../../base/errors/errors.ts";
import { Pace, slowestOf } from "./pace.ts";

/** An answer of which a part could not be handed over yet. */
interface HeldAnswer {
  /** Gives it up, with its connection. */
  cut(): void;
}

export class AnswerRoom {
  readonly #bytesMax: number;
  readonly #now: () => number;
  readonly #held = new Map<HeldAnswer, number>();
  readonly #paces = new Map<HeldAnswer, Pace>();
  #bytes = 0;

  constructor(bytesMax: number, now: () => number = () => performance.now()) {
    this.#bytesMax = bytesMax;
    this.#now = now;
  }

  /** Held now, all together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether one more of this length may be sent. One alone may be as long as any answer. */
  admits(bytes: number): boolean {
    const now = this.#now();
    while (this.#bytes > 0 && this.#bytes + bytes > this.#bytesMax) {
      const slowest = slowestOf(this.#paces, now);
      if (slowest === null) return false;
      this.release(slowest);
      slowest.cut();
    }
    return true;
  }

  /** So many bytes of the answer are still to be handed over: less each time. */
  hold(answer: HeldAnswer, bytes: number): void {
    const now = this.#now();
    const before = this.#held.get(answer);
    this.#held.set(answer, bytes);
    this.#bytes += bytes - (before ?? 0);
    if (before === undefined) {
      this.#paces.set(answer, new Pace(now));
      return;
    }
    const pace = this.#paces.get(answer)!;
    pace.add(before - bytes);
    pace.turn(now);
  }

  /** All of it is handed over, or its client is gone. */
  release(answer: HeldAnswer): void {
    this.#bytes -= this.#held.get(answer) ?? 0;
    this.#held.delete(answer);
    this.#paces.delete(answer);
  }

  refusal(): ApiError {
    return apiError(
      "too_many_search_requests",
      `Too many answers wait for their clients to read them: together they may take ${readableSize(this.#bytesMax)}. Retry after 10s.`,
    );
  }
}
