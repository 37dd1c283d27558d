/**
 * The room that answers share which their clients have not read yet, all connections together. Where it runs out, those of clients that
 * hardly read are given up first, so that nobody can fill it by asking for much and reading nothing; then others are told to come
 * back later instead of what they asked for.
 */
import { type ApiError, apiError, readableSize } from "../../base/errors/errors.ts";
import { KIB } from "../../base/limits.ts";

/** How long an answer is watched before its speed is judged. */
const WINDOW_MS = 2000;
/** Bytes a second below which a client is slow when others need the room. */
const SLOW_BYTES_A_SECOND = 256 * KIB;

/** An answer of which a part could not be handed over yet. */
interface HeldAnswer {
  /** Gives it up, with its connection. */
  cut(): void;
}

interface Watched {
  bytes: number;
  since: number;
  /** Read since then. */
  read: number;
  /** In the window before this one; null while there was none. */
  speed: number | null;
}

export class AnswerRoom {
  readonly #bytesMax: number;
  readonly #now: () => number;
  readonly #held = new Map<HeldAnswer, Watched>();
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
      const slowest = this.#slowest(now);
      if (slowest === null) return false;
      this.release(slowest);
      slowest.cut();
    }
    return true;
  }

  /** So many bytes of the answer are still to be handed over: less each time. */
  hold(answer: HeldAnswer, bytes: number): void {
    const now = this.#now();
    const watched = this.#held.get(answer);
    if (watched === undefined) {
      this.#held.set(answer, { bytes, since: now, read: 0, speed: null });
      this.#bytes += bytes;
      return;
    }
    const read = watched.bytes - bytes;
    watched.bytes = bytes;
    watched.read += read;
    this.#bytes -= read;
    if (now - watched.since < WINDOW_MS) return;
    watched.speed = speedOf(watched, now);
    watched.since = now;
    watched.read = 0;
  }

  /** All of it is handed over, or its client is gone. */
  release(answer: HeldAnswer): void {
    this.#bytes -= this.#held.get(answer)?.bytes ?? 0;
    this.#held.delete(answer);
  }

  refusal(): ApiError {
    return apiError(
      "too_many_search_requests",
      `Too many answers wait for their clients to read them: together they may take ${readableSize(this.#bytesMax)}. Retry after 10s.`,
    );
  }

  #slowest(now: number): HeldAnswer | null {
    let slowest: HeldAnswer | null = null;
    let least = SLOW_BYTES_A_SECOND;
    for (const [answer, watched] of this.#held) {
      const speed = now - watched.since >= WINDOW_MS ? speedOf(watched, now) : watched.speed;
      if (speed === null || speed >= least) continue;
      slowest = answer;
      least = speed;
    }
    return slowest;
  }
}

function speedOf({ since, read }: Watched, now: number): number {
  return (read * 1000) / (now - since);
}
