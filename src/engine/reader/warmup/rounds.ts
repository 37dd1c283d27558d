/**
 * A warm-up from the first made-up document to the last request, in steps short enough for a reader that may be called
 * away between any two of them.
 */
import type { Settings } from "../../../storage/settings/settings.ts";
import { defaultSettings } from "../../../storage/settings/update.ts";
import type { Handlers } from "../task.ts";
import { chanceFrom, DIMENSIONS, EMBEDDER, FIELDS, Language, madeUpDocument, madeUpVector } from "./documents.ts";
import { Practice } from "./practice.ts";
import { SampleRequests } from "./sample-requests.ts";
import { ScratchIndex } from "./scratch-index.ts";

const SEED = 20;
const VOCABULARY = 3000;
/**
 * Documents by segment: one index is in several, the other in one, as real ones are. What comes first is small, because
 * the code that builds segments is cold as well.
 */
const DOCUMENTS_IN_SEVERAL = [4, 8, 16, 24];
const DOCUMENTS_IN_ONE = [160];
const DELETED_EVERY = 7;

/** Yields after every step, true when a round of requests is complete. Goes on until told to return. */
export async function* warmupRounds(handlers: Handlers): AsyncGenerator<boolean, void> {
  const chance = chanceFrom(SEED);
  const language = new Language(VOCABULARY, chance);
  const samples = new SampleRequests(language, chance);
  const practice = new Practice(handlers);
  const stages: ScratchIndex[] = [];
  try {
    for (const { uid, settings, segments, deletedEvery } of indexes()) {
      const scratch = new ScratchIndex(uid, settings, FIELDS);
      stages.push(scratch);
      for (const count of segments) {
        yield false;
        const from = scratch.documents;
        const documents = Array.from({ length: count }, (_, i) => ({
          ...madeUpDocument(from + i, language, chance),
          ...(scratch.hasVectors && { _vectors: { [EMBEDDER]: madeUpVector(chance) } }),
        }));
        yield false;
        scratch.add(documents, deletedEvery);
      }
      yield false;
      await scratch.show();
    }
    for (;;) {
      for (const scratch of stages) {
        for (const request of samples.round(scratch.uid, scratch.hasVectors)) {
          yield false;
          await practice.ask(request, scratch.catalog);
        }
      }
      yield true;
    }
  } finally {
    for (const scratch of stages) {
      await scratch.empty();
      await practice.ask(samples.lastRequest(scratch.uid), scratch.catalog);
    }
  }
}

function indexes(): { uid: string; settings: Settings; segments: number[]; deletedEvery: number }[] {
  const settings = {
    ...defaultSettings(),
    filterableAttributes: ["kinds", "year", "rating", "released", "details.language"],
    sortableAttributes: ["rating", "released", "title"],
  };
  const withSearchable = {
    ...settings,
    searchableAttributes: ["title", "overview", "people"],
    embedders: { [EMBEDDER]: { source: "userProvided", dimensions: DIMENSIONS } },
  };
  return [
    { uid: "several", settings, segments: DOCUMENTS_IN_SEVERAL, deletedEvery: DELETED_EVERY },
    { uid: "one", settings: withSearchable, segments: DOCUMENTS_IN_ONE, deletedEvery: 0 },
  ];
}
