import assert from "node:assert/strict";
import test from "node:test";
import { BodyRoom, type HeldBody } from "../../../src/server/front/body-room.ts";

interface Sent extends HeldBody {
  wasCut: boolean;
}

function body(): Sent {
  const sent: Sent = {
    bytes: 0,
    isComing: true,
    wasCut: false,
    cut: () => {
      sent.wasCut = true;
    },
  };
  return sent;
}

const MB = 1_000_000;

test("bodies share one room, and give it back", () => {
  const room = new BodyRoom(10 * MB, () => 0);
  const [first, second] = [body(), body()];
  assert.ok(room.take(first, 6 * MB));
  assert.ok(!room.take(second, 5 * MB));
  room.release(second);
  room.release(first);
  room.release(first);
  assert.equal(room.bytes, 0);
  assert.ok(room.take(body(), 10 * MB));
});

test("the slowest goes when others need its room, those that move stay", () => {
  let now = 0;
  const room = new BodyRoom(10 * MB, () => now);
  const [slow, slower, quick, whole] = [body(), body(), body(), body()];
  for (const each of [slow, slower, quick]) assert.ok(room.take(each, 2 * MB));
  assert.ok(room.take(whole, 2 * MB));
  whole.isComing = false;
  for (now = 1000; now <= 6000; now += 1000) {
    assert.ok(room.take(slow, 20_000));
    assert.ok(room.take(slower, 10_000));
    assert.ok(room.take(quick, 300_000));
  }
  const late = body();
  assert.ok(room.take(late, 2 * MB));
  assert.deepEqual(
    [slow, slower, quick, whole].map(({ wasCut }) => wasCut),
    [false, true, false, false],
  );
  assert.ok(room.take(late, 2 * MB));
  assert.deepEqual(
    [slow, quick, whole].map(({ wasCut }) => wasCut),
    [true, false, false],
  );
  assert.ok(!room.take(late, 9 * MB));
  assert.ok(!quick.wasCut && !whole.wasCut);
});

test("who has only just begun is not called slow", () => {
  const room = new BodyRoom(2 * MB, () => 500);
  const early = body();
  assert.ok(room.take(early, MB));
  assert.ok(!room.take(body(), 2 * MB));
  assert.ok(!early.wasCut);
});
