/**
 * Has the documents of a batch embedded on their way into segments: finds out what must be embedded, asks the embedders,
 * and puts the vectors together, one lot at a time. A failure, or a cancelation of the batch, ends all calls.
 */

import { limits, MIB } from "../../../base/limits.ts";
import type { MadeVectors } from "../../../storage/segment/vectors/made.ts";
import { dimensionsOf, withEmbedderDefaults } from "../../../storage/settings/embedders.ts";
import { type Generator, generatorsOf, makesVectors, type Renewal } from "../../../storage/settings/generators.ts";
import type { Settings } from "../../../storage/settings/settings.ts";
import { DEFAULT_DOCUMENT_TEMPLATE } from "../../../storage/settings/templates.ts";
import type { LotDocuments } from "../../build/lot.ts";
import { type Survey, type SurveyInput, surveyDocuments, surveyInputs } from "../../build/survey.ts";
import { EmbedError } from "../../vector/embed/embedder.ts";
import type { WriterSegment } from "../index-state.ts";
import type { LotPlan } from "../plan.ts";
import type { Work } from "../work.ts";
import { keptAsStored, madeBySurvey } from "./made.ts";
import { StopSignal } from "./stop-signal.ts";
import { StoredPlaces } from "./stored-places.ts";

/** What is embedded between two steps of progress; more than the embed thread works on at a time. */
const PIECE_INPUTS = 2000;
const PIECE_BYTES = 8 * MIB;

export interface EmbeddingTask {
  settings: Settings;
  fieldOrder: readonly string[];
  segments: readonly WriterSegment[];
  /** What each embedder does with documents that it has seen before. */
  renewalOf(embedder: string): Renewal;
  /** Embedders whose vectors had another size when the documents came. */
  resized: readonly string[];
}

export class Embedding {
  readonly #work: Work;
  readonly #task: EmbeddingTask;
  readonly #generators: Generator[];
  /** Embedders that make no vectors. */
  readonly #others: string[];
  readonly #stop: StopSignal;
  #embedded = 0;
  #wanted = 0;

  constructor(work: Work, task: EmbeddingTask) {
    this.#work = work;
    this.#task = task;
    this.#generators = generatorsOf(task.settings);
    const { embedders } = task.settings;
    this.#others = Object.keys(embedders).filter((name) => !makesVectors(embedders[name]!));
    this.#stop = new StopSignal(work);
  }

