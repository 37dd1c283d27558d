/**
 * The directory: from uid to the manifest of the index, at one epoch. Encoding for the writer, look-up for readers;
 * it never reads the manifests it points to.
 */

import { Builder, ByteBuffer } from "flatbuffers";
import { firstWhere } from "../../base/sorted/binary-search.ts";
import type { BlockPointer } from "../memory/control.ts";
import { DirectoryEntry } from "../segment/generated/directory-entry.ts";
import { DirectoryTable } from "../segment/generated/directory-table.ts";
import { readPlace, writePlace } from "./manifest.ts";

export interface NamedIndex {
  uid: string;
  /** Epoch that first showed this state of the index. */
  stamp: number;
  manifest: BlockPointer;
  problem: string | null;
}

export function encodeDirectory(indexes: NamedIndex[], arenas: number[], nextArena: number): Uint8Array {
  const builder = new Builder(4096);
  const sorted = indexes.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
  const entries = sorted.map((index) => {
    const uidAt = builder.createString(index.uid);
    const problemAt = index.problem === null ? 0 : builder.createString(index.problem);
    DirectoryEntry.startDirectoryEntry(builder);
    DirectoryEntry.addUid(builder, uidAt);
    DirectoryEntry.addStamp(builder, index.stamp);
    DirectoryEntry.addManifest(builder, writePlace(builder, index.manifest));
    if (index.problem !== null) DirectoryEntry.addProblem(builder, problemAt);
    return DirectoryEntry.endDirectoryEntry(builder);
  });
  const entriesAt = DirectoryTable.createEntriesVector(builder, entries);
  const arenasAt = DirectoryTable.createArenasVector(builder, arenas);
  DirectoryTable.startDirectoryTable(builder);
  DirectoryTable.addEntries(builder, entriesAt);
  DirectoryTable.addArenas(builder, arenasAt);
  DirectoryTable.addNextArena(builder, nextArena);
  DirectoryTable.finishDirectoryTableBuffer(builder, DirectoryTable.endDirectoryTable(builder));
  return builder.asUint8Array();
}

/** A directory in shared memory; valid while its epoch is pinned. */
export class Directory {
  readonly #table: DirectoryTable;

  constructor(bytes: Uint8Array) {
    const buffer = new ByteBuffer(bytes);
    if (!DirectoryTable.bufferHasIdentifier(buffer)) throw new RangeError("not a directory");
    this.#table = DirectoryTable.getRootAsDirectoryTable(buffer);
  }

  get size(): number {
    return this.#table.entriesLength();
  }

  get arenas(): ReadonlySet<number> {
    return new Set(this.#table.arenasArray() ?? []);
  }

  get nextArena(): number {
    return this.#table.nextArena();
  }

  at(position: number): NamedIndex {
    const entry = this.#table.entries(position)!;
    return {
      uid: entry.uid() ?? "",
      stamp: entry.stamp(),
      manifest: readPlace(entry.manifest())!,
      problem: entry.problem(),
    };
  }

  find(uid: string): NamedIndex | null {
    const table = this.#table;
    const uidAt = (place: number): string => table.entries(place)!.uid() ?? "";
    const count = table.entriesLength();
    const place = firstWhere(0, count, (at) => uidAt(at) >= uid);
    return place < count && uidAt(place) === uid ? this.at(place) : null;
  }
}
