import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { ProgressStep } from "../../../src/base/contract/task.ts";
import { Progress } from "../../../src/engine/writer/progress.ts";
import { progressView } from "../../../src/storage/tasks/views.ts";

function shownBy(work: (progress: Progress) => void): ProgressStep[][] {
  const shown: ProgressStep[][] = [];
  work(new Progress((steps) => shown.push(steps)));
  return shown;
}

// The interface: a batch shows "progress: {steps: […], percentage: float}" while it runs
test("the share that is done never falls, whatever is done beside each other", () => {
  const step = fc.record({ depth: fc.nat(3), finished: fc.nat(5), total: fc.integer({ min: 0, max: 5 }) });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const shown = shownBy((progress) => {
        for (const { depth, finished, total } of steps) progress.step(depth, "work", Math.min(finished, total), total);
      });
      const shares = shown.map((each) => progressView(each).percentage);
      assert.deepEqual(
        shares,
        shares.toSorted((a, b) => a - b),
      );
    }),
  );
});

test("steps that go on are shown one by one", () => {
  const shown = shownBy((progress) => {
    progress.step(0, "processing", 0, 2);
    progress.step(1, "reading", 0, 2);
    progress.step(2, "task", 1, 2);
    progress.step(1, "building", 1, 2);
    progress.step(2, "document", 0, 4);
    progress.step(0, "writing", 1, 2);
  });
  assert.deepEqual(
    shown.map((steps) => progressView(steps).percentage),
    [0, 0, 12.5, 25, 25, 50],
  );
});
