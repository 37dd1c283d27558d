/**
 * The room that bodies on their way in share, all connections together. Where it runs out, those that hardly move are given
 * up first, so that nobody can fill it by sending slowly; then new ones are refused.
 */
import { type ApiError, apiError, readableSize } from "../../base/errors/errors.ts";
import { Pace, slowestOf } from "./pace.ts";

/** A body of which a part is here. */
export interface HeldBody {
  bytes: number;
  /** Whether more of it is to come. */
  isComing: boolean;
  /** Gives it up, with the answer to send; what still comes of it is passed over. */
  cut(reason: ApiError): void;
}

export class BodyRoom {
  readonly #bytesMax: number;
  readonly #now: () => number;
  readonly #held = new Map<HeldBody, Pace>();
  #bytes = 0;

  constructor(bytesMax: number, now: () => number = () => performance.now()) {
    this.#bytesMax = bytesMax;
    this.#now = now;
  }

  /** Held now, all together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Room for so many bytes more of the body; false when there is none. */
  take(body: HeldBody, bytes: number): boolean {
    const now = this.#now();
    let pace = this.#held.get(body);
    if (pace === undefined) {
      pace = new Pace(now);
      this.#held.set(body, pace);
    }
    while (this.#bytes + bytes > this.#bytesMax) {
      const slowest = slowestOf(this.#othersThatCome(body), now);
      if (slowest === null) return false;
      this.release(slowest);
      slowest.cut(tooSlow());
    }
    this.#bytes += bytes;
    body.bytes += bytes;
    pace.turn(now);
    pace.add(bytes);
    return true;
  }

  /** The body is gone, or answered. */
  release(body: HeldBody): void {
    if (!this.#held.delete(body)) return;
    this.#bytes -= body.bytes;
    body.bytes = 0;
  }

  refusal(): ApiError {
    return apiError(
      "too_many_search_requests",
      `Too many request bodies are on their way: together they may take ${readableSize(this.#bytesMax)}. Retry after 10s.`,
    );
  }

  /** Those of which more is to come, but for the one that needs room. */
  *#othersThatCome(other: HeldBody): Generator<readonly [HeldBody, Pace]> {
    for (const entry of this.#held) {
      const [body] = entry;
      if (body !== other && body.isComing && body.bytes > 0) yield entry;
    }
  }
}

function tooSlow(): ApiError {
  return apiError(
    "too_many_search_requests",
    "The body of the request came too slowly while others waited for its room. Retry after 10s.",
  );
}
