/** Latency of reads when nothing else happens, and while documents are indexed at full speed. */
import type { Client } from "../lib/client.ts";
import { sendPayload } from "../lib/fill.ts";
import type { Phase } from "../lib/phase.ts";
import { quantile } from "../lib/stats.ts";

const IDLE_MS = 4000;

export const readsUnderWrites: Phase = async ({ server, largest, corpora, report, say }) => {
  const client = server.client();
  const paths = ["/health", `/indexes/${largest.uid}/documents?limit=20&offset=1000`];
  const idle = await Promise.all(paths.map((path) => sample(client, path, () => Promise.resolve(), IDLE_MS)));
  say("indexing a second copy while reading");
  const source = corpora.reduce((a, b) => (a.bytes > b.bytes ? a : b));
  const settings = await client.json<{ taskUid: number }>("PATCH", "/indexes/perf-copy/settings", source.settings);
  await client.wait(settings.taskUid);
  const writes = (async () => {
    let last = 0;
    for (const payload of source.payloads) last = await sendPayload(client, "perf-copy", payload);
    await client.wait(last, 20);
  })();
  const busy = await Promise.all(paths.map((path) => sample(client, path, () => writes, 0)));
  for (const [i, name] of ["/health", "GET /documents"].entries()) {
    report("reads under writes", `${name} p99 idle`, "ms", quantile(idle[i]!, 0.99), "less");
    report("reads under writes", `${name} p99 while indexing`, "ms", quantile(busy[i]!, 0.99), "less");
  }
  await client.wait((await client.json<{ taskUid: number }>("DELETE", "/indexes/perf-copy")).taskUid);
  client.close();
};

/** Asks one path over and over until the work is done and at least `leastMs` have passed. */
async function sample(client: Client, path: string, work: () => Promise<void>, leastMs: number): Promise<number[]> {
  let done = false;
  const finished = work().then(() => {
    done = true;
  });
  const latencies: number[] = [];
  const end = performance.now() + leastMs;
  while (!done || performance.now() < end) {
    const begin = performance.now();
    const answer = await client.request("GET", path);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
    latencies.push(performance.now() - begin);
    await new Promise((resume) => setTimeout(resume, 2));
  }
  await finished;
  return latencies;
}
