import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { firstAtLeast, firstWhere, placeOf } from "../../../src/base/sorted/binary-search.ts";

const ascending = fc.array(fc.nat(50), { maxLength: 40 }).map((numbers) => numbers.sort((a, b) => a - b));

test("it finds what walking the list finds", () => {
  fc.assert(
    fc.property(ascending, fc.nat(52), fc.nat(40), fc.nat(40), (numbers, value, a, b) => {
      const [low, high] = [Math.min(a, b, numbers.length), Math.min(Math.max(a, b), numbers.length)];
      const walked = numbers.findIndex((number, at) => at >= low && at < high && number >= value);
      const expected = walked < 0 ? high : walked;
      assert.equal(firstAtLeast(Uint32Array.from(numbers), value, low, high), expected);
      assert.equal(
        firstWhere(low, high, (at) => numbers[at]! >= value),
        expected,
      );
      assert.equal(placeOf(numbers, value), numbers.indexOf(value));
    }),
  );
});

test("nothing is asked outside the range", () => {
  firstWhere(3, 9, (at) => {
    assert.ok(at >= 3 && at < 9);
    return false;
  });
  assert.equal(placeOf([], 1), -1);
});
