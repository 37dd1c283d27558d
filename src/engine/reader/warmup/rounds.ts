/**
 * A warm-up from the first made-up document to the last request, in steps short enough for a reader that may be called
 * away between any two of them. Requests go the way real ones go; only the indexes and the ring are its own.
 */
import type { Settings } from "../../../storage/settings/settings.ts";
import { defaultSettings } from "../../../storage/settings/update.ts";
import { AnswerCache } from "../../cache/answer-cache.ts";
import { AnswerWriter, WakeFlag } from "../../link/answers.ts";
import { decodeRequest } from "../../link/requests.ts";
import { ByteRing } from "../../link/ring.ts";
import { Slots } from "../../link/slots.ts";
import { ServedRequest } from "../served.ts";
import type { Handler, Handlers } from "../task.ts";
import { chanceFrom, DIMENSIONS, EMBEDDER, FIELDS, Language, madeUpDocument, madeUpVector } from "./documents.ts";
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
/** More than the longest answer: nobody else makes room in the ring. */
const RING_BYTES = 1 << 20;
/** Size of its answer cache: small enough that most requests are computed, large enough that some are found. */
const KEPT_BYTES = 1 << 18;

/** Yields after every step, true when a round of requests is complete. Goes on until told to return. */
export async function* warmupRounds(handlers: Handlers): AsyncGenerator<boolean, void> {
  const chance = chanceFrom(SEED);
  const language = new Language(VOCABULARY, chance);
  const samples = new SampleRequests(language, chance);
  const ring = ByteRing.create(RING_BYTES);
  const answers = new AnswerWriter(ring, new WakeFlag(), () => {});
  const reader: Practice = {
    handlers,
    ring,
    answers,
    slots: new Slots(),
    kept: new AnswerCache(KEPT_BYTES),
    degraded: new Int32Array(new SharedArrayBuffer(4)),
  };
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
          await ask(request, scratch, reader);
        }
      }
      yield true;
    }
  } finally {
    for (const scratch of stages) {
      await scratch.empty();
      await ask(samples.lastRequest(scratch.uid), scratch, reader);
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

interface Practice {
  handlers: Handlers;
  ring: ByteRing;
  answers: AnswerWriter;
  /** As readers have them: code that has seen anything else is compiled anew for them. */
  slots: Slots;
  kept: AnswerCache;
  degraded: Int32Array;
}

async function ask(
  bytes: Uint8Array,
  scratch: ScratchIndex,
  { handlers, ring, answers, slots, kept, degraded }: Practice,
): Promise<void> {
  ring.push(bytes, null);
  const { id, kind, header, payload } = decodeRequest(ring.take()!);
  const served = new ServedRequest({ catalog: scratch.catalog, slots, kept, degraded }, 0);
  try {
    // As in the loop: the compiler cannot follow a kind known only at run time.
    const reply = await (handlers[kind] as Handler<typeof kind>)(header, payload, served);
    answers.write(id, reply, reply.body);
    for (let piece = ring.take(); piece !== null; piece = ring.take());
  } finally {
    served.release();
  }
}
