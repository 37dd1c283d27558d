import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { Json } from "../../../src/base/json/value.ts";
import { JsonScale } from "../../../src/base/json/weigh.ts";

interface Counts {
  deepest: number;
  texts: number;
  objects: number;
}

/** Counted on the value itself. */
function counted(value: Json): Counts {
  if (typeof value === "string") return { deepest: 0, texts: 1, objects: 0 };
  if (value === null || typeof value !== "object") return { deepest: 0, texts: 0, objects: 0 };
  const inner = Object.values(value).map(counted);
  return {
    deepest: 1 + Math.max(0, ...inner.map(({ deepest }) => deepest)),
    texts: inner.reduce((sum, { texts }) => sum + texts, Array.isArray(value) ? 0 : Object.keys(value).length),
    objects: inner.reduce((sum, { objects }) => sum + objects, Array.isArray(value) ? 0 : 1),
  };
}

test("what is counted over the bytes is what the value holds, in steps of any length", () => {
  const steps = fc.integer({ min: 1, max: 40 });
  fc.assert(
    fc.property(fc.jsonValue(), steps, fc.boolean(), (value, step, spread) => {
      const bytes = Buffer.from(JSON.stringify(value, null, spread ? 2 : 0));
      const scale = new JsonScale(bytes);
      while (scale.step(step));
      const { deepest, texts, objects } = scale;
      assert.deepEqual({ deepest, texts, objects }, counted(value as Json));
    }),
  );
});

test("what is no JSON is counted without an end of its own", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const scale = new JsonScale(bytes);
      scale.step(bytes.length);
      assert.ok(scale.values <= bytes.length && scale.deepest <= bytes.length);
    }),
  );
});
