/**
 * Requests that wait for their turn with the readers, and how many of them may be in the ring at a time. The ring is first
 * come, first served, so it holds no more than keeps the readers busy for a moment; behind it indexes take turns. Who asks
 * much of one index, or asks for long things, waits for that, and nobody else does.
 */

/** Work in the ring, for each reader: longer than the front takes to refill it, shorter than anybody notices. */
const RING_MS = 20;
const RING_REQUESTS_MAX = 64;
/** Searches of an index that take this long do not get all readers while others are asked, too. */
const SLOW_MS = 25;
const OTHERS_MS = 2000;
/** How much the latest request says about those to come. */
const NEWS_SHARE = 0.1;
const LANES_MAX = 1024;

/** What is needed of a request to find its turn. */
export interface Waiter {
  lane: Lane;
  /** Takes a reader long enough to leave at least one for others. */
  isLong: boolean;
  bytes: number;
  sentAt: number;
  /** Requests in the ring when it was sent there, with itself. */
  sentAs: number;
}

/** The requests about one index. */
interface Lane {
  readonly name: string;
  readonly queue: Waiter[];
  inRing: number;
  /** What a reader takes for one. */
  meanMs: number;
  askedAt: number;
}

export class Waiting<Item extends Waiter> {
  readonly #readers: number;
  readonly #now: () => number;
  /** Those in turn first. */
  readonly #lanes = new Map<string, Lane>();
  #count = 0;
  #bytes = 0;
  #inRing = 0;
  #longInRing = 0;
  #meanMs = 1;
  /** The last two different lanes that were asked: when the one before the latest was. */
  #latest: Lane | null = null;
  #otherAskedAt = Number.NEGATIVE_INFINITY;

  constructor(readers: number, now: () => number = () => performance.now()) {
    this.#readers = readers;
    this.#now = now;
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  laneOf(name: string): Lane {
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      if (this.#lanes.size >= LANES_MAX) this.#forgetIdle();
      lane = { name, queue: [], inRing: 0, meanMs: this.#meanMs, askedAt: 0 };
      this.#lanes.set(name, lane);
    }
    return lane;
  }

  /** Whether it may go to the ring at once: nobody is passed over. */
  mayGo(item: Item): boolean {
    this.#note(item.lane);
    return this.#count === 0 && this.#hasRoom() && this.#allows(item);
  }

  add(item: Item): void {
    item.lane.queue.push(item);
    this.#count++;
    this.#bytes += item.bytes;
  }

  /** The next one whose turn it is; null when none may go now. */
  next(): Item | null {
    if (this.#count === 0 || !this.#hasRoom()) return null;
    for (const lane of this.#lanes.values()) {
      const first = lane.queue[0] as Item | undefined;
      if (first === undefined || !this.#allows(first)) continue;
      lane.queue.shift();
      this.#count--;
      this.#bytes -= first.bytes;
      this.#lanes.delete(lane.name);
      this.#lanes.set(lane.name, lane);
      return first;
    }
    return null;
  }

  sent(item: Item): void {
    this.#inRing++;
    item.lane.inRing++;
    if (item.isLong) this.#longInRing++;
    item.sentAt = this.#now();
    item.sentAs = this.#inRing;
  }

  answered(item: Item): void {
    const busy = Math.min(item.sentAs, this.#readers);
    const took = ((this.#now() - item.sentAt) * busy) / item.sentAs;
    this.#inRing--;
    item.lane.inRing--;
    if (item.isLong) this.#longInRing--;
    this.#meanMs += (took - this.#meanMs) * NEWS_SHARE;
    item.lane.meanMs += (took - item.lane.meanMs) * NEWS_SHARE;
  }

  #hasRoom(): boolean {
    const each = Math.max(2, Math.min(RING_REQUESTS_MAX, RING_MS / this.#meanMs));
    return this.#inRing < this.#readers * each;
  }

  #allows({ lane, isLong }: Waiter): boolean {
    const most = Math.max(1, this.#readers - 1);
    if (isLong && this.#longInRing >= most) return false;
    if (lane.inRing < most || lane.meanMs < SLOW_MS) return true;
    const othersAskedAt = this.#latest === lane ? this.#otherAskedAt : (this.#latest?.askedAt ?? 0);
    return this.#now() - othersAskedAt > OTHERS_MS;
  }

  #note(lane: Lane): void {
    if (this.#latest !== lane) {
      if (this.#latest !== null) this.#otherAskedAt = this.#latest.askedAt;
      this.#latest = lane;
    }
    lane.askedAt = this.#now();
  }

  #forgetIdle(): void {
    for (const [name, { queue, inRing }] of this.#lanes) {
      if (queue.length === 0 && inRing === 0) this.#lanes.delete(name);
    }
  }
}
