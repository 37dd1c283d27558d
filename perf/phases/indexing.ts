/** How long documents take from the first byte sent until the last task is `succeeded`. */
import { fill } from "../lib/fill.ts";
import type { Phase } from "../lib/phase.ts";
import { round } from "../lib/stats.ts";

export const indexing: Phase = async ({ server, corpora, report, say }) => {
  const client = server.client();
  for (const corpus of corpora) {
    const seconds = await fill(client, corpus, say);
    report(
      "indexing",
      `${corpus.uid} (${corpus.documents} documents, ${round(corpus.bytes / 1e6, 0)} MB)`,
      "s",
      seconds,
      "less",
    );
    report("indexing", `${corpus.uid} rate`, "documents/s", corpus.documents / seconds, "more");
  }
  client.close();
};
