/**
 * One index decoded from its manifest in shared memory. Cheap to make: settings, fields and segments are read when
 * first asked for, and taken over from the state before where they are the same.
 */
import type { Micros } from "../../base/time/time.ts";
import type { BlockPointer } from "../memory/control.ts";
import { Bitmap, wordsFor } from "../segment/bitmap.ts";
import type { ManifestSegment } from "../segment/generated/manifest-segment.ts";
import type { ManifestTable } from "../segment/generated/manifest-table.ts";
import type { SegmentReader } from "../segment/reader.ts";
import type { Settings } from "../settings/settings.ts";
import type { NamedIndex } from "./directory.ts";
import {
  openManifest,
  parseSettings,
  readFieldDistribution,
  readFieldOrder,
  readPlace,
  readShards,
} from "./manifest.ts";
import type { IndexView, SegmentView } from "./view.ts";

/** How this thread reaches shared memory and segment files. */
export interface SegmentSource {
  bytes(block: BlockPointer): Uint8Array;
  open(indexId: string, file: string, hot: BlockPointer): SegmentReader;
}

/** A segment this thread has opened, shared by all decoded states of its index that show it. */
class OpenSegment {
  readonly id: number;
  readonly place: BlockPointer;
  readonly #open: () => SegmentReader;
  #reader: SegmentReader | null = null;
  #holders = 0;
  #all: Bitmap | null = null;

  constructor(id: number, place: BlockPointer, open: () => SegmentReader) {
    this.id = id;
    this.place = place;
    this.#open = open;
  }

  get reader(): SegmentReader {
    this.#reader ??= this.#open();
    return this.#reader;
  }

  allRows(rows: number): Bitmap {
    this.#all ??= Bitmap.full(rows);
    return this.#all;
  }

  hold(): this {
    this.#holders++;
    return this;
  }

  letGo(): void {
    if (--this.#holders > 0) return;
    this.#reader?.close();
    this.#reader = null;
  }
}

class SegmentState implements SegmentView {
  readonly id: number;
  readonly rows: number;
  readonly shard: number;
  readonly liveCount: number;
  readonly open: OpenSegment;
  readonly #living: (() => Uint8Array) | null;
  #live: Bitmap | null = null;

  constructor(open: OpenSegment, entry: ManifestSegment, living: (() => Uint8Array) | null) {
    this.id = open.id;
    this.rows = entry.rows();
    this.shard = entry.shard();
    this.liveCount = this.rows - entry.deletedCount();
    this.open = open;
    this.#living = living;
  }

  get reader(): SegmentReader {
    return this.open.reader;
  }

  get live(): Bitmap {
    if (this.#living === null) return this.open.allRows(this.rows);
    if (this.#live === null) {
      const bytes = this.#living();
      this.#live = new Bitmap(this.rows, new Uint32Array(bytes.buffer, bytes.byteOffset, wordsFor(this.rows)));
    }
    return this.#live;
  }
}

export class DecodedIndex implements IndexView {
  readonly uid: string;
  readonly id: string;
  readonly version: number;
  readonly createdAt: Micros;
  readonly updatedAt: Micros;
  readonly primaryKey: string | null;
  readonly contentVersion: number;
  readonly settingsVersion: number;
  readonly documentCount: number;
  readonly shards: number;
  readonly problem: string | null;
  /** Tells this state of the index from any other. */
  readonly stamp: number;
  readonly #table: ManifestTable;
  readonly #source: SegmentSource;
  #settings: Settings | null;
  #held: SegmentState[] | null = null;
  #fieldOrder: string[] | null = null;
  #fieldDistribution: Record<string, number> | null = null;

  /** `before` is an earlier state under the same uid that is still alive; what did not change is taken from it. */
  constructor(named: NamedIndex, source: SegmentSource, before: DecodedIndex | null) {
    const table = openManifest(source.bytes(named.manifest));
    this.#table = table;
    this.#source = source;
    this.uid = named.uid;
    this.stamp = named.stamp;
    this.problem = named.problem;
    this.id = table.id() ?? "";
    this.version = table.version();
    this.createdAt = table.createdAt();
    this.updatedAt = table.updatedAt();
    this.primaryKey = table.primaryKey();
    this.contentVersion = table.contentVersion();
    this.settingsVersion = table.settingsVersion();
    this.documentCount = table.documentCount();
    this.shards = readShards(table);
    const sameIndex = before !== null && before.id === this.id;
    this.#settings = sameIndex && before.settingsVersion === this.settingsVersion ? before.#settings : null;
    // Opened segments are handed on at once: the earlier state may be let go before this one is used.
    if (sameIndex && before.#held !== null) this.#held = this.#readSegments(before);
  }

  get settings(): Settings {
    this.#settings ??= parseSettings(this.#table);
    return this.#settings;
  }

  get hasLongSettings(): boolean {
    return this.#table.settingNamesLength() > 0;
  }

  get fieldOrder(): string[] {
    this.#fieldOrder ??= readFieldOrder(this.#table);
    return this.#fieldOrder;
  }

  get fieldDistribution(): Record<string, number> {
    this.#fieldDistribution ??= readFieldDistribution(this.#table);
    return this.#fieldDistribution;
  }

  get segments(): SegmentView[] {
    return this.problem === null ? this.held : [];
  }

  get held(): SegmentView[] {
    this.#held ??= this.#readSegments(null);
    return this.#held;
  }

  get shardsElsewhere(): number[] {
    const shards = new Set<number>();
    for (let i = 0; i < this.#table.segmentsLength(); i++) {
      const entry = this.#table.segments(i)!;
      if (entry.hot() === null) shards.add(entry.shard());
    }
    return [...shards].sort((a, b) => a - b);
  }

  get fileBytes(): number {
    let total = 0;
    for (let i = 0; i < this.#table.segmentsLength(); i++) total += this.#table.segments(i)!.fileBytes();
    return total;
  }

  get documentBytes(): number {
    let total = 0;
    for (let i = 0; i < this.#table.segmentsLength(); i++) total += this.#table.segments(i)!.documentBytes();
    return total;
  }

  get liveDocumentBytes(): number {
    let total = 0;
    for (let i = 0; i < this.#table.segmentsLength(); i++) {
      const segment = this.#table.segments(i)!;
      const rows = segment.rows();
      if (rows > 0) total += segment.documentBytes() * ((rows - segment.deletedCount()) / rows);
    }
    return Math.round(total);
  }

  /** Closes the segments no other state shows. Nothing may use this state afterwards. */
  letGo(): void {
    for (const segment of this.#held ?? []) segment.open.letGo();
    this.#held = null;
  }

  #readSegments(before: DecodedIndex | null): SegmentState[] {
    const table = this.#table;
    const known = new Map((before === null ? null : before.#held)?.map((segment) => [segment.id, segment]));
    const segments: SegmentState[] = [];
    for (let i = 0; i < table.segmentsLength(); i++) {
      const entry = table.segments(i)!;
      const hot = readPlace(entry.hot());
      if (hot === null) continue;
      const live = readPlace(entry.live());
      const earlier = known.get(entry.id());
      const file = entry.file() ?? "";
      const open =
        earlier !== undefined && samePlace(earlier.open.place, hot)
          ? earlier.open
          : new OpenSegment(entry.id(), hot, () => this.#source.open(this.id, file, hot));
      const living = live === null ? null : () => this.#source.bytes(live);
      segments.push(new SegmentState(open.hold(), entry, living));
    }
    return segments;
  }
}

function samePlace(a: BlockPointer, b: BlockPointer): boolean {
  return a.arena === b.arena && a.offset === b.offset;
}
