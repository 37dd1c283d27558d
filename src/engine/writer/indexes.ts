/**
 * All indexes as the writer holds them, and where their files lie. Opens them at start, verifying what it reads, and
 * hands out drafts' segments; commits are made elsewhere (`commit.ts`).
 *
 *   <db>/indexes/<index id>/<segment id>-<random>.seg      <db>/payloads/<name>
 */
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { ApiError, indexNotFound } from "../../base/errors/errors.ts";
import { removeLeftover } from "../../base/files/leftover.ts";
import { syncDirectory } from "../../base/files/sync-directory.ts";
import { nowMicros } from "../../base/time/time.ts";
import { decodeManifest, type IndexManifest, type SegmentEntry } from "../../storage/index/manifest.ts";
import type { Publisher } from "../../storage/index/publish.ts";
import { SegmentReader } from "../../storage/segment/reader.ts";
import { defaultSettings } from "../../storage/settings/update.ts";
import type { Store } from "../../storage/store/store.ts";
import type { IndexDraft } from "./draft.ts";
import { emptyManifest, IndexState, openSegment, type WriterSegment } from "./index-state.ts";
import type { OpeningOrder } from "./opening-order.ts";

/** An index of the store before its files are opened. */
export interface KnownIndex {
  uid: string;
  manifest: IndexManifest;
  /** Of what searches look at. */
  bytes: number;
  problem: string | null;
}

export class Indexes {
  readonly #folder: string;
  readonly #publisher: Publisher;
  readonly #states = new Map<string, IndexState>();
  readonly #shards: number;
  #nextId: number;

  /** `shards`: into how many new indexes are divided. */
  constructor(folder: string, publisher: Publisher, nextId: number, shards = 1) {
    this.#shards = shards;
    this.#folder = folder;
    this.#publisher = publisher;
    this.#nextId = nextId;
  }

  get(uid: string): IndexState | null {
    return this.#states.get(uid) ?? null;
  }

  all(): Iterable<IndexState> {
    return this.#states.values();
  }

  /** Ids below this one have been given. */
  get nextId(): number {
    return this.#nextId;
  }

