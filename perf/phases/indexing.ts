/** How long documents take from the first byte sent until the last task is `succeeded`. */
import type { Phase } from "../lib/phase.ts";
import { round } from "../lib/stats.ts";

export const indexing: Phase = async ({ server, corpora, report, say }) => {
  const client = server.client();
  for (const corpus of corpora) {
    const settings = await client.json<{ taskUid: number }>(
      "PATCH",
      `/indexes/${corpus.uid}/settings`,
      corpus.settings,
    );
    await client.wait(settings.taskUid);
    const begin = performance.now();
    let last = 0;
    for (const [i, payload] of corpus.payloads.entries()) {
      const path = `/indexes/${corpus.uid}/documents?primaryKey=id`;
      const answer = await client.request("POST", path, payload, "application/x-ndjson");
      if (answer.status !== 202) throw new Error(`${corpus.uid}: ${answer.status} ${answer.body}`);
      last = (JSON.parse(answer.body.toString()) as { taskUid: number }).taskUid;
      say(`${corpus.uid}: payload ${i + 1} of ${corpus.payloads.length} accepted`);
    }
    await client.wait(last);
    const seconds = (performance.now() - begin) / 1000;
    const stats = await client.json<{ numberOfDocuments: number }>("GET", `/indexes/${corpus.uid}/stats`);
    if (stats.numberOfDocuments !== corpus.documents)
      throw new Error(`${corpus.uid} holds ${stats.numberOfDocuments} documents`);
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
