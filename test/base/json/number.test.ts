import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { doubleText, floatText } from "../../../src/base/json/number.ts";

describe("numbers the server writes", () => {
  it("read back as the same double and look like doubles", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = doubleText(value);
        assert.ok(Object.is(JSON.parse(text), value), text);
        assert.match(text, /[.e]/);
      }),
    );
    assert.deepEqual([1, -0, 0.5, 1e16, 1.5e-7, 123456].map(doubleText), [
      "1.0",
      "-0.0",
      "0.5",
      "1e16",
      "1.5e-7",
      "123456.0",
    ]);
  });

  it("read back as the same single-precision float, in few digits", () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
        assert.equal(Math.fround(JSON.parse(floatText(value))), value === 0 ? JSON.parse(floatText(value)) : value);
      }),
    );
    assert.equal(floatText(0.1), "0.1");
    assert.equal(floatText(0.123456789), "0.12345679");
  });
});
