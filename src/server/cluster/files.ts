/**
 * Brings the files that changes of other servers refer to, before these are made: whatever the store names is here. Each is
 * checked after it came; one that is damaged is brought again.
 */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { payloadFileOf } from "../../base/contract/task.ts";
import { removeLeftover } from "../../base/files/leftover.ts";
import type { Blobs } from "../../storage/blobs/blobs.ts";
import { blobNames } from "../../storage/blobs/open.ts";
import { decodeManifest, type IndexManifest } from "../../storage/index/manifest.ts";
import { pieceOf } from "../../storage/index/shards.ts";
import type { Change } from "../../storage/store/environment.ts";
import { SEAL_BYTES, unseal } from "../../storage/store/seal.ts";
import type { Store } from "../../storage/store/store.ts";
import { TABLES, tablePosition } from "../../storage/store/tables.ts";
import { contentOf, decodeTaskColumns, isFinished } from "../../storage/store/task-record.ts";
import { payloadFilesIn, type SegmentFiles, segmentFilesIn } from "./named-files.ts";

const MANIFESTS = tablePosition("manifests");
const TASKS = tablePosition("tasks");
/** As it stands in a task whose payload is a file. */
const FILE_KIND = Buffer.from(JSON.stringify("file"));

/** Whether this server holds a piece: a shard of an index. */
type Wants = (piece: number) => boolean;

export class ClusterFiles {
  readonly #databasePath: string;
  readonly #blobs: Blobs;
  readonly #verify: (file: string) => Promise<string | null>;

  /** `verify`: what is wrong with the file of a segment, or null. */
  constructor(databasePath: string, blobs: Blobs, verify: (file: string) => Promise<string | null>) {
    this.#databasePath = databasePath;
    this.#blobs = blobs;
    this.#verify = verify;
  }

