/**
 * The writer thread of a server that follows another: it runs no batches, and shows what the other one has committed, change
 * by change in the order of the journal. Their files are here before it hears of them.
 */
import path from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { decodeManifest, type IndexManifest } from "../../storage/index/manifest.ts";
import type { PublishedIndex, Publisher } from "../../storage/index/publish.ts";
import { indexOfPiece, pieceOf } from "../../storage/index/shards.ts";
import type { Change } from "../../storage/store/environment.ts";
import { unseal } from "../../storage/store/seal.ts";
import type { CatalogEntry, Store } from "../../storage/store/store.ts";
import { tablePosition } from "../../storage/store/tables.ts";
import { type KnownIndex, readManifest } from "./indexes.ts";
import { OpeningOrder } from "./opening-order.ts";
import type { RetiredFiles } from "./retired-files.ts";

const CATALOG = tablePosition("catalog");
const MANIFESTS = tablePosition("manifests");

/** Whether a change is one that readers are to see. */
export function isShown({ table }: Change): boolean {
  return table === CATALOG || table === MANIFESTS;
}

interface FollowerParts {
  store: Pick<Store, "refresh" | "mark" | "catalog" | "manifests">;
  publisher: Publisher;
  files: RetiredFiles;
  /** Of all indexes. */
  folder: string;
  /** Indexes and shards that are not held here, as pieces. */
  elsewhere: readonly number[];
  onProblem(uid: string, problem: string): void;
}

