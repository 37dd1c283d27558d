/** A program that says whether a function is compiled before and after a collection; needs `--allow-natives-syntax`. */
import { collectGarbage } from "../../../src/storage/memory/garbage.ts";

const OPTIMIZED = 1 << 4;
const ROUNDS = 100;

class Stopwatch {
  #end = 0;
  looks = 0;

  constructor(end: number) {
    this.#end = end;
  }

  isOver(now: number): boolean {
    this.looks++;
    return now > this.#end;
  }
}

function timed(end: number): Stopwatch | null {
  const watch = new Stopwatch(end);
  return watch.isOver(ROUNDS / 2) ? watch : null;
}

/** Written as text: that is no TypeScript. */
const status = new Function("code", "return %GetOptimizationStatus(code)") as (code: unknown) => number;
const isCompiled = (): boolean => (status(timed) & OPTIMIZED) !== 0;

for (const end = performance.now() + 60_000; !isCompiled() && performance.now() < end; ) {
  for (let round = 0; round < ROUNDS; round++) timed(round);
  await new Promise((resolve) => setImmediate(resolve));
}
const before = isCompiled();
await collectGarbage();
process.stdout.write(JSON.stringify({ before, after: isCompiled() }));
