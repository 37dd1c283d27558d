/**
 * Kills a server at random moments under mixed writes, dumps and snapshots among them, now and then once more while it starts
 * or catches up with what was left to be done, and checks after the restart that each acknowledged task is there and that all is as the
 * finished tasks have left it: nothing lost, nothing half done. With an embedder, documents must have the vectors of their text,
 * whenever that was last embedded.
 */
import assert from "node:assert/strict";
import type { TestEmbedder } from "../engine/writer/embedding/embedder.ts";
import { until, within } from "../lib/patience.ts";
import { TestServer } from "../lib/server.ts";
import { temporaryDirectory } from "../lib/temporary.ts";
import { MixedWrites, randomFrom } from "./mixed-writes.ts";

const CLIENTS = 4;
/** On a busy machine a kill that comes too soon finds nothing to lose. */
const ACKNOWLEDGED_A_CYCLE = 2;
/** A server is killed so long after writes began. */
const KILL_MS = { least: 10, spread: 240 };
/** The others are killed again while they catch up with what the kill before has left. */
const CHECKED_SHARE = 0.5;
/** So often, after a kill, the next start is killed as well, so long after it began: most listen by half of that time. */
const START_KILL_SHARE = 0.5;
const START_KILL_MS = 800;
/** So often all tasks there ever were are read again: each time would make each cycle longer than the one before. */
const CYCLES_PER_FULL_CHECK = 50;
/** What an embedder takes by turns: the second is so long that batches step aside, and are killed there. */
const DELAYS_MS = [5, 160];

export interface CrashReport {
  /** Kills under writes. */
  cycles: number;
  /** Kills of servers that were starting, or catching up. */
  startKills: number;
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
  let startKills = 0;
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
    await new Promise((resume) => setTimeout(resume, KILL_MS.least + random() * KILL_MS.spread));
    const told = (what: string) => (): string => `cycle ${cycle}: ${what}; the server said:\n${server.output}`;
    await until(() => writes.acknowledged.size >= enough, told("hardly anything was acknowledged"));
    alive = false;
    await server.kill();
    await within(Promise.all(clients), told("a client waits for a server that was killed"));
    while (random() < START_KILL_SHARE) {
      await TestServer.startAndKill({ directory, args }, random() * START_KILL_MS);
      startKills++;
    }
    server = await TestServer.start({ directory, args });
    if (cycle % 10 === 9)
      say(`${cycle + 1} of ${cycles} cycles and ${startKills} starts, ${writes.acknowledged.size} tasks acknowledged`);
    const all = (cycle + 1) % CYCLES_PER_FULL_CHECK === 0 || cycle + 1 === cycles;
    if (!all && random() >= CHECKED_SHARE) continue;
    const tasks = await writes.check(server, `cycle ${cycle}`, { all });
    canceled = tasks.filter((task) => task.status === "canceled").length;
  }
  assert.equal(await server.stop(), 0);
  await server.dispose();
  return { cycles, startKills, acknowledged: writes.acknowledged.size, unanswered: writes.unanswered, canceled };
}
