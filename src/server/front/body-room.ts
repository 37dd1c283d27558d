/**
 * The room that bodies on their way in share, all connections together. Where it runs out, those that hardly move are given
 * up first, so that nobody can fill it by sending slowly; then new ones are refused.
 */
import { type ApiError, apiError, readableSize } from "../../base/errors/errors.ts";

/** How long a body is watched before its speed is judged. */
const WINDOW_MS = 2000;
/** Bytes a second below which a body is slow when others need its room. */
const SLOW_BYTES_A_SECOND = 256 * 1024;

/** A body of which a part is here. */
export interface HeldBody {
  bytes: number;
  /** Whether more of it is to come. */
  isComing: boolean;
  /** Gives it up, with the answer to send; what still comes of it is passed over. */
  cut(reason: ApiError): void;
}

interface Watched {
  since: number;
  bytes: number;
  /** In the window before this one; null while there was none. */
  speed: number | null;
}

export class BodyRoom {
  readonly #bytesMax: number;
  readonly #now: () => number;
  readonly #held = new Map<HeldBody, Watched>();
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
    let watched = this.#held.get(body);
    if (watched === undefined) {
      watched = { since: now, bytes: 0, speed: null };
      this.#held.set(body, watched);
    }
    while (this.#bytes + bytes > this.#bytesMax) {
      const slowest = this.#slowest(body, now);
      if (slowest === null) return false;
      this.release(slowest);
      slowest.cut(tooSlow());
    }
    this.#bytes += bytes;
    body.bytes += bytes;
    if (now - watched.since >= WINDOW_MS) {
      watched.speed = speedOf(watched, now);
      watched.since = now;
      watched.bytes = 0;
    }
    watched.bytes += bytes;
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

  /** Of those that still come, but for the one that needs room. */
  #slowest(other: HeldBody, now: number): HeldBody | null {
    let slowest: HeldBody | null = null;
    let least = SLOW_BYTES_A_SECOND;
    for (const [body, watched] of this.#held) {
      if (body === other || !body.isComing || body.bytes === 0) continue;
      const isWatched = now - watched.since >= WINDOW_MS;
      const speed = isWatched ? speedOf(watched, now) : watched.speed;
      if (speed === null || speed >= least) continue;
      slowest = body;
      least = speed;
    }
    return slowest;
  }
}

function speedOf({ since, bytes }: Watched, now: number): number {
  return (bytes * 1000) / (now - since);
}

function tooSlow(): ApiError {
  return apiError(
    "too_many_search_requests",
    "The body of the request came too slowly while others waited for its room. Retry after 10s.",
  );
}
