/**
 * Whether memory keeps growing under searches: resident size while a great number of them are answered, most of them different
 * from each other. The first tenth warms the server up and does not count.
 */
import { load } from "../lib/load.ts";
import { withPlace } from "../lib/numbered.ts";
import type { Phase } from "../lib/phase.ts";
import { allWords, querySet, titlesOf } from "../lib/queries.ts";
import { shuffled } from "../lib/random.ts";

const CONNECTIONS = 32;
const SAMPLE_MS = 1000;
const TITLES_PER_CORPUS = 20_000;
const STEPS = 10;

export const memory: Phase = async ({ server, corpora, searches, report, detail, say }) => {
  if (!server.ownsProcess) return;
  const inOrder = corpora.flatMap((corpus) => {
    const { words, options } = querySet(corpus);
    const texts = [...allWords(words), ...titlesOf(corpus, TITLES_PER_CORPUS)];
    const bodies = [...texts.map((q) => ({ q })), ...options];
    return bodies.map((body) => ({ path: `/indexes/${corpus.uid}/search`, body: JSON.stringify(withPlace(body)) }));
  });
  const requests = shuffled(inOrder);
  report("memory", "resident before searches", "MB", server.residentMb(), "less");
  const begin = performance.now();
  let largestMb = 0;
  const sampling = setInterval(() => {
    largestMb = Math.max(largestMb, server.residentMb());
  }, SAMPLE_MS);
  const sizes: number[] = [];
  for (let step = 0; step < STEPS; step++) {
    const from = Math.floor((requests.length * step) / STEPS);
    await load({
      address: server.address,
      key: server.key,
      requests: [...requests.slice(from), ...requests.slice(0, from)],
      connections: CONNECTIONS,
      until: { answers: Math.ceil(searches / STEPS) },
    });
    const mb = server.residentMb();
    sizes.push(mb);
    const done = Math.ceil(searches / STEPS) * (step + 1);
    detail("memory", `resident after ${done} searches`, "MB", mb, "less");
    say(`${done} of ${searches} searches`);
  }
  clearInterval(sampling);
  const seconds = (performance.now() - begin) / 1000;
  report("memory", `resident after ${searches} searches`, "MB", sizes[STEPS - 1]!, "less");
  report("memory", "largest meanwhile", "MB", Math.max(largestMb, ...sizes), "less");
  report("memory", "growth after the first tenth", "MB", sizes[STEPS - 1]! - sizes[0]!, "less");
  report("memory", "growth over the second half", "MB", sizes[STEPS - 1]! - sizes[STEPS / 2 - 1]!, "less");
  report("memory", "searches over all indexes meanwhile", "requests/s", searches / seconds, "more");
};
