/**
 * What a program sees that searches with `fetch` (keep-alive, answers compressed and decoded), and one that uses the official
 * client. The client is one of the packages of perf/package.json; without it only `fetch` is measured.
 */
import { digitsOf, takeNumbers } from "../lib/numbered.ts";
import { optionalPackage } from "../lib/packages.ts";
import type { Phase } from "../lib/phase.ts";
import { allWords, querySet, type SearchBody } from "../lib/queries.ts";
import { quantile } from "../lib/stats.ts";

const ROUNDS = 6;

/** What is used of the official client. */
interface ClientPackage {
  Meilisearch: new (options: {
    host: string;
    apiKey: string;
  }) => {
    index(uid: string): { search(query: string, options: SearchBody): Promise<{ hits: unknown[] }> };
  };
}

type Search = (uid: string, query: string, options: SearchBody) => Promise<unknown>;

export const fetchClient: Phase = async ({ server, corpora, report, say }) => {
  const headers = { "content-type": "application/json", authorization: `Bearer ${server.key}` };
  const ways: Record<string, Search> = {
    fetch: async (uid, q, options) => {
      const url = `${server.url}/indexes/${uid}/search`;
      const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ q, ...options }) });
      if (answer.status !== 200) throw new Error(`${q}: ${answer.status}`);
      return await answer.json();
    },
  };
  const official = await optionalPackage<ClientPackage>("meilisearch");
  if (official === null) say("the official client is not installed: npm ci --prefix perf");
  else {
    const client = new official.Meilisearch({ host: server.url, apiKey: server.key });
    ways["official client"] = (uid, q, options) => client.index(uid).search(q, options);
  }
  for (const corpus of corpora) {
    const { uid } = corpus;
    const queries = allWords(querySet(corpus).words);
    for (const [name, ask] of Object.entries(ways)) {
      const times: number[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        for (const q of queries) {
          const begin = performance.now();
          await ask(uid, q, { cropMarker: digitsOf(takeNumbers(1)) });
          if (round > 0) times.push(performance.now() - begin);
        }
      }
      report("fetch client", `${uid}, ${name}, p50`, "ms", quantile(times, 0.5), "less");
      report("fetch client", `${uid}, ${name}, p95`, "ms", quantile(times, 0.95), "less");
    }
  }
};
