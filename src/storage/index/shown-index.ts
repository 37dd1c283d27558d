/** An index as it stands in shared memory: where its manifest and the parts of its segments lie, and how that is read back. */
import type { BlockPointer } from "../memory/control.ts";
import type { NamedIndex } from "./directory.ts";
import { type IndexManifest, openManifest, readPlace, type SegmentPlace } from "./manifest.ts";

export interface Place extends SegmentPlace {
  deletedCount: number;
}

/** An index as it stands in shared memory. */
export interface Shown {
  id: string;
  /** Null for one taken over from a writer that died, until it is put again. */
  manifest: IndexManifest | null;
  named: NamedIndex;
  places: ReadonlyMap<number, Place>;
}

/** A number for each block that exists at one time. */
export function blockKey(block: BlockPointer): number {
  return block.arena * 2 ** 32 + block.offset;
}

/** All blocks that it takes. */
export function blocksOf(shown: Shown): BlockPointer[] {
  const blocks = [shown.named.manifest];
  for (const { hot, live } of shown.places.values()) {
    blocks.push(hot);
    if (live !== null) blocks.push(live);
  }
  return blocks;
}

/** What a directory names, from the manifest it points to. */
export function readShown(named: NamedIndex, bytes: (block: BlockPointer) => Uint8Array): Shown {
  const table = openManifest(bytes(named.manifest));
  const places = new Map<number, Place>();
  for (let i = 0; i < table.segmentsLength(); i++) {
    const segment = table.segments(i)!;
    const hot = readPlace(segment.hot());
    if (hot === null) continue;
    places.set(segment.id(), { hot, live: readPlace(segment.live()), deletedCount: segment.deletedCount() });
  }
  return { id: table.id() ?? "", manifest: null, named, places };
}