  /** A state that nobody knows of until a change that puts it is committed. */
  create(uid: string): IndexState {
    const manifest = emptyManifest(`${this.#nextId++}`, defaultSettings(), nowMicros(), this.#shards);
    return new IndexState(uid, manifest, []);
  }

  /** The index of a batch, sound and ready to be changed. Throws `index_not_found` when it may not be created. */
  openOrCreate(uid: string, mayCreate: boolean): IndexState {
    const existing = this.get(uid);
    if (existing === null && !mayCreate) throw indexNotFound(uid);
    const state = existing ?? this.create(uid);
    this.mustBeSound(state);
    return state;
  }

  mustBeSound(state: IndexState): void {
    if (state.problem !== null)
      throw new ApiError("internal", `Index \`${state.uid}\` cannot be changed: ${state.problem}`);
  }

  folderOf(indexId: string): string {
    return path.join(this.#folder, "indexes", indexId);
  }

  segmentPath(indexId: string, file: string): string {
    return path.join(this.folderOf(indexId), file);
  }

  payloadPath(name: string): string {
    return path.join(this.#folder, "payloads", name);
  }

  ensureFolder(indexId: string): void {
    const folder = this.folderOf(indexId);
    if (existsSync(folder)) return;
    mkdirSync(folder, { recursive: true });
    syncDirectory(path.dirname(folder));
  }

  /** Brings the hot parts of a written segment into shared memory and opens it. */
  open(indexId: string, entry: SegmentEntry): WriterSegment {
    this.#publisher.load(indexId, entry);
    const hot = this.#publisher.hotParts(indexId, entry.id);
    if (hot === null) throw new Error(`segment ${entry.file} of index ${indexId} is not loaded`);
    return openSegment(entry, new SegmentReader(hot, this.segmentPath(indexId, entry.file)));
  }

  /** Gives back what a draft that will not be committed had loaded. */
  abandon(draft: IndexDraft): void {
    const indexId = draft.state.manifest.id;
    for (const { entry, reader } of draft.added) {
      reader.close();
      this.#publisher.discard(indexId, entry.id);
      removeLeftover(this.segmentPath(indexId, entry.file));
    }
  }

  /** Makes committed placements the current ones. */
  place(put: readonly { uid: string; state: IndexState }[], remove: readonly string[]): void {
    for (const uid of remove) this.#states.delete(uid);
    for (const { uid, state } of put) {
      state.uid = uid;
      this.#states.set(uid, state);
    }
  }

  /** After their memory has moved, segments are opened anew over the new place. */
  reopen(moved: readonly { indexId: string; segmentId: number }[]): void {
    for (const state of this.#states.values()) {
      const { id } = state.manifest;
      const ids = new Set(moved.filter((m) => m.indexId === id).map((m) => m.segmentId));
      if (ids.size === 0) continue;
      state.segments = state.segments.map((segment) => {
        if (!ids.has(segment.entry.id)) return segment;
        segment.reader.close();
        return { ...this.open(id, segment.entry), deleted: segment.deleted };
      });
    }
  }

  /**
   * Opens the segments of all indexes, which verifies all that searches look at. The bodies of documents are left to
   * `Verification`.
   */
  *load(order: OpeningOrder): Generator<IndexState[]> {
    for (let group = order.next(); group !== null; group = order.next()) {
      const states = group.map((index) => this.#openAll(index));
      for (const state of states) this.#states.set(state.uid, state);
      yield states;
    }
    // From now on in the order of their names.
    for (const { uid } of order.all) {
      const state = this.#states.get(uid)!;
      this.#states.delete(uid);
      this.#states.set(uid, state);
    }
  }

  #openAll({ uid, manifest, problem }: KnownIndex): IndexState {
    if (problem !== null) return new IndexState(uid, manifest, [], problem);
    const open = (entry: SegmentEntry): WriterSegment => {
      try {
        return this.open(manifest.id, entry);
      } catch (damage) {
        // A segment for which there is no room is whole.
        if (damage instanceof ApiError) throw damage;
        throw new Error(damageOf(manifest.id, entry.file, (damage as Error).message));
      }
    };
    try {
      return new IndexState(uid, manifest, manifest.segments.map(open));
    } catch (damage) {
      return new IndexState(uid, manifest, [], (damage as Error).message);
    }
  }

  /** From now on nothing of the index can be read or written; its files stay for somebody to look at. */
  quarantine(uid: string, file: string, problem: string): IndexState {
    const { manifest, segments } = this.#states.get(uid)!;
    for (const { reader } of segments) reader.close();
    const state = new IndexState(uid, manifest, [], damageOf(manifest.id, file, problem));
    this.#states.set(uid, state);
    return state;
  }

  /** Removes segment files that no committed state refers to: what a crash left behind. */
  sweepSegments(): void {
    const known = new Map([...this.#states.values()].map((state) => [state.manifest.id, state]));
    const root = path.join(this.#folder, "indexes");
    for (const id of listing(root)) {
      const state = known.get(id);
      if (state === undefined) removeLeftover(path.join(root, id));
      else if (state.problem === null) this.#sweepIndex(state);
    }
  }

  /** Removes payload files that no waiting task refers to. Only while nothing is being received. */
  sweepPayloads(inUse: ReadonlySet<string>): void {
    for (const name of listing(path.join(this.#folder, "payloads"))) {
      if (!inUse.has(name)) removeLeftover(this.payloadPath(name));
    }
  }

  #sweepIndex(state: IndexState): void {
    const { id, segments } = state.manifest;
    const files = new Set(segments.map((segment) => segment.file));
    for (const file of listing(this.folderOf(id))) {
      if (!files.has(file)) removeLeftover(this.segmentPath(id, file));
    }
  }
}

/** All indexes of the store, in the order of their names. */
export function readManifests(store: Pick<Store, "catalog" | "manifests">): KnownIndex[] {
  return [...store.catalog.entries()].map(([uid, { id }]) => readManifest(store, uid, id));
}

export function readManifest(store: Pick<Store, "manifests">, uid: string, id: number): KnownIndex {
  try {
    const stored = store.manifests.get(id);
    if (stored === undefined) throw new Error("it is missing");
    const manifest = decodeManifest(stored);
    const bytes = manifest.segments.reduce((sum, { fileBytes, documentBytes }) => sum + fileBytes - documentBytes, 0);
    return { uid, manifest, bytes, problem: null };
  } catch (damage) {
    const manifest = emptyManifest(`${id}`, defaultSettings(), nowMicros());
    return { uid, manifest, bytes: 0, problem: `its manifest is damaged: ${(damage as Error).message}` };
  }
}

function listing(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function damageOf(indexId: string, file: string, problem: string): string {
  return `segment ${indexId}/${file} is damaged: ${problem}`;
}
