/**
 * What the front does with idle time after the start: it reads and passes on made-up questions, for nobody, so that the
 * code for real ones is compiled before they come.
 */
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import { QuietMoments } from "../../base/time/quiet-moments.ts";
import { chanceFrom, Language } from "../../engine/reader/warmup/documents.ts";
import { SampleRequests } from "../../engine/reader/warmup/sample-requests.ts";
import { compilingSooner } from "../../engine/reader/warmup/sooner.ts";

/** Time for the server and its readers to start. */
const BEGINS_MS = 800;
/** Requests that come meanwhile wait no longer. */
const SLICE_MS = 1;
/** Time of this thread, at most. */
const EFFORT_MS = 300;
const SEED = 40;
const VOCABULARY = 200;

/** Ends by itself. */
export async function practiseQuestions(): Promise<void> {
  const moments = new QuietMoments(BEGINS_MS, 0);
  const questions = samples();
  for (let spentMs = 0; spentMs < EFFORT_MS; ) {
    if (!moments.isOne()) {
      await pause(moments.pauseMs, undefined, { ref: false });
      continue;
    }
    const startedAt = performance.now();
    await compilingSooner(async () => {
      while (performance.now() - startedAt < SLICE_MS) questions.next();
    });
    const tookMs = performance.now() - startedAt;
    moments.spent(tookMs);
    spentMs += tookMs;
    await turn();
  }
}

/** Each is checked and encoded when it is taken. */
function* samples(): Generator<Uint8Array> {
  const chance = chanceFrom(SEED);
  const requests = new SampleRequests(new Language(VOCABULARY, chance), chance);
  for (;;) yield* requests.round("made-up", true);
}
