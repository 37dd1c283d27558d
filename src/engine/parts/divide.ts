/** Parts of an index that is divided among servers: those segments of it that are of some of its shards. */
import { ELSEWHERE } from "../../storage/index/publish.ts";
import { SHARDS_MAX } from "../../storage/index/shards.ts";
import type { IndexView, SegmentView } from "../../storage/index/view.ts";

/** Whether some of its shards are on other servers only, which are to be asked for them. */
export function isDivided({ problem, shards }: Pick<IndexView, "problem" | "shards">): boolean {
  return problem === ELSEWHERE && shards > 1;
}

const known = new WeakMap<IndexView, Map<string, IndexView>>();

/** All of them must be here. */
export function viewOfShards(view: IndexView, shards: readonly number[]): IndexView {
  let parts = known.get(view);
  if (parts === undefined) {
    parts = new Map();
    known.set(view, parts);
  }
  const name = shards.join("+");
  let part = parts.get(name);
  if (part === undefined) {
    // As many as there can be at a time: what else is asked for, or was while servers came and went, is not kept.
    if (parts.size === SHARDS_MAX) parts.clear();
    part = new PartView(view, new Set(shards), name);
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

  constructor(whole: IndexView, shards: ReadonlySet<number>, name: string) {
    this.#whole = whole;
    this.id = `${whole.id}/${name}`;
    this.segments = whole.held.filter(({ shard }) => shards.has(shard));
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
    return null;
  }
}
