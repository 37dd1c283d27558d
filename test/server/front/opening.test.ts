import assert from "node:assert/strict";
import test from "node:test";
import { Opening } from "../../../src/server/front/opening.ts";

/** An opening of which the test says what is open, and who was let through. */
function bench() {
  const open = new Set<string>();
  const passed: string[] = [];
  const wanted: string[] = [];
  const opening = new Opening(
    (uid) => open.has(uid),
    (uid) => wanted.push(uid),
  );
  const ask = (uid: string | null): void => {
    if (opening.passes(uid, () => passed.push(`${uid} later`))) passed.push(`${uid} at once`);
  };
  return { opening, open, passed, wanted, ask };
}

test("what is asked of one index waits for that one, everything else for all", () => {
  const { opening, open, passed, ask } = bench();
  assert.equal(opening.isAwaited, false);
  for (const uid of ["small", "large", "missing", null]) ask(uid);
  assert.deepEqual(passed, []);
  assert.equal(opening.isAwaited, true);
  open.add("small");
  opening.progress();
  assert.deepEqual(passed, ["small later"]);
  for (const uid of ["small", "large", null]) ask(uid);
  assert.deepEqual(passed, ["small later", "small at once"]);
  open.add("large");
  opening.progress();
  assert.deepEqual(passed.slice(2), ["large later", "large later"]);
  opening.end();
  assert.deepEqual(passed.slice(4), ["missing later", "null later", "null later"]);
  assert.equal(opening.isAwaited, false);
  for (const uid of ["missing", null]) ask(uid);
  assert.deepEqual(passed.slice(7), ["missing at once", "null at once"]);
});

test("each index that is waited for is told of, once", () => {
  const { opening, open, wanted, ask } = bench();
  open.add("open");
  for (const uid of ["open", "first", null, "second", "first"]) ask(uid);
  assert.deepEqual(wanted, ["first", "second"]);
  opening.progress();
  assert.deepEqual(wanted, ["first", "second"]);
  opening.end();
  ask("third");
  assert.deepEqual(wanted, ["first", "second"]);
});

test("nobody waits where everything is open from the start", () => {
  assert.equal(
    Opening.past().passes(null, () => assert.fail("nothing is left to wait for")),
    true,
  );
});
