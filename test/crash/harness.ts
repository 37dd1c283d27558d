/**
 * Kills a server at random moments under mixed writes, dumps and snapshots among them, and checks, after every restart, that
 * each acknowledged task is there and that all is as the finished tasks have left it: nothing lost, nothing half done. With an
 * embedder, documents must have the vectors of their text, whenever that was last embedded.
 */
import assert from "node:assert/strict";
import type { TestEmbedder } from "../engine/writer/embedding/embedder.ts";
import { TestServer } from "../lib/server.ts";
import { temporaryDirectory } from "../lib/temporary.ts";
import { MixedWrites, randomFrom } from "./mixed-writes.ts";

const CLIENTS = 4;
/** On a busy machine a kill that comes too soon finds nothing to lose. */
const ACKNOWLEDGED_A_CYCLE = 2;
/** So often all tasks there ever were are read again: each time would make each cycle longer than the one before. */
const CYCLES_PER_FULL_CHECK = 50;
/** What an embedder takes by turns: the second is so long that batches step aside, and are killed there. */
const DELAYS_MS = [5, 160];

export interface CrashReport {
  cycles: number;
  acknowledged: number;
  unanswered: number;
  canceled: number;
}

export async function crashCycles(
  cycles: number,
  seed: number,
  say: (text: string) => void,
  embedder: TestEmbedder | null = null,
): Promise<CrashReport> {
  const random = randomFrom(seed);
  const writes = new MixedWrites(random, embedder);
  const directory = temporaryDirectory();
  let canceled = 0;
  // What is looked at here is written; a second reader would only make each of the many starts slower.
  const args = ["--experimental-allowed-ip-networks", "any", "--readers", "1"];
  let server = await TestServer.start({ directory, args });
  await writes.prepare(server);
  for (let cycle = 0; cycle < cycles; cycle++) {
    let alive = true;
    const client = async () => {
      while (alive) await writes.send(server, (status, body) => assert.fail(`${status} ${JSON.stringify(body)}`));
    };
    if (embedder !== null) embedder.delayMs = DELAYS_MS[cycle % DELAYS_MS.length]!;
    const clients = Array.from({ length: CLIENTS }, client);
    const enough = writes.acknowledged.size + ACKNOWLEDGED_A_CYCLE;
    await new Promise((resume) => setTimeout(resume, 20 + random() * 400));
    while (writes.acknowledged.size < enough) await new Promise((resume) => setTimeout(resume, 5));
    await server.kill();
    alive = false;
    await Promise.all(clients);
    server = await TestServer.start({ directory, args });
    const all = (cycle + 1) % CYCLES_PER_FULL_CHECK === 0 || cycle + 1 === cycles;
    const tasks = await writes.check(server, `cycle ${cycle}`, { all });
    canceled = tasks.filter((task) => task.status === "canceled").length;
    if (cycle % 10 === 9) say(`${cycle + 1} of ${cycles} cycles, ${tasks.length} tasks`);
  }
  assert.equal(await server.stop(), 0);
  await server.dispose();
  return { cycles, acknowledged: writes.acknowledged.size, unanswered: writes.unanswered, canceled };
}
