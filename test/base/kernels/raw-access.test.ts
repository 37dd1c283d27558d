import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { rawAccesses } from "./raw-access.ts";

const KERNELS = fileURLToPath(new URL("../../../src/base/kernels", import.meta.url));

test("kernels name the fields of their structs", () => {
  const files = readdirSync(KERNELS, { recursive: true, encoding: "utf8" }).filter((name) =>
    /[\\/]assembly[\\/].*\.ts$/.test(name),
  );
  assert.ok(files.length > 50, `${files.length} files`);
  const raw = files.flatMap((name) =>
    rawAccesses(readFileSync(path.join(KERNELS, name), "utf8")).map((call) => `${name}: ${call}`),
  );
  assert.deepEqual(raw, []);
});

test("places that are given as bare numbers are found behind any brackets", () => {
  const refused = [
    "load<u32>(slot, 4)",
    "load<u32>(pairs + ((<usize>i) << 3), 4)",
    "store<u32>(at + ((<usize>(n - 1)) << 3), max(to, endOf(n - 1)), 4)",
    "store<i32>(end, findBetween(0, to, key + cut, length - cut), 0x4)",
    "load<u64>(heap + 8 * <usize>child + 8)",
    "store<u32>(at + 12, value)",
    "v128.load(head, 4)",
  ];
  for (const call of refused) assert.deepEqual(rawAccesses(`const x = ${call};\n`), [call], call);
  assert.deepEqual(rawAccesses("store<u32>(to, load<u32>(from, 8));"), ["load<u32>(from, 8)"]);
});

test("numbers that are no places of fields pass", () => {
  const passed = [
    "load<u32>(starts + ((<usize>slot) << 2), NEXT)",
    "load<u32>(changetype<usize>(this) + ((<usize>i) << 2), offsetof<Path>())",
    "load<u32>(keys + 8 * <usize>wanted - 8)",
    "load<u32>(list + ((<usize>(i + 1)) << 2))",
    "store<u32>(at, 4)",
    "store<u32>(at, load<u32>(at) + 1)",
    "v128.load(codes, 48)",
    "v128.store(at, i16x8.min_u(v128.load(at, 16), right), 16)",
    "v128.store64_lane(here, row, 1, EQUALS)",
  ];
  for (const call of passed) assert.deepEqual(rawAccesses(`const x = ${call};\n`), [], call);
});
