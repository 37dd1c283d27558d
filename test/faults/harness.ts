/**
 * Lets one call of the system after the other go wrong under mixed writes: a full disk, a broken one, too few descriptors,
 * short and slow writes; once, or until it is over. Searches must be answered all the while; when the fault is gone the
 * server must take writes again without a restart, and what it shows must be what the tasks that succeeded have made.
 */

import assert from "node:assert/strict";
import { MixedWrites, randomFrom } from "../crash/mixed-writes.ts";
import { until } from "../lib/patience.ts";
import { TestServer } from "../lib/server.ts";
import { temporaryDirectory } from "../lib/temporary.ts";
import { type Fault, Faults } from "./faults.ts";
import { everyFault, type FaultPlan, mixedFaults } from "./plan.ts";

const CLIENTS = 3;
const WRITES_EACH = 4;
const RECOVERY = { seconds: 30, firstMs: 20 };
/** Restarts in between: what is on disk must be what was shown. */
const ROUNDS_PER_RESTART = 25;

interface FaultReport {
  rounds: number;
  /** Calls that went wrong. */
  faults: number;
  acknowledged: number;
  refused: number;
  failedTasks: number;
  restarts: number;
}

/** `rounds`: so many mixed ones, or `every` call once for every error. Null where faults cannot be had. */
export async function faultRounds(
  rounds: number | "every",
  seed: number,
  say: (text: string) => void,
): Promise<FaultReport | null> {
  const random = randomFrom(seed);
  const directory = temporaryDirectory();
  const faults = Faults.in(directory);
  if (faults === null) return null;
  const writes = new MixedWrites(random);
  const next: FaultPlan = rounds === "every" ? everyFault() : mixedFaults(rounds, random);
  const report: FaultReport = { rounds: 0, faults: 0, acknowledged: 0, refused: 0, failedTasks: 0, restarts: 0 };
  const start = () => TestServer.start({ directory, args: ["--readers", "1"], env: faults.environment });
  let server = await start();
  try {
    await writes.prepare(server);
    await server.write("POST", "/indexes/still/documents", [{ id: 1, title: "standing" }]);
    let hits = 0;
    for (let fault = next(hits); fault !== null; fault = next(hits)) {
      const round = report.rounds++;
      const name = `round ${round}, ${JSON.stringify(fault)}`;
      faults.arm(fault);
      await underFault(server, writes, fault, name, report);
      hits = faults.counts().hit;
      report.faults += hits;
      faults.disarm();
      await takesWrites(server, name);
      const tasks = await writes.check(server, name, { mayFail: true, mayLeave: true });
      report.failedTasks = tasks.filter(({ status }) => status === "failed").length;
      if (round % ROUNDS_PER_RESTART === ROUNDS_PER_RESTART - 1) {
        await server.kill();
        server = await start();
        await writes.check(server, `${name}, after a restart`, { mayFail: true, all: true });
        report.restarts++;
        say(`${round + 1} of ${rounds} rounds, ${tasks.length} tasks, ${JSON.stringify(fault)}`);
      }
    }
    assert.equal(await server.stop(), 0);
  } catch (problem) {
    throw new Error(`the server said:\n${server.output.slice(-5000)}`, { cause: problem });
  } finally {
    faults.disarm();
    await server.dispose();
    faults.close();
  }
  report.acknowledged = writes.acknowledged.size;
  return report;
}

async function underFault(
  server: TestServer,
  writes: MixedWrites,
  { error }: Fault,
  name: string,
  report: FaultReport,
): Promise<void> {
  const client = async () => {
    for (let i = 0; i < WRITES_EACH; i++) {
      await writes.send(server, (status, body) => {
        report.refused++;
        const { code } = body as { code: string };
        assert.ok(status === 422 || status === 500, `${name}: ${status} ${JSON.stringify(body)}`);
        if (error === "ENOSPC" && status === 422) assert.equal(code, "no_space_left_on_device", name);
      });
    }
  };
  const reader = async () => {
    for (let i = 0; i < WRITES_EACH; i++) {
      const found = await server.request<{ hits: unknown[] }>("POST", "/indexes/still/search", { q: `standing ${i}` });
      assert.equal(found.body.hits?.length, 1, `${name}: ${JSON.stringify(found.body)}`);
      const listed = await server.request("GET", "/tasks?limit=1");
      assert.equal(listed.status, 200, `${name}: ${JSON.stringify(listed.body)}`);
    }
  };
  await Promise.all([...Array.from({ length: CLIENTS }, client), reader()]);
}

/** A document of an index that nothing else looks at. */
async function takesWrites(server: TestServer, name: string): Promise<void> {
  let refusal: unknown;
  await until(
    async () => {
      const { status, body } = await server.request("POST", "/tasks/cancel?uids=0");
      refusal = body;
      return status === 200 || status === 202;
    },
    () => `${name}: writes are still refused: ${JSON.stringify(refusal)}`,
    RECOVERY,
  );
}
