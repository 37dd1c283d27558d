/** How many small document additions are accepted a second, each durable before its answer. */
import type { Phase } from "../lib/phase.ts";
import { quantile } from "../lib/stats.ts";

const CONNECTIONS = 64;
const SECONDS = 5;

export const enqueue: Phase = async ({ server, report, say }) => {
  const client = server.client();
  const latencies: number[] = [];
  let sent = 0;
  let last = 0;
  const end = performance.now() + SECONDS * 1000;
  const sender = async () => {
    while (performance.now() < end) {
      const body = `{"id":${sent++},"text":"a small document"}`;
      const begin = performance.now();
      const answer = await client.request("POST", "/indexes/perf-enqueue/documents", body);
      if (answer.status !== 202) throw new Error(`${answer.status} ${answer.body}`);
      latencies.push(performance.now() - begin);
      last = Math.max(last, (JSON.parse(answer.body.toString()) as { taskUid: number }).taskUid);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sender));
  report("enqueue", `${CONNECTIONS} connections, accepted`, "tasks/s", latencies.length / SECONDS, "more");
  report("enqueue", "answer p99", "ms", quantile(latencies, 0.99), "less");
  say("waiting for the queue to drain");
  const begin = performance.now();
  await client.wait(last, 20);
  report("enqueue", "drained after the last answer", "s", (performance.now() - begin) / 1000, "less");
  await client.wait((await client.json<{ taskUid: number }>("DELETE", "/indexes/perf-enqueue")).taskUid);
  client.close();
};
