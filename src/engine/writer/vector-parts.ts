/**
 * Cells and graphs of near vectors, made in the background: one segment at a time, a fraction of a second at a time on
 * helper threads, while nothing else is to be done. What is finished comes with a copy of its segment that takes the
 * segment's place; until then search goes other ways. What has changed in the meantime wins: a segment that is gone needs
 * neither.
 */

import { rmSync } from "node:fs";
import type { SegmentEntry } from "../../storage/index/manifest.ts";
import type { SegmentReader } from "../../storage/segment/reader.ts";
import { bitCodesIn } from "../../storage/segment/vectors/bit-codes.ts";
import { finishedGraph } from "../../storage/segment/vectors/graph-builder.ts";
import { type CellWork, LANES, roundsOf } from "../../storage/segment/vectors/ivf.ts";
import type { EmbedderVectors } from "../../storage/segment/vectors/reader.ts";
import type { VectorParts } from "../helper/vector-parts.ts";
import type { IsWorth } from "../vector/cost-model.ts";
import type { Committer } from "./commit.ts";
import { IndexDraft } from "./draft.ts";
import type { IndexState, WriterSegment } from "./index-state.ts";
import { HELD_MS_MAX } from "./merges.ts";
import type { Mutex } from "./mutex.ts";
import { nextSegmentName } from "./segment-name.ts";
import type { Work } from "./work.ts";

/** A segment is left alone for this long: it may soon be merged with others. */
const AGE_MS_MIN = 1500;
/** Bytes of codes of the vectors that one job links in a graph: about a tenth of a second. */
const STRETCH_BYTES = 64 * 1024;
const VECTORS_MIN = 16;
/** How long to wait while tasks are worked on. */
const PAUSE_MS = 100;

interface PartHooks {
  /** Whether tasks wait, or segments are being merged. */
  isBusy(): boolean;
  onFailure(problem: unknown): void;
}

/** What it needs of the writer. */
export interface PartWorld {
  indexes: Pick<Work["indexes"], "all" | "get" | "open" | "segmentPath">;
  helpers: Pick<Work["helpers"], "run">;
}

type PartKind = keyof VectorParts;

/** What a segment lacks: cells first, which are soon found. */
interface Lack {
  kind: PartKind;
  embedders: string[];
}

export type GraphBuilder = "own" | "hnswlib";

interface PartPlan {
  isWorth: Readonly<Record<PartKind, IsWorth>>;
  graphBuilder: GraphBuilder;
}

const KINDS: readonly PartKind[] = ["cells", "graphs"];

export class VectorPartBuilder {
  readonly #work: PartWorld;
  readonly #committer: Pick<Committer, "commit">;
  readonly #mutex: Mutex;
  readonly #hooks: PartHooks;
  readonly #plan: PartPlan;
  /** When segments were first seen to lack something. */
  readonly #since = new WeakMap<SegmentReader, number>();
  /** Those for which it failed (no room, say) are not tried again. */
  readonly #failed = new WeakSet<SegmentReader>();
  #running = false;
  #stopped = false;

  constructor(work: PartWorld, committer: Pick<Committer, "commit">, mutex: Mutex, hooks: PartHooks, plan: PartPlan) {
    this.#plan = plan;
    this.#work = work;
    this.#committer = committer;
    this.#mutex = mutex;
    this.#hooks = hooks;
  }

