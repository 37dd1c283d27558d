/**
 * Cells of near vectors, found in the background: one segment at a time, a fraction of a second at a time on helper
 * threads, while nothing else is to be done. Finished ones come with a copy of their segment that takes the segment's
 * place; until then search looks at all vectors. What has changed in the meantime wins: a segment that is gone needs no
 * cells.
 */
import { randomBytes } from "node:crypto";
import type { NamedWork } from "../helper/cell-files.ts";
import type { SegmentEntry } from "../index/manifest.ts";
import type { SegmentReader } from "../segment/reader.ts";
import { type CellWork, LANES, roundsOf } from "../segment/vectors/cells.ts";
import { sketchesIn } from "../segment/vectors/sketches.ts";
import { isWorthCells } from "../vector/effort.ts";
import { unlinkIfThere } from "./build.ts";
import type { Committer } from "./commit.ts";
import { IndexDraft } from "./draft.ts";
import type { IndexState, WriterSegment } from "./index-state.ts";
import type { Mutex } from "./mutex.ts";
import type { Work } from "./work.ts";

/** A segment is left alone for this long: it may soon be merged with others. */
const AGE_MS_MIN = 1500;
/** How long to wait while tasks are worked on. */
const PAUSE_MS = 100;

export interface CellHooks {
  /** Whether tasks wait, or segments are being merged. */
  isBusy(): boolean;
  onFailure(problem: unknown): void;
}

/** What it needs of the writer. */
export interface CellWorld {
  indexes: Pick<Work["indexes"], "all" | "get" | "open" | "segmentPath">;
  helpers: Pick<Work["helpers"], "run">;
}

export class CellBuilder {
  readonly #work: CellWorld;
  readonly #committer: Pick<Committer, "commit">;
  readonly #mutex: Mutex;
  readonly #hooks: CellHooks;
  readonly #isWorth: typeof isWorthCells;
  /** When segments were first seen without cells. */
  readonly #since = new WeakMap<SegmentReader, number>();
  /** Those for which it failed (no room, say) are not tried again. */
  readonly #failed = new WeakSet<SegmentReader>();
  #running = false;
  #stopped = false;

  constructor(
    work: CellWorld,
    committer: Pick<Committer, "commit">,
    mutex: Mutex,
    hooks: CellHooks,
    isWorth = isWorthCells,
  ) {
    this.#isWorth = isWorth;
    this.#work = work;
    this.#committer = committer;
    this.#mutex = mutex;
    this.#hooks = hooks;
  }

  /** Looks for a segment that wants cells and begins to find them. To be called now and then. */
  consider(): void {
    if (this.#running || this.#stopped || this.#hooks.isBusy()) return;
    const chosen = this.#choose();
    if (chosen === null) return;
    this.#running = true;
    this.#build(chosen.state, chosen.segment, chosen.embedders)
      .catch((problem) => {
        this.#failed.add(chosen.segment.reader);
        if (!this.#stopped) this.#hooks.onFailure(problem);
      })
      .finally(() => {
        this.#running = false;
      });
  }

  /** What is under way is given up. */
  stop(): void {
    this.#stopped = true;
  }

  #choose(): { state: IndexState; segment: WriterSegment; embedders: string[] } | null {
    const now = performance.now();
    for (const state of this.#work.indexes.all()) {
      if (state.problem !== null) continue;
      for (const segment of state.segments) {
        if (this.#failed.has(segment.reader)) continue;
        const embedders = this.#lacking(segment.reader);
        if (embedders === null) continue;
        const since = this.#since.get(segment.reader);
        if (since === undefined) this.#since.set(segment.reader, now);
        else if (now - since >= AGE_MS_MIN) return { state, segment, embedders };
      }
    }
    return null;
  }

  async #build(state: IndexState, segment: WriterSegment, embedders: readonly string[]): Promise<void> {
    const { helpers, indexes } = this.#work;
    const path = indexes.segmentPath(state.manifest.id, segment.entry.file);
    const isWanted = (): boolean => !this.#stopped && this.#current(state, segment) !== null;
    const cells: NamedWork[] = [];
    for (const embedder of embedders) {
      const work = await helpers.run("cells.prepare", { path, embedder });
      if (!(await this.#findCells(work, isWanted))) return;
      cells.push({ embedder, work });
    }
    const id = state.nextSegmentId++;
    // No other file ever has this name: a thread that outlives its writer must not write over one that is in use.
    const file = `${id}-${randomBytes(6).toString("hex")}.seg`;
    const output = indexes.segmentPath(state.manifest.id, file);
    const { documentBytes } = segment.entry;
    const { fileBytes } = await helpers.run("segment.addCells", { path, output, cells, documentBytes });
    await this.#mutex.run(() => this.#replace(state, segment, { id, file, fileBytes }, output));
  }

  /** False when it was given up. */
  async #findCells(work: CellWork, isWanted: () => boolean): Promise<boolean> {
    const { helpers } = this.#work;
    for (const { step, stretches, movesCentres } of roundsOf(work)) {
      const lanes = Array.from({ length: LANES }, async (_, lane) => {
        for (let stretch = stretches.pop(); stretch !== undefined; stretch = stretches.pop()) {
          if (!isWanted()) return;
          if (this.#hooks.isBusy()) await new Promise((resume) => setTimeout(resume, PAUSE_MS));
          await helpers.run("cells.assign", { work, stretch, lane });
        }
      });
      await Promise.all(lanes);
      if (!isWanted()) return false;
      if (movesCentres) await helpers.run("cells.move", { work, step });
    }
    return true;
  }

  async #replace(
    state: IndexState,
    segment: WriterSegment,
    made: Pick<SegmentEntry, "id" | "file" | "fileBytes">,
    output: string,
  ): Promise<void> {
    const current = this.#stopped ? null : this.#current(state, segment);
    if (current === null) {
      unlinkIfThere(output);
      return;
    }
    const opened = this.#work.indexes.open(state.manifest.id, { ...current.entry, ...made });
    const draft = new IndexDraft(state);
    draft.dropSegment(current);
    draft.addSegment(opened);
    await this.#committer.commit({ put: [{ uid: state.uid, draft }], remove: [], gone: [] }, () => {}, false);
  }

  /** The segment as it is now; null when it is no longer part of the index. */
  #current(state: IndexState, { entry }: WriterSegment): WriterSegment | null {
    if (this.#work.indexes.get(state.uid) !== state) return null;
    return state.segments.find((segment) => segment.entry.id === entry.id) ?? null;
  }

  /** All embedders whose vectors should lie in cells; null when those of all do. */
  #lacking(reader: SegmentReader): string[] | null {
    const sketches = new Map(reader.vectors?.embedders.map(({ name }) => [name, sketchesIn(reader, name)]) ?? []);
    const worth = (reader.vectors?.embedders ?? [])
      .filter(({ isCoded, name, count, codeBytes }) => {
        return isCoded && this.#isWorth(count, codeBytes, sketches.get(name)?.places ?? null);
      })
      .map(({ name }) => name);
    return worth.some((name) => (sketches.get(name)?.cells ?? null) === null) ? worth : null;
  }
}