export class Follower {
  readonly #parts: FollowerParts;
  readonly #ids = new Map<string, number>();
  readonly #indexes = new Map<number, KnownIndex>();
  #elsewhere: ReadonlySet<number>;
  #order = new OpeningOrder([]);
  /** What the store held when it was read; older changes are part of that. */
  #number = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#elsewhere = new Set(parts.elsewhere);
  }

  /** Of the last record that is shown, or about to be. */
  get number(): number {
    return this.#number;
  }

  /** Somebody waits for this index to be opened. */
  want(uid: string): void {
    this.#order.want(uid);
  }

  /** Shows what is stored, some of it before the rest is read. `onShown` is told after each step. */
  async open(onShown: () => void): Promise<void> {
    const { store, publisher } = this.#parts;
    // Without a pause, so that all is of one moment.
    store.refresh();
    this.#number = store.mark()?.number ?? 0;
    for (const [uid, { id }] of [...store.catalog.entries()]) {
      this.#ids.set(uid, id);
      this.#indexes.set(id, readManifest(store, uid, id));
    }
    this.#order = new OpeningOrder([...this.#indexes.values()]);
    for (let group = this.#order.next(); group !== null; group = this.#order.next()) {
      await this.#show(group, []);
      onShown();
      // What somebody waits for is heard of here.
      await turn();
    }
    const gone = publisher.shownUids().filter((uid) => !this.#ids.has(uid));
    if (gone.length > 0) await this.#show([], gone);
    this.#parts.files.retire(this.#pathsOf(this.#elsewhere));
  }

  /** Shows the changes of one record, after those of the ones before it. Resolves when every later search sees them. */
  follow(number: number, changes: readonly Change[], elsewhere: readonly number[] = []): Promise<void> {
    this.#turn = this.#turn.then(() => this.#follow(number, changes, elsewhere));
    return this.#turn;
  }

  /** From now on these pieces of indexes are not held here, and all others are. */
  place(elsewhere: readonly number[]): Promise<void> {
    this.#turn = this.#turn.then(() => this.#place(new Set(elsewhere)));
    return this.#turn;
  }

  async #place(elsewhere: ReadonlySet<number>): Promise<void> {
    const before = this.#elsewhere;
    this.#elsewhere = elsewhere;
    const gone = [...elsewhere].filter((piece) => !before.has(piece));
    const come = [...before].filter((piece) => !elsewhere.has(piece));
    const moved = new Set([...gone, ...come].map(indexOfPiece));
    const put: KnownIndex[] = [];
    for (const [uid, id] of this.#ids) {
      const index = this.#indexes.get(id);
      if (index !== undefined && moved.has(id)) put.push({ ...index, uid });
    }
    if (put.length > 0) await this.#show(put, []);
    this.#parts.files.retire(this.#pathsOf(gone));
  }

  /** Where the files of these pieces are, or would be: the folder of an index of which nothing is here, else files of shards. */
  #pathsOf(pieces: Iterable<number>): string[] {
    const paths = new Set<string>();
    for (const piece of pieces) {
      const id = indexOfPiece(piece);
      const folder = this.#folderOf(id);
      const { shards, segments } = this.#indexes.get(id)?.manifest ?? { shards: 1, segments: [] };
      if (this.#shardsElsewhere(id, shards).size === shards) paths.add(folder);
      else for (const { file, shard } of segments) if (pieceOf(id, shard) === piece) paths.add(path.join(folder, file));
    }
    return [...paths];
  }

  #shardsElsewhere(id: number, shards: number): Set<number> {
    const elsewhere = new Set<number>();
    for (let shard = 0; shard < shards; shard++) if (this.#elsewhere.has(pieceOf(id, shard))) elsewhere.add(shard);
    return elsewhere;
  }

  async #follow(number: number, changes: readonly Change[], elsewhere: readonly number[]): Promise<void> {
    if (number <= this.#number) return;
    this.#number = number;
    if (elsewhere.length > 0) this.#elsewhere = new Set([...this.#elsewhere, ...elsewhere]);
    const before = new Map(this.#indexes);
    const touched = new Set<string>();
    const touchedIds = new Set<number>();
    for (const { table, key, value } of changes) {
      if (table === CATALOG) {
        touched.add(key as string);
        if (value === null) this.#ids.delete(key as string);
        else this.#ids.set(key as string, catalogEntry(key as string, value).id);
      } else if (table === MANIFESTS) {
        const id = key as number;
        touchedIds.add(id);
        if (value === null) this.#indexes.delete(id);
        else this.#indexes.set(id, { uid: "", manifest: manifestOf(id, value), bytes: 0, problem: null });
      }
    }
    for (const [uid, id] of this.#ids) if (touchedIds.has(id)) touched.add(uid);
    const put: KnownIndex[] = [];
    const gone: string[] = [];
    for (const uid of touched) {
      const id = this.#ids.get(uid);
      const index = id === undefined ? undefined : this.#indexes.get(id);
      if (index === undefined) gone.push(uid);
      else put.push({ ...index, uid });
    }
    if (put.length > 0 || gone.length > 0) await this.#show(put, gone);
    this.#parts.files.retire([...touchedIds].flatMap((id) => this.#dropped(id, before.get(id)?.manifest)));
  }

  #dropped(id: number, before: IndexManifest | undefined): string[] {
    const folder = this.#folderOf(id);
    const after = this.#indexes.get(id)?.manifest;
    if (after === undefined) return [folder];
    const kept = new Set(after.segments.map(({ file }) => file));
    const dropped = before?.segments.filter(({ file }) => !kept.has(file)) ?? [];
    return dropped.map(({ file }) => path.join(folder, file));
  }

  #folderOf(id: number): string {
    return path.join(this.#parts.folder, String(id));
  }

  /** An index whose files are damaged is listed, and says so; the others are shown all the same. */
  async #show(put: readonly KnownIndex[], remove: string[]): Promise<void> {
    const { publisher } = this.#parts;
    const shown = put.map((index) => this.#published(index));
    try {
      await publisher.publish({ put: shown, remove });
    } catch {
      const sound: PublishedIndex[] = [];
      for (const index of shown) sound.push(this.#problemOf(index) ?? index);
      await publisher.publish({ put: sound, remove });
    }
  }

  #problemOf(index: PublishedIndex): PublishedIndex | null {
    const { uid, manifest, elsewhere } = index;
    try {
      for (const entry of manifest.segments)
        if (elsewhere?.has(entry.shard) !== true) this.#parts.publisher.load(manifest.id, entry);
      return null;
    } catch (damage) {
      const problem = (damage as Error).message;
      this.#parts.onProblem(uid, problem);
      return { uid, manifest, problem };
    }
  }

  #published({ uid, manifest, problem }: KnownIndex): PublishedIndex {
    const elsewhere = this.#shardsElsewhere(Number(manifest.id), manifest.shards);
    return { uid, manifest, elsewhere, ...(problem === null || elsewhere.size > 0 ? {} : { problem }) };
  }
}

function catalogEntry(uid: string, sealed: Uint8Array): CatalogEntry {
  return JSON.parse(opened("catalog", uid, sealed).toString("utf8")) as CatalogEntry;
}

function manifestOf(id: number, sealed: Uint8Array): IndexManifest {
  return decodeManifest(new Uint8Array(opened("manifests", id, sealed)));
}

function opened(table: "catalog" | "manifests", key: number | string, sealed: Uint8Array): Buffer {
  const bytes = unseal(table, key, sealed);
  if (bytes === null) throw new Error(`the record \`${key}\` of the table \`${table}\` came damaged`);
  return bytes;
}
