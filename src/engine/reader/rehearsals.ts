/**
 * What a reader does with idle time once its code is hot: it asks the indexes of the server some questions of its own, so
 * that the code is hot for their settings and documents as well. Each index once for each of its settings, with a bounded
 * effort, those that were asked about lately before any others.
 */

import { QuietMoments } from "../../base/time/quiet-moments.ts";
import type { Catalog, Snapshot } from "../../storage/index/catalog.ts";
import type { IndexView } from "../../storage/index/view.ts";
import type { Handlers } from "./task.ts";
import { chanceFrom } from "./warmup/documents.ts";
import { Practice } from "./warmup/practice.ts";
import { documentsRequest, type Rehearsed, rehearsedOf, searchesFor } from "./warmup/rehearsal.ts";
import { compilingSooner } from "./warmup/sooner.ts";

/** Time of this thread for one index. */
const EFFORT_MS = 1000;
/** Real requests wait for the one under way: an index that takes longer, so many times in a row, is left alone. */
const QUESTION_MS_MAX = 25;
const LONG_IN_A_ROW_MAX = 5;
const INDEXES_MAX = 16;
const SEED = 30;

export class Rehearsals {
  readonly #catalog: Catalog;
  readonly #practice: Practice;
  readonly #moments: QuietMoments;
  readonly #effortMs: number;
  readonly #chance = chanceFrom(SEED);
  /** By id and settings. */
  readonly #done = new Set<string>();
  #seenEpoch = -1;
  #steps: AsyncGenerator<void, void> | null = null;
  #spentMs = 0;
  #longInARow = 0;

  /** `asked`: a number that is another one once somebody has asked something. */
  constructor(handlers: Handlers, catalog: Catalog, reader: number, asked: () => number, effortMs = EFFORT_MS) {
    this.#catalog = catalog;
    this.#practice = new Practice(handlers);
    this.#moments = new QuietMoments(0, reader, asked);
    this.#effortMs = effortMs;
  }

  /** How long there is still to wait before the next step; null while there is nothing to rehearse. */
  get pauseMs(): number | null {
    return this.#steps === null ? null : this.#moments.pauseMs;
  }

  /** Does a little, unless others are at work. */
  async step(): Promise<void> {
    this.#steps ??= this.#next();
    const steps = this.#steps;
    if (steps === null || !this.#moments.isOne()) return;
    const startedAt = performance.now();
    const isOver = await compilingSooner(() => steps.next()).then(
      ({ done }) => done === true,
      () => true,
    );
    const tookMs = performance.now() - startedAt;
    this.#moments.spent(tookMs);
    this.#spentMs += tookMs;
    this.#longInARow = tookMs > QUESTION_MS_MAX ? this.#longInARow + 1 : 0;
    if (!isOver && this.#longInARow < LONG_IN_A_ROW_MAX && this.#spentMs < this.#effortMs) return;
    this.#steps = null;
    this.#spentMs = 0;
    this.#longInARow = 0;
  }

  #next(): AsyncGenerator<void, void> | null {
    if (this.#done.size === INDEXES_MAX) return null;
    const snapshot = this.#catalog.pin();
    try {
      if (snapshot.epoch === this.#seenEpoch) return null;
      const view = this.#newIndex(snapshot);
      if (view === null) {
        this.#seenEpoch = snapshot.epoch;
        return null;
      }
      this.#done.add(keyOf(view));
      const rehearsed = rehearsedOf(view);
      return rehearsed === null ? null : this.#rehearse(rehearsed);
    } finally {
      snapshot.release();
    }
  }

  /** The largest of those that this reader knows, or else of all. */
  #newIndex(snapshot: Snapshot): IndexView | null {
    return this.#largestOf(snapshot.known()) ?? this.#largestOf(snapshot.indexes());
  }

  /** Of those that were not rehearsed; null when there are none. */
  #largestOf(views: readonly IndexView[]): IndexView | null {
    const fresh = views.filter((view) => view.documentCount > 0 && !this.#done.has(keyOf(view)));
    if (fresh.length === 0) return null;
    return fresh.reduce((best, view) => (view.documentCount > best.documentCount ? view : best));
  }

  async *#rehearse(rehearsed: Rehearsed): AsyncGenerator<void, void> {
    for (;;) {
      const { body } = await this.#practice.ask(documentsRequest(rehearsed, this.#chance), this.#catalog);
      yield;
      for (const request of searchesFor(rehearsed, body, this.#chance)) {
        await this.#practice.ask(request, this.#catalog);
        yield;
      }
    }
  }
}

function keyOf({ id, settingsVersion }: IndexView): string {
  return `${id} ${settingsVersion}`;
}
