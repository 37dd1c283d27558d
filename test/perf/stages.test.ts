/** From profiles to the stages of a request: which samples count, where they belong, and which questions are asked. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { samplesBetween } from "../../perf/lib/cpu-profile.ts";
import { stageOf, stageTimes } from "../../perf/lib/request-stages.ts";
import { cpuBetween, threadTimes } from "../../perf/lib/thread-cpu.ts";
import { typedQuestions } from "../../perf/lib/typed.ts";

const frame = (functionName: string, url = "") => ({ functionName, url, lineNumber: 0, columnNumber: 0 });

test("samples are those between two times, of the process that is meant, from the innermost function out", () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "stages-test-"));
  try {
    const profile = {
      nodes: [
        { id: 1, callFrame: frame("(root)"), children: [2, 4] },
        { id: 2, callFrame: frame("outer", "wasm://x"), children: [3] },
        { id: 3, callFrame: frame("set") },
        { id: 4, callFrame: frame("(idle)") },
      ],
      startTime: 1000,
      samples: [2, 3, 4, 3],
      timeDeltas: [10, 20, 30, 40],
    };
    for (const [name, samples] of [
      ["CPU.20260101.000000.77.2.001.cpuprofile", [4]],
      ["CPU.20260101.000000.77.0.002.cpuprofile", profile.samples],
      ["CPU.20260101.000000.78.0.003.cpuprofile", profile.samples],
    ] as const) {
      writeFileSync(path.join(folder, name), JSON.stringify({ ...profile, samples }));
    }
    const [first, second, ...more] = samplesBetween(folder, 77, 1030, 1100);
    assert.deepEqual(more, []);
    assert.deepEqual(second, []);
    assert.deepEqual(
      first!.map(({ micros, stack }) => [micros, stack.map(({ name }) => name).join(" < ")]),
      [
        [30, "set < outer < (root)"],
        [40, "(idle) < (root)"],
      ],
    );
    assert.deepEqual([...stageTimes(first!)], [["rank: compiled search", 30]]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the innermost function that belongs to a stage decides", () => {
  const stack = (...frames: [name: string, file: string][]) => frames.map(([name, file]) => ({ name, file }));
  assert.equal(
    stageOf(stack(["set", ""], ["push", "engine/link/ring.ts"], ["#serve", "engine/reader/loop.ts"])),
    "ring",
  );
  assert.equal(stageOf(stack(["postMessage", ""], ["", "engine/reader/loop.ts"])), "wake-ups");
  assert.equal(stageOf(stack(["sleep", "engine/link/idle-readers.ts"], ["run", "engine/reader/loop.ts"])), null);
  assert.equal(stageOf(stack(["parse", ""], ["parseJson", "server/front/request.ts"])), "in: HTTP, key, route, query");
  assert.equal(stageOf(stack(["what", "elsewhere.js"])), "other");
});

test("typed questions are beginnings, none of them twice, and end when there are no more", () => {
  const lines = ["One good turn", "One good deed", "abc"].map((title) => JSON.stringify({ title }));
  const asked = typedQuestions(lines, "title", 1000);
  assert.equal(new Set(asked).size, asked.length);
  assert.ok(asked.length > 10 && asked.length < 30);
  for (const q of asked) assert.ok(q.length >= 3 && lines.some((line) => line.includes(`"${q}`)));
});

test("CPU time is told apart by thread", { skip: process.platform !== "linux" }, () => {
  const before = threadTimes(process.pid);
  const end = performance.now() + 100;
  while (performance.now() < end);
  const { front, v8, readers } = cpuBetween(before, threadTimes(process.pid));
  assert.ok(front > 0 && v8 >= 0 && readers >= 0);
});

test("what a thread took that has ended is not taken from its group", () => {
  const numbers = ["10", "11", "12", "13", "14", "15", "16", "17"];
  const before = new Map(numbers.map((thread) => [thread, 1000]));
  const after = new Map([...before].filter(([thread]) => thread !== "16").map(([thread]) => [thread, 1100]));
  assert.deepEqual(cpuBetween(before, after), { front: 100, v8: 500, readers: 100 });
});
