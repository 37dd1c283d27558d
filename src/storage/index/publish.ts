/**
 * How a committed state becomes visible: hot parts are copied into shared memory, manifests and a new directory are
 * written beside them, one store shows them to every reader, and what nobody can see any more is freed.
 * Writer thread only. It never decides what changes, and never touches the store.
 */
import { closeSync, openSync } from "node:fs";
import type { ArenaSet } from "../memory/arena-set.ts";
import type { BlockPointer, Control } from "../memory/control.ts";
import { isOlder } from "../memory/control.ts";
import { Reclaimer } from "../memory/reclaim.ts";
import { decodeBitmap } from "../segment/bitmap.ts";
import { loadHotParts, readSegmentHeader, type SegmentHeader } from "../segment/container.ts";
import { Directory, encodeDirectory, type NamedIndex } from "./directory.ts";
import { encodeSharedManifest, type IndexManifest, type SegmentEntry } from "./manifest.ts";
import type { SegmentPath } from "./paths.ts";
import { blockKey, blocksOf, type Place, readShown, type Shown } from "./shown-index.ts";

/** Why an index cannot be read where other servers of a cluster hold it, or some of its shards. */
export const ELSEWHERE = "other servers of the cluster hold it";
const NONE: ReadonlySet<number> = new Set();

export interface PublishedIndex {
  uid: string;
  /** Kept as it is: must not be changed after it was handed over. */
  manifest: IndexManifest;
  /** Set when the files of the index failed verification: it is listed but cannot be read. */
  problem?: string;
  /** Shards that other servers hold: of these nothing is here, and the index as a whole cannot be read. */
  elsewhere?: ReadonlySet<number>;
}

interface Changes {
  /** New and changed indexes. Two may trade their uids in one change. */
  put?: PublishedIndex[];
  /** Uids that are gone. */
  remove?: string[];
}

interface MovedSegment {
  indexId: string;
  segmentId: number;
}

/** What a change takes away and what it brings; blocks in both stay. */
interface Step {
  before: Shown[];
  after: Shown[];
}

/** How long retired blocks wait for the next look when nothing else is published. */
const COLLECT_INTERVAL_MS = 20;
/** Room for the number of an arena opened to place the directory itself. */
const DIRECTORY_SLACK_BYTES = 64;

export class Publisher {
  readonly #control: Control;
  readonly #arenas: ArenaSet;
  readonly #segmentPath: SegmentPath;
  readonly #reclaimer: Reclaimer;
  readonly #byUid = new Map<string, Shown>();
  readonly #byId = new Map<string, Shown>();
  /** Hot parts loaded ahead of the change that will use them. */
  readonly #loaded = new Map<string, BlockPointer>();
  #directory: BlockPointer | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #collectTimer: NodeJS.Timeout | null = null;

  constructor(control: Control, arenas: ArenaSet, segmentPath: SegmentPath) {
    this.#control = control;
    this.#arenas = arenas;
    this.#segmentPath = segmentPath;
    this.#reclaimer = new Reclaimer(control, (block) => arenas.free(block));
  }

