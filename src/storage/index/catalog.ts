/**
 * All indexes, as the front and the readers see them: pin a snapshot, look up an index, release. Nothing seen through
 * one snapshot ever changes. Decoded indexes and opened segments are kept from one snapshot to the next where they
 * stayed the same. It never writes to shared memory but for the pin of its thread.
 *
 * ```ts
 * const snapshot = catalog.pin();
 * try { snapshot.index("movies")?.documentCount } finally { snapshot.release(); }
 * ```
 */
import type { ArenaViews } from "../memory/arena-views.ts";
import { type Control, isOlder, Pins } from "../memory/control.ts";
import { SegmentReader } from "../segment/reader.ts";
import { DecodedIndex, type SegmentSource } from "./decoded.ts";
import { Directory, type NamedIndex } from "./directory.ts";
import type { SegmentPath } from "./paths.ts";
import type { IndexView } from "./view.ts";

/** Decoded indexes a thread keeps; the least recently used go first, and with them their open files. */
const KEPT_INDEXES_MAX = 128;
/** How often a busy thread looks for indexes it keeps that have changed or gone without being asked for. */
const SWEEP_INTERVAL_MS = 1000;

export interface Snapshot {
  readonly epoch: number;
  index(uid: string): IndexView | null;
  /** All of them, ascending by uid. */
  indexes(): IndexView[];
  /** Those this thread has looked at lately. */
  known(): IndexView[];
  /** Must be called exactly once; nothing of the snapshot may be used afterwards. */
  release(): void;
}

/** The directory of one epoch, and the indexes already looked up in it. */
interface Epoch {
  number: number;
  directory: Directory | null;
  arenas: ReadonlySet<number>;
  nextArena: number;
  views: Map<string, DecodedIndex | null>;
}

export class Catalog {
  readonly #control: Control;
  readonly #views: ArenaViews;
  readonly #pins: Pins;
  readonly #source: SegmentSource;
  readonly #onArenaForgotten: () => void;
  /** By uid, least recently used first. */
  readonly #kept = new Map<string, DecodedIndex>();
  #current: Epoch = { number: 0, directory: null, arenas: new Set(), nextArena: 0, views: new Map() };
  /** The current epoch no longer names an arena this thread knows. */
  #mayForget = false;
  /** States that are no longer kept; a snapshot older than `since` may still use them. */
  #leaving: { view: DecodedIndex; since: number }[] = [];
  #sweptAtMs = 0;

  constructor(
    control: Control,
    pinSlot: number,
    views: ArenaViews,
    segmentPath: SegmentPath,
    onArenaForgotten: () => void = () => {},
  ) {
    this.#control = control;
    this.#views = views;
    this.#pins = new Pins(control, pinSlot);
    this.#source = {
      bytes: (block) => views.bytes(block),
      open: (indexId, file, hot) =>
        new SegmentReader(views.bytes(hot), segmentPath(indexId, file), views.workspace(hot.arena)),
    };
    this.#onArenaForgotten = onArenaForgotten;
  }

  pin(): Snapshot {
    const number = this.#pins.take();
    try {
      if (number !== this.#current.number) this.#enter(number);
    } catch (error) {
      this.#pins.release(number);
      throw error;
    }
    return this.#snapshot(this.#current);
  }

  /** Lets go of everything that is no longer shown. For a thread that has had nothing to do for a while. */
  sweep(): void {
    if (this.#control.epoch === this.#current.number) return;
    const snapshot = this.pin();
    try {
      this.#sweep();
    } finally {
      snapshot.release();
    }
  }

  #snapshot(epoch: Epoch): Snapshot {
    let released = false;
    return {
      epoch: epoch.number,
      index: (uid) => this.#index(epoch, uid),
      indexes: () => this.#all(epoch),
      known: () => [...this.#kept.keys()].map((uid) => this.#index(epoch, uid)).filter((view) => view !== null),
      release: () => {
        if (released) throw new Error("snapshot released twice");
        released = true;
        this.#pins.release(epoch.number);
        if (this.#leaving.length > 0) this.#closeLeft();
        if (this.#mayForget) this.#forgetArenas();
      },
    };
  }

  #enter(number: number): void {
    const pointer = this.#control.directory();
    const directory = pointer === null ? null : new Directory(this.#views.bytes(pointer));
    const arenas = directory?.arenas ?? new Set<number>();
    const nextArena = directory?.nextArena ?? 0;
    this.#current = { number, directory, arenas, nextArena, views: new Map() };
    this.#mayForget = this.#views.hasOther(arenas, nextArena);
    if (this.#mayForget || Date.now() - this.#sweptAtMs >= SWEEP_INTERVAL_MS) this.#sweep();
  }

  /** Not before the last look through an older snapshot, which may lead into them. */
  #forgetArenas(): void {
    const oldest = this.#pins.oldest();
    if (oldest !== null && isOlder(oldest, this.#current.number)) return;
    this.#mayForget = false;
    this.#views.keepOnly(this.#current.arenas, this.#current.nextArena);
    this.#onArenaForgotten();
  }

  /** Brings every kept index up to the current epoch, so that files and memory of what is gone are let go. */
  #sweep(): void {
    this.#sweptAtMs = Date.now();
    for (const uid of [...this.#kept.keys()]) this.#index(this.#current, uid);
  }

  #index(epoch: Epoch, uid: string): DecodedIndex | null {
    const seen = epoch.views.get(uid);
    if (seen !== undefined) return seen;
    const named = epoch.directory?.find(uid) ?? null;
    const view = epoch === this.#current ? this.#keep(uid, named) : this.#passing(epoch, named);
    epoch.views.set(uid, view);
    return view;
  }

  #all(epoch: Epoch): DecodedIndex[] {
    const all: DecodedIndex[] = [];
    for (let i = 0; i < (epoch.directory?.size ?? 0); i++) {
      const named = epoch.directory!.at(i);
      all.push(epoch.views.get(named.uid) ?? this.#passing(epoch, named)!);
    }
    return all;
  }

  /** The state of an index in the current epoch, kept for the next request. */
  #keep(uid: string, named: NamedIndex | null): DecodedIndex | null {
    const kept = this.#kept.get(uid) ?? null;
    const same = kept !== null && named !== null && kept.stamp === named.stamp;
    const view = same ? kept : named === null ? null : new DecodedIndex(named, this.#source, kept);
    this.#kept.delete(uid);
    if (view !== null) this.#kept.set(uid, view);
    if (kept !== null && !same) this.#leaving.push({ view: kept, since: this.#current.number });
    if (this.#kept.size > KEPT_INDEXES_MAX) this.#dropLeastUsed();
    return view;
  }

  /** A state that is only good for one epoch: seen through an older snapshot, or one of many in a list. */
  #passing(epoch: Epoch, named: NamedIndex | null): DecodedIndex | null {
    if (named === null) return null;
    const kept = this.#kept.get(named.uid) ?? null;
    if (kept?.stamp === named.stamp) return kept;
    const view = new DecodedIndex(named, this.#source, kept);
    this.#leaving.push({ view, since: epoch.number + 1 });
    return view;
  }

  #dropLeastUsed(): void {
    const [uid, view] = this.#kept.entries().next().value!;
    this.#kept.delete(uid);
    this.#current.views.delete(uid);
    this.#leaving.push({ view, since: this.#current.number + 1 });
  }

  #closeLeft(): void {
    const oldest = this.#pins.oldest();
    this.#leaving = this.#leaving.filter(({ view, since }) => {
      if (oldest !== null && isOlder(oldest, since)) return true;
      view.letGo();
      return false;
    });
  }
}
