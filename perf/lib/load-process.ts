/** The load generator of our own, in a process of its own: gets a plan, runs it, sends the result, ends. */
import { Connection, postBytes } from "./connection.ts";
import type { LoadResult, NumberedPlan } from "./load.ts";
import { digitsOf, NUMBER_PLACE } from "./numbered.ts";
import { quantile } from "./stats.ts";

/** Latencies are kept of at most so many answers, evenly spread: a million of them would grow the process for nothing. */
const SAMPLES_MAX = 200_000;

async function run(plan: NumberedPlan): Promise<LoadResult> {
  const { address, key, requests, connections, until, firstNumber } = plan;
  const prepared = requests.map(({ path, body }) => postBytes(address, key, path, body));
  const places = prepared.map((bytes) => bytes.indexOf(NUMBER_PLACE));
  /** A copy: what was written before may not have left yet. */
  const request = (i: number): Buffer => {
    const bytes = prepared[i % prepared.length]!;
    const place = places[i % prepared.length]!;
    if (place < 0) return bytes;
    const copy = Buffer.from(bytes);
    copy.write(digitsOf(firstNumber + i), place, "latin1");
    return copy;
  };
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(address)));
  const answersMax = "answers" in until ? until.answers : Number.POSITIVE_INFINITY;
  const every = Math.max(1, Math.ceil(Number.isFinite(answersMax) ? answersMax / SAMPLES_MAX : 1));
  const begin = performance.now();
  const end = "seconds" in until ? begin + until.seconds * 1000 : Number.POSITIVE_INFINITY;
  const latencies: number[] = [];
  let sent = 0;
  let answers = 0;
  let refused = 0;
  await Promise.all(
    open.map(async (connection) => {
      while (sent < answersMax) {
        const sentAt = performance.now();
        if (sentAt >= end) break;
        const reply = await connection.ask(request(sent++));
        if (reply.status < 200 || reply.status > 299) refused++;
        if (answers++ % every === 0) latencies.push(performance.now() - sentAt);
      }
      connection.close();
    }),
  );
  const seconds = (performance.now() - begin) / 1000;
  return { answers, seconds, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99), refused };
}

process.once("message", async (plan: NumberedPlan) => {
  const result = await run(plan);
  process.send?.(result, () => process.disconnect());
});
