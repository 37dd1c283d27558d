import { test } from "node:test";
import { flipBits } from "./harness.ts";

test("a flipped bit in any file of a data directory is found and named, or changes nothing", {
  timeout: 240_000,
}, async (t) => {
  t.diagnostic(JSON.stringify(await flipBits(150, 11, (text) => t.diagnostic(text))));
});
