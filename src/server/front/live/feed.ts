/**
 * Server-sent events for whoever follows tasks, or batches. A follower is a place in the order of changes: what he has not read yet is
 * kept nowhere, and what is sent is the state at the moment of sending. Changes that came too quickly to be sent one by one
 * arrive as one; the last one always does. Sent in slices, so that requests are heard in between.
 */
import { randomBytes } from "node:crypto";
import { StoreOpening } from "../../../storage/store/fault.ts";
import { ChangeOrder } from "../../../storage/tasks/change-order.ts";
import { type Piece, shortText } from "../../../storage/tasks/views.ts";
import type { AnswerStream } from "../answer.ts";
import { COMMENT } from "../chat/events.ts";

interface Source {
  /** Of the events. */
  name: string;
  /** As JSON in one line, in pieces; null for what there is no more. */
  render(uid: number): Iterable<Piece> | null;
}

/** What is sent of a change: its text, or where it is long, whose pieces are to be sent. */
type Event = string | { uid: number };

export interface FollowerSetup {
  out: AnswerStream;
  /** Whether the follower asked for this one, and may see it. */
  wants(uid: number): boolean;
  /** Asked from time to time: keys expire, and are deleted. */
  mayStay(): boolean;
  /** Of the last event that he got on another connection; empty when there was none. */
  lastEventId: string;
}

interface Follower extends FollowerSetup {
  /** The number of the first change that he does not know. */
  next: number;
  /** Of an event that is long: what is still to be sent before anything else. */
  rest: Iterator<Piece> | null;
  isFlowing: boolean;
  /** Signs of life that could not be sent, one after the other. */
  missedBeats: number;
}

/** A connection on which nothing moves for ten seconds is closed. */
const BEAT_MS = 4000;
/** Heartbeats that a client may leave unread before its stream is closed: it is gone, or too slow, and can come back. */
const MISSED_BEATS_MAX = 5;
const RETRY_MS = 1000;
const SLICE_MS = 2;
/** Events are put together up to this size. */
const CHUNK_UNITS = 32_768;
const REOPENING_MS = 50;
const EVENT_END = "\n\n";
const PLACE = /^([0-9a-f]{12})-(\d{1,15})$/;

export class Feed {
  readonly #source: Source;
  readonly #order: ChangeOrder;
  readonly #followers = new Set<Follower>();
  /** Places in the order of another run mean nothing. */
  #run = newRun();
  /** What was rendered in this slice, by change: mostly everybody is at the same place. */
  readonly #rendered = new Map<number, Event | null>();
  #isScheduled = false;
  readonly #beatMs: number;
  #beats: NodeJS.Timeout | undefined;

  /** `changesKept`: how far back whoever comes again may have been; a power of two. */
  constructor(source: Source, changesKept: number, beatMs = BEAT_MS) {
    this.#source = source;
    this.#beatMs = beatMs;
    this.#order = new ChangeOrder(changesKept);
  }

  get followers(): number {
    return this.#followers.size;
  }

