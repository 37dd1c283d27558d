/**
 * The one place where a change becomes real: one transaction of the store holds the new manifests and what became of
 * the tasks, then the new state is shown to the readers. A crash before the transaction leaves the old state, after it
 * the new one; nothing lies between.
 */
import type { Micros } from "../../base/time/time.ts";
import { nowMicros } from "../../base/time/time.ts";
import { encodeManifest, type IndexManifest } from "../../storage/index/manifest.ts";
import type { PublishedIndex, Publisher } from "../../storage/index/publish.ts";
import { StoreFault } from "../../storage/store/fault.ts";
import type { Store } from "../../storage/store/store.ts";
import type { IndexDraft } from "./draft.ts";
import type { Indexes } from "./indexes.ts";
import type { RetiredFiles } from "./retired-files.ts";
import type { Change } from "./work.ts";

/** A segment's file that a change brings. */
export interface AddedFile {
  indexId: string;
  file: string;
}

export class Committer {
  readonly #store: Store;
  readonly #publisher: Publisher;
  readonly #indexes: Indexes;
  readonly #files: RetiredFiles;
  readonly #share: ((files: AddedFile[]) => Promise<void>) | null;

  /** `share`: puts files where other servers find them. */
  constructor(
    store: Store,
    publisher: Publisher,
    indexes: Indexes,
    files: RetiredFiles,
    share: ((files: AddedFile[]) => Promise<void>) | null = null,
  ) {
    this.#store = store;
    this.#publisher = publisher;
    this.#indexes = indexes;
    this.#files = files;
    this.#share = share;
  }

  /** `alsoStore` queues the records of the finished tasks. `touches` is false for work no user asked for. */
  async commit(change: Omit<Change, "outcomes">, alsoStore: (now: Micros) => void, touches = true): Promise<void> {
    const now = nowMicros();
    const finished = change.put.map(({ uid, draft }) => ({ uid, draft, manifest: draft.finish(now, touches) }));
    await this.#share?.(change.put.flatMap(({ draft }) => addedFiles(draft)));
    try {
      await this.#store.write(() => {
        for (const uid of change.remove) this.#store.catalog.remove(uid);
        for (const state of change.gone) this.#store.manifests.remove(Number(state.manifest.id));
        for (const { uid, manifest } of finished) this.#putIndex(uid, manifest);
        this.#store.meta.put("nextIndexId", this.#indexes.nextId);
        change.alsoStore?.(this.#store);
        alsoStore(now);
      });
    } catch (problem) {
      // When nobody knows what is on disk, its files may be part of it: the next writer will see.
      const isGone = !(problem instanceof StoreFault) || problem.kind === "refused";
      if (isGone) for (const { draft } of change.put) this.#indexes.abandon(draft);
      throw problem;
    }
    const retired = [
      ...change.gone.map((state) => this.#indexes.folderOf(state.manifest.id)),
      ...change.put.flatMap(({ draft }) => this.#filesDroppedBy(draft)),
    ];
    for (const { draft } of change.put) draft.adopt();
    this.#indexes.place(
      change.put.map(({ uid, draft }) => ({ uid, state: draft.state })),
      change.remove,
    );
    if (finished.length > 0 || change.remove.length > 0) await this.#publish(finished, change.remove);
    for (const state of change.gone) for (const { reader } of state.segments) reader.close();
    this.#files.retire(retired);
  }

  #putIndex(uid: string, manifest: IndexManifest): void {
    const id = Number(manifest.id);
    this.#store.manifests.put(id, encodeManifest(manifest));
    this.#store.catalog.put(uid, { id, createdAt: manifest.createdAt, updatedAt: manifest.updatedAt });
  }

  #publish(finished: PublishedIndex[], remove: string[]): Promise<void> {
    const put = finished.map(({ uid, manifest }) => ({ uid, manifest }));
    const names = new Set(put.map(({ uid }) => uid));
    return this.#publisher.publish({ put, remove: remove.filter((uid) => !names.has(uid)) });
  }

  #filesDroppedBy(draft: IndexDraft): string[] {
    const paths: string[] = [];
    for (const { entry, reader } of draft.dropped) {
      reader.close();
      paths.push(this.#indexes.segmentPath(draft.state.manifest.id, entry.file));
    }
    return paths;
  }
}

function addedFiles({ state, added }: IndexDraft): AddedFile[] {
  return added.map(({ entry }) => ({ indexId: state.manifest.id, file: entry.file }));
}