  /** Looks for a segment that lacks something and begins to make it; null when it begins nothing. To be called now and then. */
  consider(): Promise<void> | null {
    if (this.#running || this.#stopped || this.#hooks.isBusy()) return null;
    const chosen = this.#choose();
    if (chosen === null) return null;
    this.#running = true;
    return this.#build(chosen.state, chosen.segment, chosen.lack)
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

  #choose(): { state: IndexState; segment: WriterSegment; lack: Lack } | null {
    const now = performance.now();
    for (const state of this.#work.indexes.all()) {
      if (state.problem !== null || this.#mutex.held.has(state.uid)) continue;
      for (const segment of state.segments) {
        if (this.#failed.has(segment.reader)) continue;
        const lack = this.#lackOf(segment.reader);
        if (lack === null) continue;
        const since = this.#since.get(segment.reader);
        if (since === undefined) this.#since.set(segment.reader, now);
        else if (now - since >= AGE_MS_MIN) return { state, segment, lack };
      }
    }
    return null;
  }

  async #build(state: IndexState, segment: WriterSegment, { kind, embedders }: Lack): Promise<void> {
    const { helpers, indexes } = this.#work;
    const path = indexes.segmentPath(state.manifest.id, segment.entry.file);
    const isWanted = (): boolean => !this.#stopped && this.#current(state, segment) !== null;
    const made: VectorParts = { cells: [], graphs: [] };
    for (const embedder of embedders) {
      if (kind === "cells") {
        const work = await helpers.run("cells.prepare", { path, embedder });
        if (!(await this.#findCells(work, isWanted))) return;
        made.cells.push({ embedder, work });
      } else {
        const image = await this.#graphOf(path, segment.reader.vectors!.embedder(embedder)!, isWanted);
        if (image === null) return;
        made.graphs.push({ embedder, image });
      }
    }
    const { id, file } = nextSegmentName(state);
    const output = indexes.segmentPath(state.manifest.id, file);
    const { documentBytes } = segment.entry;
    const { fileBytes } = await helpers.run("segment.addVectorParts", { path, output, made, documentBytes });
    const replace = () => this.#replace(state, segment, { id, file, fileBytes }, output);
    if (!(await this.#mutex.runOn(() => state.uid, HELD_MS_MAX, replace))) rmSync(output, { force: true });
  }

  /** False when it was given up. */
  async #findCells(work: CellWork, isWanted: () => boolean): Promise<boolean> {
    const { helpers } = this.#work;
    for (const { step, stretches, movesCentres } of roundsOf(work)) {
      const lanes = Array.from({ length: LANES }, async (_, lane) => {
        for (let stretch = stretches.pop(); stretch !== undefined; stretch = stretches.pop()) {
          if (!isWanted()) return;
          await this.#giveWay();
          await helpers.run("cells.assign", { work, stretch, lane });
        }
      });
      await Promise.all(lanes);
      if (!isWanted()) return false;
      if (movesCentres) await helpers.run("cells.move", { work, step });
    }
    return true;
  }

  /** The image of a graph; null when it was given up. */
  async #graphOf(
    path: string,
    { name: embedder, codeBytes }: Pick<EmbedderVectors, "name" | "codeBytes">,
    isWanted: () => boolean,
  ): Promise<Uint32Array | null> {
    const { helpers } = this.#work;
    if (this.#plan.graphBuilder === "hnswlib") return helpers.run("graph.byHnswlib", { path, embedder });
    const work = await helpers.run("graph.prepare", { path, embedder });
    const count = Math.max(VECTORS_MIN, Math.floor(STRETCH_BYTES / codeBytes));
    do {
      if (!isWanted()) return null;
      await this.#giveWay();
    } while ((await helpers.run("graph.grow", { work, count })) > 0);
    return finishedGraph(work);
  }

  async #giveWay(): Promise<void> {
    if (this.#hooks.isBusy()) await new Promise((resume) => setTimeout(resume, PAUSE_MS));
  }

  async #replace(
    state: IndexState,
    segment: WriterSegment,
    made: Pick<SegmentEntry, "id" | "file" | "fileBytes">,
    output: string,
  ): Promise<void> {
    const current = this.#stopped ? null : this.#current(state, segment);
    if (current === null) {
      rmSync(output, { force: true });
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

  /** Null when it has all it should have. */
  #lackOf(reader: SegmentReader): Lack | null {
    for (const kind of KINDS) {
      const embedders = (reader.vectors?.embedders ?? []).flatMap(({ isCoded, name, count, codeBytes }) => {
        const sketches = bitCodesIn(reader, name);
        const there = kind === "cells" ? sketches?.cells : reader.graphs?.image(name);
        const isWorth = isCoded && this.#plan.isWorth[kind](count, codeBytes, sketches?.places ?? null);
        return isWorth && !there ? [name] : [];
      });
      if (embedders.length > 0) return { kind, embedders };
    }
    return null;
  }
}