  /**
   * Copies the hot parts of a segment file into shared memory and checks them; `publish` would do it as well, but this
   * can fail (SegmentDamage) before anything is committed. Does nothing for a segment that is already there.
   */
  load(indexId: string, segment: SegmentEntry): void {
    const key = segmentKey(indexId, segment.id);
    if (this.#place(indexId, segment.id) !== undefined || this.#loaded.has(key)) return;
    this.#loaded.set(key, this.#copyHotParts(indexId, segment));
  }

  /** Gives back what `load` took, when the change it was meant for does not happen. */
  discard(indexId: string, segmentId: number): void {
    const key = segmentKey(indexId, segmentId);
    const block = this.#loaded.get(key);
    if (block === undefined) return;
    this.#loaded.delete(key);
    this.#arenas.free(block);
  }

  /** The hot parts of a loaded segment, for the writer's own look-ups. */
  hotParts(indexId: string, segmentId: number): Uint8Array | null {
    const block = this.#place(indexId, segmentId)?.hot ?? this.#loaded.get(segmentKey(indexId, segmentId));
    return block === undefined ? null : this.#arenas.bytes(block);
  }

  /** Shows the changes to everyone, all at once. Resolves when every later pin sees them. */
  publish(changes: Changes): Promise<void> {
    return this.#inTurn(() => this.#change((staged) => this.#stepFor(changes, staged)));
  }

  /**
   * Moves up to about `bytesMax` out of an arena of which much is empty, so that its memory can go back to the system. An
   * index moves as a whole: one that lies in two memories is not searched in one call.
   * Returns the segments that moved (their `hotParts` are elsewhere now), or null when there was nothing to move.
   */
  evacuate(bytesMax: number): Promise<MovedSegment[] | null> {
    return this.#inTurn(async () => {
      const arena = this.#arenas.evacuation();
      if (arena === null) return null;
      const leaving = [...this.#byUid.values()].filter(
        (shown) => shown.manifest !== null && blocksOf(shown).some((block) => block.arena === arena),
      );
      if (leaving.length === 0 && this.#directory?.arena !== arena) return null;
      const moved: MovedSegment[] = [];
      await this.#change((staged) => {
        const step: Step = { before: [], after: [] };
        let bytes = 0;
        for (const shown of leaving) {
          if (bytes >= bytesMax) break;
          const places = new Map(shown.places);
          for (const [segmentId, place] of shown.places) {
            const hot = this.#moveOut(place.hot, arena, staged);
            const live = place.live === null ? null : this.#moveOut(place.live, arena, staged);
            if (hot !== place.hot) {
              bytes += hot.length;
              moved.push({ indexId: shown.id, segmentId });
            }
            places.set(segmentId, { ...place, hot, live });
          }
          step.before.push(shown);
          step.after.push(this.#show(shown.named.uid, shown.manifest!, shown.named.problem, places, staged));
        }
        return step;
      });
      return moved;
    });
  }

  /**
   * Takes over what a writer that died left in shared memory. The whole state must then be put again; segments that
   * are already in memory are not read a second time.
   */
  async adopt(memories: ReadonlyMap<number, WebAssembly.Memory>): Promise<void> {
    // What the dead writer had retired is unknown: wait until nobody can hold anything but the current directory.
    const ended = this.#control.advance();
    for (let pin = this.#control.oldestPin(); pin !== null && !isOlder(ended, pin); pin = this.#control.oldestPin()) {
      await new Promise((resolve) => setTimeout(resolve, COLLECT_INTERVAL_MS));
    }
    const bytes = (block: BlockPointer): Uint8Array =>
      new Uint8Array(memories.get(block.arena)!.buffer, block.offset, block.length);
    const live: BlockPointer[] = [];
    this.#directory = this.#control.directory();
    if (this.#directory !== null) {
      live.push(this.#directory);
      const directory = new Directory(bytes(this.#directory));
      for (let i = 0; i < directory.size; i++) {
        const shown = readShown(directory.at(i), bytes);
        this.#byUid.set(shown.named.uid, shown);
        this.#byId.set(shown.id, shown);
        live.push(...blocksOf(shown));
      }
    }
    this.#arenas.adopt(memories, live);
  }

  /** Uids of the indexes that readers see now. */
  shownUids(): string[] {
    return [...this.#byUid.keys()];
  }

  /** Frees what nobody can see any more; returns how many blocks still wait. Also happens by itself. */
  collect(): number {
    this.#reclaimer.collect();
    return this.#reclaimer.pending;
  }

  #stepFor(changes: Changes, staged: BlockPointer[]): Step {
    const put = changes.put ?? [];
    const step: Step = { before: [], after: [] };
    for (const uid of new Set([...(changes.remove ?? []), ...put.map((index) => index.uid)])) {
      const shown = this.#byUid.get(uid);
      if (shown !== undefined) step.before.push(shown);
    }
    for (const { uid, manifest, problem, elsewhere = NONE } of put) {
      const places = problem === undefined ? this.#placesFor(manifest, elsewhere, staged) : new Map<number, Place>();
      const why = problem ?? (elsewhere.size > 0 ? ELSEWHERE : null);
      step.after.push(this.#show(uid, manifest, why, places, staged));
    }
    return step;
  }

  /** Runs one change: on any failure before it is shown, what was allocated for it is given back. */
  async #change(prepare: (staged: BlockPointer[]) => Step): Promise<void> {
    const staged: BlockPointer[] = [];
    let step: Step;
    let directory: BlockPointer;
    try {
      step = prepare(staged);
      directory = this.#writeDirectory(step, staged);
      await this.#arenas.announced();
    } catch (error) {
      for (const block of staged) this.#arenas.free(block);
      throw error;
    }
    const ended = this.#control.publish(directory);
    const kept = new Set(step.after.flatMap(blocksOf).map(blockKey));
    const gone = step.before.flatMap(blocksOf).filter((block) => !kept.has(blockKey(block)));
    for (const block of gone) this.#reclaimer.retire(block, ended);
    if (this.#directory !== null) this.#reclaimer.retire(this.#directory, ended);
    this.#directory = directory;
    for (const shown of step.before) {
      this.#byUid.delete(shown.named.uid);
      this.#byId.delete(shown.id);
    }
    for (const shown of step.after) {
      this.#byUid.set(shown.named.uid, shown);
      this.#byId.set(shown.id, shown);
      for (const [segmentId, place] of shown.places) this.#settleLoaded(segmentKey(shown.id, segmentId), place.hot);
    }
    this.#collectSoon();
  }

  #writeDirectory(step: Step, staged: BlockPointer[]): BlockPointer {
    const gone = new Set(step.before);
    const shown = [...step.after, ...[...this.#byUid.values()].filter((earlier) => !gone.has(earlier))];
    const encode = (): Uint8Array => {
      const arenas = this.#arenasFor(shown);
      return encodeDirectory(
        shown.map(({ named }) => named),
        arenas,
        this.#arenas.nextId,
      );
    };
    const before = this.#arenas.nextId;
    let bytes = encode();
    const block = this.#allocate(bytes.length + DIRECTORY_SLACK_BYTES, staged);
    // Placing the directory may have opened an arena, which it must then name.
    if (this.#arenas.nextId !== before) bytes = encode();
    this.#arenas.bytes(block).set(bytes);
    return block;
  }

  /** A sealed arena is named only while something in it is shown: readers forget it in time for it to be dropped. */
  #arenasFor(shown: readonly Shown[]): number[] {
    const sealed = new Set(this.#arenas.sealedIds());
    if (sealed.size === 0) return this.#arenas.ids();
    for (const index of shown) for (const { arena } of blocksOf(index)) sealed.delete(arena);
    return this.#arenas.ids().filter((id) => !sealed.has(id));
  }

  #show(
    uid: string,
    manifest: IndexManifest,
    problem: string | null,
    places: ReadonlyMap<number, Place>,
    staged: BlockPointer[],
  ): Shown {
    const block = this.#write(encodeSharedManifest(manifest, places), staged);
    const named: NamedIndex = { uid, stamp: this.#control.nextEpoch(), manifest: block, problem };
    return { id: manifest.id, manifest, named, places };
  }

  #placesFor(manifest: IndexManifest, elsewhere: ReadonlySet<number>, staged: BlockPointer[]): Map<number, Place> {
    const places = new Map<number, Place>();
    for (const segment of manifest.segments) {
      if (elsewhere.has(segment.shard)) continue;
      const known = this.#place(manifest.id, segment.id);
      if (known !== undefined && known.deletedCount === segment.deletedCount) {
        places.set(segment.id, known);
        continue;
      }
      let hot = known?.hot ?? this.#loaded.get(segmentKey(manifest.id, segment.id));
      if (hot === undefined) {
        hot = this.#copyHotParts(manifest.id, segment);
        staged.push(hot);
      }
      const live = this.#writeLiving(segment, staged);
      places.set(segment.id, { hot, live, deletedCount: segment.deletedCount });
    }
    return places;
  }

  #writeLiving(segment: SegmentEntry, staged: BlockPointer[]): BlockPointer | null {
    if (segment.deleted === null) return null;
    const { words } = decodeBitmap(segment.deleted, segment.rows).invert();
    return this.#write(new Uint8Array(words.buffer, words.byteOffset, words.byteLength), staged);
  }

  #copyHotParts(indexId: string, segment: SegmentEntry): BlockPointer {
    const path = this.#segmentPath(indexId, segment.file);
    const header = headerOf(path);
    const block = this.#arenas.allocate(header.hotBytes);
    try {
      loadHotParts(path, header, this.#arenas.bytes(block));
    } catch (error) {
      this.#arenas.free(block);
      throw error;
    }
    return block;
  }

  /** What was loaded ahead is now in use, or was not needed. */
  #settleLoaded(key: string, used: BlockPointer): void {
    const ahead = this.#loaded.get(key);
    if (ahead === undefined) return;
    this.#loaded.delete(key);
    if (blockKey(ahead) !== blockKey(used)) this.#arenas.free(ahead);
  }

  #moveOut(block: BlockPointer, arena: number, staged: BlockPointer[]): BlockPointer {
    return block.arena === arena ? this.#write(this.#arenas.bytes(block), staged) : block;
  }

  #write(bytes: Uint8Array, staged: BlockPointer[]): BlockPointer {
    const block = this.#allocate(bytes.length, staged);
    this.#arenas.bytes(block).set(bytes);
    return block;
  }

  #allocate(length: number, staged: BlockPointer[]): BlockPointer {
    const block = this.#arenas.allocate(length);
    staged.push(block);
    return block;
  }

  #place(indexId: string, segmentId: number): Place | undefined {
    return this.#byId.get(indexId)?.places.get(segmentId);
  }

  /** One change at a time: each is prepared from the state the one before it left. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(run);
    this.#turn = mine.catch(() => {});
    return mine;
  }

  #collectSoon(): void {
    if (this.collect() === 0 || this.#collectTimer !== null) return;
    this.#collectTimer = setTimeout(() => {
      this.#collectTimer = null;
      this.#collectSoon();
    }, COLLECT_INTERVAL_MS);
    this.#collectTimer.unref();
  }
}

function segmentKey(indexId: string, segmentId: number): string {
  return `${indexId}/${segmentId}`;
}

function headerOf(path: string): SegmentHeader {
  const fd = openSync(path, "r");
  try {
    return readSegmentHeader(fd);
  } finally {
    closeSync(fd);
  }
}
