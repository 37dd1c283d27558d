import assert from "node:assert/strict";
import test from "node:test";
import { everyFault } from "./plan.ts";

test("every call of a round goes wrong once for every error that it may meet", () => {
  const next = everyFault();
  const tried: string[] = [];
  // A round that opens two files, writes three times, and does nothing else.
  const calls: Record<string, number> = { open: 2, write: 3 };
  let hits = 0;
  for (let fault = next(hits); fault !== null; fault = next(hits)) {
    const { error, calls: [call] = [], skip = 0, times } = fault;
    assert.equal(times, 1);
    hits = skip < (calls[call ?? ""] ?? 0) ? 1 : 0;
    if (hits > 0) tried.push(`${error} ${call} ${skip}`);
  }
  assert.deepEqual(
    tried.filter((name) => name.startsWith("ENOSPC") || name.startsWith("EMFILE")),
    [
      "ENOSPC open 0",
      "ENOSPC open 1",
      "ENOSPC write 0",
      "ENOSPC write 1",
      "ENOSPC write 2",
      "EMFILE open 0",
      "EMFILE open 1",
    ],
  );
  assert.equal(tried.filter((name) => name.includes("write 2")).length, 4);
});
