/** The probe tells work that keeps a question waiting from work that is done while the probe has no core. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { mainThreadMs } from "./cpu.ts";
import { HealthProbe, keptWaitingMs, quantile } from "./health-probe.ts";
import { until } from "./patience.ts";

const NOW = { clockMs: 0, probeWaitedMs: 7, frontWorkedMs: 100, stolenMs: [500, 0] };

test("what the front does while the probe waits for a core keeps no question waiting", () => {
  const idle = { from: NOW, to: { clockMs: 41, probeWaitedMs: 47, frontWorkedMs: 139, stolenMs: [500, 0] } };
  assert.equal(keptWaitingMs(idle), 0);
  const both = { from: NOW, to: { clockMs: 91, probeWaitedMs: 47, frontWorkedMs: 190, stolenMs: [500, 0] } };
  assert.equal(keptWaitingMs(both), 50);
});

test("nor does what the host takes of a core", () => {
  const stolen = { from: NOW, to: { clockMs: 304, probeWaitedMs: 7, frontWorkedMs: 412, stolenMs: [540, 260] } };
  assert.equal(keptWaitingMs(stolen), 52);
});

/** Says its port, and works 60 ms now and then. */
const SLOW = `
const server = require("node:http").createServer((_, answer) => answer.end("{}")).listen(0, "127.0.0.1", () => console.log(server.address().port));
const worked = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
setInterval(() => { for (const until = worked() + 60; worked() < until; ); }, 100);
`;

test("work in one piece is found", async () => {
  const child = spawn(process.execPath, ["-e", SLOW], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [port] = (await once(child.stdout, "data")) as [Buffer];
    const probe = new HealthProbe(`http://127.0.0.1:${String(port).trim()}`, child.pid!);
    await until(
      () => mainThreadMs(child.pid!) > 1200,
      () => "twenty pieces of work",
    );
    const { frontMs, answerMs } = await probe.stop();
    assert.equal(frontMs.length, answerMs.length);
    assert.ok(quantile(frontMs, 1) > 30, `${frontMs.slice(-5)}`);
  } finally {
    child.kill("SIGKILL");
  }
});
