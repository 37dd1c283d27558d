/** One document into the largest index, and a thousand single-document tasks: the cost of a batch, not of the index. */
import type { Phase } from "../lib/phase.ts";
import { quantile } from "../lib/stats.ts";

const SINGLE_WRITES = 60;
const BURST_TASKS = 1000;
const BURST_CONNECTIONS = 16;

export const smallWrites: Phase = async ({ server, largest, report, say }) => {
  const client = server.client();
  const add = (id: string, text: string) =>
    client.json<{ taskUid: number }>("POST", `/indexes/${largest.uid}/documents`, [
      { id, title: text, headword: text, name: text },
    ]);
  const visible: number[] = [];
  for (let i = 0; i < SINGLE_WRITES; i++) {
    const begin = performance.now();
    const { taskUid } = await add(`perf-single-${i}`, `novelty${i}`);
    await client.wait(taskUid, 1);
    const read = await client.request("GET", `/indexes/${largest.uid}/documents/perf-single-${i}`);
    if (read.status !== 200) throw new Error(`a succeeded document is not found: ${read.status}`);
    visible.push(performance.now() - begin);
    if (i % 20 === 19) say(`${i + 1} of ${SINGLE_WRITES} single writes`);
  }
  report("small writes", `one document into ${largest.uid}, sent to found, p50`, "ms", quantile(visible, 0.5), "less");
  report("small writes", "the same, p95", "ms", quantile(visible, 0.95), "less");

  const begin = performance.now();
  let next = 0;
  let last = 0;
  const sender = async () => {
    while (next < BURST_TASKS) {
      const { taskUid } = await add(`perf-burst-${next}`, `burst${next++}`);
      last = Math.max(last, taskUid);
    }
  };
  await Promise.all(Array.from({ length: BURST_CONNECTIONS }, sender));
  await client.wait(last, 1);
  report(
    "small writes",
    `${BURST_TASKS} single-document tasks, all done`,
    "s",
    (performance.now() - begin) / 1000,
    "less",
  );
  client.close();
};
