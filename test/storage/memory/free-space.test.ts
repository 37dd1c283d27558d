import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { aligned, FreeSpace } from "../../../src/storage/memory/free-space.ts";

const BEGIN = 64;
const LIMIT = 64 * 400;

type Action = { kind: "take"; length: number } | { kind: "free"; which: number };

const actions = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("take" as const), length: fc.integer({ min: 1, max: 3000 }) }),
    fc.record({ kind: fc.constant("free" as const), which: fc.nat() }),
  ),
  { maxLength: 120 },
);

function run(list: Action[]): { space: FreeSpace; live: { offset: number; length: number }[] } {
  const space = new FreeSpace(BEGIN, LIMIT);
  const live: { offset: number; length: number }[] = [];
  for (const action of list) {
    if (action.kind === "take") {
      const offset = space.allocate(action.length);
      if (offset >= 0) live.push({ offset, length: action.length });
    } else if (live.length > 0) {
      const [block] = live.splice(action.which % live.length, 1);
      space.free(block!.offset, block!.length);
    }
  }
  return { space, live };
}

test("blocks never overlap, stay inside and are aligned", () => {
  fc.assert(
    fc.property(actions, (list) => {
      const { space, live } = run(list);
      const sorted = live.toSorted((a, b) => a.offset - b.offset);
      let end = BEGIN;
      let taken = 0;
      for (const { offset, length } of sorted) {
        assert.equal(offset % 64, 0);
        assert.ok(offset >= end);
        end = offset + aligned(length);
        taken += aligned(length);
      }
      assert.ok(end <= LIMIT);
      assert.equal(space.end, end);
      assert.equal(space.takenBytes, taken);
    }),
  );
});

test("freeing everything gives back one empty space", () => {
  fc.assert(
    fc.property(actions, fc.infiniteStream(fc.nat()), (list, order) => {
      const { space, live } = run(list);
      for (const which of order) {
        if (live.length === 0) break;
        const [block] = live.splice(which % live.length, 1);
        space.free(block!.offset, block!.length);
      }
      assert.equal(space.end, BEGIN);
      assert.equal(space.allocate(LIMIT - BEGIN), BEGIN);
    }),
  );
});

test("a space rebuilt from its live blocks has the same room", () => {
  fc.assert(
    fc.property(actions, fc.integer({ min: 1, max: 5000 }), (list, next) => {
      const { space, live } = run(list);
      const rebuilt = FreeSpace.around(BEGIN, LIMIT, live);
      assert.equal(rebuilt.end, space.end);
      assert.equal(rebuilt.takenBytes, space.takenBytes);
      assert.equal(rebuilt.allocate(next), space.allocate(next));
    }),
  );
});

test("the smallest hole that fits is used, the lowest of equals", () => {
  const space = new FreeSpace(0, LIMIT);
  const [a, , b, , c] = [640, 64, 128, 64, 128, 64].map((length) => space.allocate(length));
  space.free(a!, 640);
  space.free(b!, 128);
  space.free(c!, 128);
  assert.equal(space.allocate(100), b);
  assert.equal(space.allocate(100), c);
  assert.equal(space.allocate(100), a);
});

test("blocks that lie on each other are refused", () => {
  const twice = [
    { offset: 64, length: 100 },
    { offset: 128, length: 10 },
  ];
  assert.throws(() => FreeSpace.around(0, LIMIT, twice), RangeError);
});