  changed(uid: number): void {
    this.#order.add(uid);
    if (this.#followers.size > 0) this.#schedule();
  }

  /** Anything may have changed without a notice of it. */
  reload(): void {
    this.#run = newRun();
    for (const follower of this.#followers) {
      // In the middle of an event nothing else can be said; whoever comes again is told.
      if (follower.rest === null) this.#reset(follower, "The server had to read its tasks anew.");
      else follower.out.end();
    }
  }

  follow(setup: FollowerSetup): void {
    const place = PLACE.exec(setup.lastEventId);
    const next = place?.[1] === this.#run ? Number(place[2]) : null;
    const isKnown = next !== null && next >= this.#order.begin && next <= this.#order.end;
    const follower = { ...setup, next: isKnown ? next : this.#order.end, rest: null, isFlowing: true, missedBeats: 0 };
    const { out } = follower;
    this.#followers.add(follower);
    this.#beats ??= setInterval(() => this.#beat([...this.#followers]), this.#beatMs).unref();
    out.onDrain(() => {
      follower.isFlowing = true;
      follower.missedBeats = 0;
      this.#schedule();
    });
    out.onClose(() => this.#remove(follower));
    this.#write(follower, `retry: ${RETRY_MS}\nid: ${this.#run}-${follower.next}\n\n`);
    if (!isKnown && setup.lastEventId !== "") this.#reset(follower, "What came after that event is no longer known.");
    this.#schedule();
  }

  #remove(follower: Follower): void {
    this.#followers.delete(follower);
    if (this.#followers.size > 0) return;
    clearInterval(this.#beats);
    this.#beats = undefined;
  }

  /** Tells a follower that he may have missed something, and should ask for what there is. */
  #reset(follower: Follower, reason: string): void {
    follower.next = this.#order.end;
    this.#write(follower, `id: ${this.#run}-${follower.next}\nevent: reset\ndata: ${JSON.stringify({ reason })}\n\n`);
  }

  #write(follower: Follower, text: Piece): void {
    follower.isFlowing = follower.out.write(text);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#slice());
  }

  #slice(): void {
    this.#isScheduled = false;
    const until = performance.now() + SLICE_MS;
    try {
      for (const follower of [...this.#followers]) {
        if (!follower.isFlowing || !this.#isBehind(follower)) continue;
        this.#advance(follower, until);
        // Whoever has had a turn comes last in the next one.
        if (this.#followers.delete(follower)) this.#followers.add(follower);
        if (performance.now() <= until) continue;
        this.#schedule();
        break;
      }
    } catch (error) {
      if (!(error instanceof StoreOpening)) throw error;
      setTimeout(() => this.#schedule(), REOPENING_MS).unref();
    }
    this.#rendered.clear();
  }

  #isBehind({ next, rest }: Follower): boolean {
    return rest !== null || next < this.#order.end;
  }

  /** Until all is said, or time is up. */
  #advance(follower: Follower, until: number): void {
    while (follower.isFlowing && this.#isBehind(follower) && performance.now() <= until) {
      if (follower.rest !== null) {
        const { value, done } = follower.rest.next();
        if (done) follower.rest = null;
        else this.#write(follower, value);
        continue;
      }
      if (follower.next < this.#order.begin) {
        this.#reset(follower, "More has changed at once than is kept.");
        continue;
      }
      const text = this.#gather(follower, until);
      if (text !== "") this.#write(follower, text);
    }
  }

  #gather(follower: Follower, until: number): string {
    let text = "";
    while (follower.next < this.#order.end && text.length < CHUNK_UNITS && performance.now() <= until) {
      const change = follower.next;
      const uid = this.#order.uidOf(change);
      const event = uid !== null && follower.wants(uid) ? this.#event(change, uid) : null;
      if (typeof event === "string") text += event;
      else if (event !== null) {
        if (text !== "") break;
        follower.rest = this.#longEvent(change, event.uid);
        follower.next++;
        break;
      }
      follower.next++;
    }
    return text;
  }

  #event(change: number, uid: number): Event | null {
    let event = this.#rendered.get(change);
    if (event === undefined) {
      const pieces = this.#source.render(uid);
      const text = pieces === null ? null : shortText(pieces);
      if (text !== null) event = `${this.#eventHead(change)}${text}${EVENT_END}`;
      else event = pieces === null ? null : { uid };
      this.#rendered.set(change, event);
    }
    return event;
  }

  *#longEvent(change: number, uid: number): Generator<Piece> {
    yield this.#eventHead(change);
    yield* this.#source.render(uid) ?? [];
    yield EVENT_END;
  }

  #eventHead(change: number): string {
    return `id: ${this.#run}-${change + 1}\nevent: ${this.#source.name}\ndata: `;
  }

  /** `left`: those whose turn has not come yet. */
  #beat(left: Follower[]): void {
    const until = performance.now() + SLICE_MS;
    for (let follower = left.pop(); follower !== undefined; follower = left.pop()) {
      if (!this.#followers.has(follower)) continue;
      if (!follower.mayStay() || follower.missedBeats >= MISSED_BEATS_MAX) follower.out.end();
      else if (follower.isFlowing && follower.rest === null) this.#write(follower, COMMENT);
      else if (!follower.isFlowing) follower.missedBeats++;
      if (performance.now() > until) break;
    }
    if (left.length > 0) setImmediate(() => this.#beat(left));
  }
}

function newRun(): string {
  return randomBytes(6).toString("hex");
}
