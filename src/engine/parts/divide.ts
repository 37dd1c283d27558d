/** An index divided by its documents into shards: a part has the same segments, and of their rows those of its shards. */
import type { IndexView, SegmentView } from "../../storage/index/view.ts";
import { Bitmap } from "../../storage/segment/bitmap.ts";

/** Spreads numbers that follow each other (Knuth, multiplicative hashing). */
const SPREAD = 0x9e3779b1;

/**
 * Into how many shards every index is divided, for those who work on parts, to set the answers of whole servers against each
 * other: answers are the same, only slower.
 */
export const SHARDS = Math.max(1, Math.trunc(Number(process.env["SABRE_SEARCH_PARTS"])) || 1);

/** Whether its documents lie in parts that are asked one by one. */
export function isDivided(_view: IndexView): boolean {
  return SHARDS > 1;
}

const known = new WeakMap<IndexView, Map<string, IndexView>>();

/** `count`: of all shards. */
export function viewOfShards(view: IndexView, shards: readonly number[], count: number = SHARDS): IndexView {
  let parts = known.get(view);
  if (parts === undefined) {
    parts = new Map();
    known.set(view, parts);
  }
  const name = `${shards.join("+")} of ${count}`;
  let part = parts.get(name);
  if (part === undefined) {
    part = new PartView(view, new Set(shards), count, name);
    parts.set(name, part);
  }
  return part;
}

/** Members are read when somebody looks at them, as those of the whole. */
class PartView implements IndexView {
  readonly id: string;
  readonly segments: SegmentView[];
  readonly documentCount: number;
  readonly #whole: IndexView;

  constructor(whole: IndexView, shards: ReadonlySet<number>, count: number, name: string) {
    this.#whole = whole;
    this.id = `${whole.id}/${name}`;
    this.segments = whole.segments.map(({ id, live: all, reader, rows, shard }) => {
      const live = Bitmap.create(rows);
      for (let row = all.first(); row !== -1; row = all.next(row + 1)) {
        if (shards.has((Math.imul(reader.docids[row]!, SPREAD) >>> 16) % count)) live.set(row);
      }
      return { id, rows, shard, reader, live, liveCount: live.count() };
    });
    this.documentCount = this.segments.reduce((sum, { liveCount }) => sum + liveCount, 0);
  }

  get uid(): string {
    return this.#whole.uid;
  }

  get version(): number {
    return this.#whole.version;
  }

  get contentVersion(): number {
    return this.#whole.contentVersion;
  }

  get createdAt(): IndexView["createdAt"] {
    return this.#whole.createdAt;
  }

  get updatedAt(): IndexView["updatedAt"] {
    return this.#whole.updatedAt;
  }

  get shards(): number {
    return this.#whole.shards;
  }

  get held(): SegmentView[] {
    return this.segments;
  }

  get shardsElsewhere(): readonly number[] {
    return [];
  }

  get primaryKey(): string | null {
    return this.#whole.primaryKey;
  }

  get settings(): IndexView["settings"] {
    return this.#whole.settings;
  }

  get settingsVersion(): number {
    return this.#whole.settingsVersion;
  }

  get hasLongSettings(): boolean {
    return this.#whole.hasLongSettings;
  }

  get fieldOrder(): string[] {
    return this.#whole.fieldOrder;
  }

  get fieldDistribution(): Record<string, number> {
    return this.#whole.fieldDistribution;
  }

  get fileBytes(): number {
    return this.#whole.fileBytes;
  }

  get documentBytes(): number {
    return this.#whole.documentBytes;
  }

  get liveDocumentBytes(): number {
    return this.#whole.liveDocumentBytes;
  }

  get problem(): string | null {
    return this.#whole.problem;
  }
}