  /** `wants`: whether this server holds a piece. It may come to do so meanwhile, and then does when this resolves. */
  async bringFor(changes: readonly Change[], wants: Wants = () => true): Promise<void> {
    const payloads: Promise<void>[] = [];
    const pieces = new Map<number, SegmentFiles>();
    for (const change of changes) {
      if (change.value === null) continue;
      if (change.table === MANIFESTS) {
        for (const [piece, files] of filesByPiece(decodeManifest(bytesOf(change)!))) pieces.set(piece, files);
      }
      const payload = change.table === TASKS && !isFinished(lentBytes(change.value)) ? payloadFile(change) : null;
      if (payload !== null) payloads.push(this.#bringPayload(payload));
    }
    await Promise.all(payloads);
    for (;;) {
      const wanted = [...pieces].filter(([piece]) => wants(piece));
      if (wanted.length === 0) return;
      for (const [piece] of wanted) pieces.delete(piece);
      await Promise.all(wanted.map(([, files]) => this.#bringSegments(files)));
    }
  }

  /** What a shard of the index of this manifest has. */
  async bringShard(manifest: Uint8Array, shard: number): Promise<void> {
    const decoded = decodeManifest(manifest);
    const files = filesByPiece(decoded).get(pieceOf(Number(decoded.id), shard));
    if (files !== undefined) await this.#bringSegments(files);
  }

  /** Brings all that the store names and that is not here. */
  async bringAll(
    store: Pick<Store, "catalog" | "manifests" | "tasks" | "pending">,
    wants: Wants = () => true,
  ): Promise<void> {
    for (const { id, files } of segmentFilesIn(store)) {
      const wanted = files.filter(({ shard }) => wants(pieceOf(Number(id), shard)));
      await this.#bringSegments({ id, files: wanted });
    }
    for (const name of payloadFilesIn(store)) await this.#bringPayload(name);
  }

  /** The pieces that have segments, and whether all files of those are here. */
  piecesHere(store: Pick<Store, "catalog" | "manifests">): Map<number, boolean> {
    const here = new Map<number, boolean>();
    for (const { id, files } of segmentFilesIn(store)) {
      for (const { file, shard } of files) {
        const piece = pieceOf(Number(id), shard);
        here.set(piece, here.get(piece) !== false && existsSync(this.#segment(id, file)));
      }
    }
    return here;
  }

  async sharePayload(name: string): Promise<void> {
    await this.#blobs.put(blobNames.payload(name), this.#payload(name));
  }

  /** Payloads of tasks that are finished are of no use any more. */
  async dropFor(changes: readonly Change[]): Promise<void> {
    for (const change of changes) {
      if (change.table !== TASKS || change.value === null || !isFinished(lentBytes(change.value))) continue;
      const payload = payloadFile(change);
      if (payload !== null) await rm(this.#payload(payload), { force: true });
    }
  }

  /** Removes files that nothing in the store names, or that are not wanted here: what is needed later is brought again. */
  sweep(store: Pick<Store, "catalog" | "manifests">, wants: Wants = () => true): void {
    const root = path.join(this.#databasePath, "indexes");
    const named = new Map<string, Set<string>>();
    for (const { id, files } of segmentFilesIn(store)) {
      const wanted = files.filter(({ shard }) => wants(pieceOf(Number(id), shard)));
      named.set(id, new Set(wanted.map(({ file }) => file)));
    }
    for (const id of existsSync(root) ? readdirSync(root) : []) {
      const files = named.get(id) ?? new Set();
      if (files.size === 0) rmSync(path.join(root, id), { recursive: true, force: true });
      else
        for (const file of readdirSync(path.join(root, id)))
          if (!files.has(file)) removeLeftover(path.join(root, id, file));
    }
  }

  async #bringSegments({ id, files }: SegmentFiles): Promise<void> {
    for (const { file } of files) {
      const target = this.#segment(id, file);
      if (existsSync(target)) continue;
      await this.#blobs.get(blobNames.segment(id, file), target);
      const problem = await this.#verify(target);
      if (problem === null) continue;
      await rm(target, { force: true });
      throw new Error(`the segment ${id}/${file} came damaged: ${problem}`);
    }
  }

  async #bringPayload(name: string): Promise<void> {
    const target = this.#payload(name);
    if (!existsSync(target)) await this.#blobs.get(blobNames.payload(name), target);
  }

  #segment(id: string, file: string): string {
    return path.join(this.#databasePath, "indexes", id, file);
  }

  #payload(name: string): string {
    return path.join(this.#databasePath, "payloads", name);
  }
}

/** Those of each shard that has any. */
function filesByPiece({ id, segments }: IndexManifest): Map<number, SegmentFiles> {
  const pieces = new Map<number, SegmentFiles>();
  for (const segment of segments) {
    const piece = pieceOf(Number(id), segment.shard);
    const known = pieces.get(piece);
    if (known === undefined) pieces.set(piece, { id, files: [segment] });
    else known.files.push(segment);
  }
  return pieces;
}

/** What a change puts, without its seal; null for one that removes. */
export function bytesOf({ table, key, value }: Change): Uint8Array | null {
  if (value === null) return null;
  const name = TABLES[table]![0];
  const bytes = unseal(name, key, value);
  if (bytes === null) throw new Error(`the record \`${key}\` of the table \`${name}\` came damaged`);
  return new Uint8Array(bytes);
}

/** What a change puts, where it came, and not looked at: the record that brought it has a checksum of its own, or it was made here. */
export function lentBytes(value: Uint8Array): Uint8Array {
  return value.subarray(0, value.byteLength - SEAL_BYTES);
}

/** The payload of a task, where it lies in a file of its own. Most do not, and are not read for it. */
function payloadFile(change: Change): string | null {
  const { buffer, byteOffset, byteLength } = change.value!;
  if (!Buffer.from(buffer, byteOffset, byteLength).includes(FILE_KIND)) return null;
  const bytes = bytesOf(change)!;
  const { type } = decodeTaskColumns(bytes, change.key as number);
  if (type !== "documentAdditionOrUpdate" && type !== "documentDeletion") return null;
  const content = contentOf(bytes);
  return content === null ? null : payloadFileOf(content);
}
