/** Memory and disk after indexing, after a restart, and after most documents are deleted. */
import type { Phase } from "../lib/phase.ts";
import { quantile } from "../lib/stats.ts";

const SETTLE_MS = 60_000;
const STARTS = 3;
/** Merges and threads that were needed for a moment end before sizes are taken. */
const QUIET_MS = 20_000;

export const footprint: Phase = async ({ server, corpora, largest, report, say }) => {
  if (!server.ownsProcess) return;
  await new Promise((resume) => setTimeout(resume, QUIET_MS));
  const jsonMb = corpora.reduce((sum, corpus) => sum + corpus.bytes, 0) / 1024 / 1024;
  const before = { memory: server.residentMb(), disk: server.diskMb() };
  report("footprint", "resident after indexing", "MB", before.memory, "less");
  report("footprint", "disk after indexing", "× JSON", before.disk / jsonMb, "less");

  const starts: number[] = [];
  for (let i = 0; i < STARTS; i++) {
    await server.stop();
    const begin = performance.now();
    await server.start();
    const client = server.client();
    await client.json("GET", `/indexes/${largest.uid}/documents?limit=1`);
    starts.push(performance.now() - begin);
    client.close();
  }
  report("footprint", "start to first document of the largest index", "ms", quantile(starts, 0.5), "less");
  report("footprint", "resident after a start", "MB", server.residentMb(), "less");

  const client = server.client();
  let last = 0;
  for (const corpus of corpora) {
    const doomed: string[] = [];
    for (const payload of corpus.payloads) {
      for (const [i, line] of payload.trimEnd().split("\n").entries()) {
        if (i % 5 !== 0) doomed.push(`${(JSON.parse(line) as { id: string | number }).id}`);
      }
    }
    for (let i = 0; i < doomed.length; i += 50_000) {
      const body = doomed.slice(i, i + 50_000);
      last = (await client.json<{ taskUid: number }>("POST", `/indexes/${corpus.uid}/documents/delete-batch`, body))
        .taskUid;
    }
    say(`${doomed.length} of ${corpus.documents} documents of ${corpus.uid} deleted`);
  }
  await client.wait(last, 20);
  const end = performance.now() + SETTLE_MS;
  let memory = before.memory;
  let disk = before.disk;
  while (performance.now() < end && (memory > before.memory / 2 || disk > before.disk / 2)) {
    await new Promise((resume) => setTimeout(resume, 1000));
    memory = server.residentMb();
    disk = server.diskMb();
  }
  report("footprint", "memory left after deleting 80 %", "share", memory / before.memory, "less");
  report("footprint", "disk left after deleting 80 %", "share", disk / before.disk, "less");
  client.close();
};