  /** Documents of one lot: their vectors are in memory together. */
  static documentsMax(settings: Settings): number {
    const dimensions = generatorsOf(settings).reduce(
      (sum, generator) => sum + generator.dimensions * Math.max(1, generator.fragments.length),
      0,
    );
    if (dimensions === 0) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.floor(limits.embeddedBytes / (4 * dimensions)));
  }

  /** Lots whose vectors may be made at the same time; nothing holds the others back. */
  get lotsAtOnce(): number {
    return this.#generators.length === 0 ? Number.POSITIVE_INFINITY : 2;
  }

  /** The vectors of a lot that do not stand in its documents. `isSmall`: looked through on this thread. */
  async make(plan: LotPlan, isSmall: boolean): Promise<MadeVectors[]> {
    try {
      return await this.#make(plan, isSmall);
    } catch (problem) {
      this.#stop.abort(problem);
      throw problem;
    }
  }

  dispose(): void {
    this.#stop.dispose();
  }

  async #make(plan: LotPlan, isSmall: boolean): Promise<MadeVectors[]> {
    const { settings, segments, renewalOf } = this.#task;
    const places = new StoredPlaces(segments, plan.storedSegments, plan.storedRows);
    const kept = this.#generators.filter(({ name }) => renewalOf(name) === "nothing");
    const made = kept.map(({ name, dimensions }) => keptAsStored(name, dimensions, places));
    const input = this.#surveyInput(plan, places);
    if (input === null) return made;
    const surveys = isSmall && !this.#hasPrograms ? surveyDocuments(input) : await this.#surveyElsewhere(input);
    this.#stop.signal.throwIfAborted();
    const surveyed = surveys.map(async (survey) => {
      const asked = input.generators.find(({ generator }) => generator.name === survey.embedder);
      const dimensions = asked?.generator.dimensions ?? (settings.embedders[survey.embedder]!["dimensions"] as number);
      const fresh = await this.#embed(survey);
      return madeBySurvey(survey, dimensions, fresh, places, asked?.stored ?? null);
    });
    return [...made, ...(await Promise.all(surveyed))];
  }

  /** Templates with loops may take as long as they like, up to their limit, for each document. */
  get #hasPrograms(): boolean {
    const isProgram = (text: string): boolean => text.includes("{%") && text !== DEFAULT_DOCUMENT_TEMPLATE;
    return this.#generators.some(
      ({ template, fragments }) => isProgram(template) || isProgram(JSON.stringify(fragments)),
    );
  }

  #surveyElsewhere(input: SurveyInput): Promise<Survey[]> {
    const { helpers, patiently } = this.#work;
    return patiently(helpers.run("documents.survey", input));
  }

  /** Null when there is nothing to find out. */
  #surveyInput(plan: LotPlan, places: StoredPlaces): SurveyInput | null {
    const { settings, fieldOrder, renewalOf, resized } = this.#task;
    const generators = this.#generators.flatMap((generator) => {
      const renewal = renewalOf(generator.name);
      return renewal === "nothing" ? [] : [{ generator, renewal, stored: places.originsOf(generator.name) }];
    });
    const others = places.hasAny ? this.#others.filter((name) => renewalOf(name) !== "nothing") : [];
    if (generators.length + others.length === 0) return null;
    const skipsFailures = this.#work.ignoredFailures.includes("documentTemplate");
    const { unwanted } = this.#stop;
    return { ...documentsOf(plan, fieldOrder), generators, others, settings, resized, skipsFailures, unwanted };
  }

  /** Null when the embedder failed and that is to be ignored. */
  async #embed(survey: Survey): Promise<Float32Array[] | null> {
    const { embed, requests, ignoredFailures } = this.#work;
    const name = survey.embedder;
    const count = survey.inputEnds.length;
    const settings = withEmbedderDefaults(this.#task.settings.embedders[name]!);
    const dimensions = dimensionsOf(this.#task.settings, name);
    const vectors: Float32Array[] = [];
    this.#wanted += count;
    try {
      while (vectors.length < count) {
        const inputs = surveyInputs(survey, vectors.length, PIECE_INPUTS, PIECE_BYTES);
        const made = await embed.embedDocuments({ name, settings }, inputs, this.#stop.signal, requests);
        for (const vector of made) vectors.push(checked(vector, name, dimensions));
        this.#show(inputs.length);
      }
    } catch (problem) {
      if (problem instanceof EmbedError && ignoredFailures.includes("embedder")) return null;
      throw problem;
    }
    return vectors;
  }

  #show(embedded: number): void {
    this.#embedded += embedded;
    this.#work.progress.step(3, "extracting embeddings", this.#embedded, this.#wanted);
  }
}

/** A model can be replaced behind the back of the server. */
function checked(vector: Float32Array, embedder: string, dimensions: number | null): Float32Array {
  if (vector.length === dimensions) return vector;
  const problem = `embedder \`${embedder}\`: its vectors have ${vector.length} dimensions now, ${dimensions} are expected`;
  throw new EmbedError("runtime", problem);
}

function documentsOf(plan: LotPlan, fieldOrder: readonly string[]): LotDocuments {
  const { docids, externalIds, sources, versionStarts, versionSources, versionBegins, versionEnds } = plan;
  const versions = { versionStarts, versionSources, versionBegins, versionEnds };
  const { overStored, replaced, embedders } = plan;
  return { fieldOrder, docids, externalIds, sources, ...versions, overStored, replaced, embedders };
}
