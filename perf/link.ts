/**
 * Times the way to a reader and back with requests that do nothing, and shows what an idle pool weighs.
 * `node --import tsx perf/link.ts [readers]`; the memory of a pool run from source includes the TypeScript loader.
 */
import { tmpdir } from "node:os";
import { threadFile } from "../src/base/bundle/threads.ts";
import { ReaderPool } from "../src/engine/reader/pool.ts";
import { Control } from "../src/storage/memory/control.ts";

const CONCURRENT = 32;
const SECONDS = 3;
const readers = Number(process.argv[2] ?? 2);
const header = { indexUid: "nothing", id: "1", fields: null, retrieveVectors: false };

function residentMib(): number {
  return process.memoryUsage.rss() / 1024 / 1024;
}

const before = residentMib();
const thread = threadFile(import.meta.url, "./lib/empty-reader");
const pool = new ReaderPool({ control: Control.create(), databasePath: tmpdir(), readers, thread });
pool.start();
await Promise.all(Array.from({ length: readers * 4 }, () => pool.request("documents.get", header)));
console.log(`idle pool of ${readers}: ${(residentMib() - before).toFixed(1)} MiB`);

async function ask(untilMs: number): Promise<number> {
  let count = 0;
  while (performance.now() < untilMs) {
    await pool.request("documents.get", header);
    count++;
  }
  return count;
}

async function measure(concurrent: number): Promise<void> {
  await Promise.all(Array.from({ length: concurrent }, () => ask(performance.now() + 500)));
  const cpu = process.cpuUsage();
  const start = performance.now();
  const counts = await Promise.all(Array.from({ length: concurrent }, () => ask(start + SECONDS * 1000)));
  const elapsedMs = performance.now() - start;
  const used = process.cpuUsage(cpu);
  const requests = counts.reduce((total, count) => total + count, 0);
  const cpuMicros = (used.user + used.system) / requests;
  const roundTripMicros = (elapsedMs * 1000 * concurrent) / requests;
  console.log(
    `${concurrent} at once: ${Math.round((requests / elapsedMs) * 1000)} requests/s, ` +
      `round trip ${roundTripMicros.toFixed(1)} us, CPU ${cpuMicros.toFixed(1)} us per request`,
  );
}

await measure(1);
await measure(CONCURRENT);
console.log(`after load: ${(residentMib() - before).toFixed(1)} MiB`);
await pool.stop();
