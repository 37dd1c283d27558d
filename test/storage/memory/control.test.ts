import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type BlockPointer,
  Control,
  FRONT_PIN,
  isOlder,
  Pins,
  readerPin,
} from "../../../src/storage/memory/control.ts";
import { Reclaimer } from "../../../src/storage/memory/reclaim.ts";

test("a directory pointer survives its one word", () => {
  const units = (max: number) => fc.integer({ min: 1, max }).map((count) => count * 64);
  const pointer = fc
    .tuple(fc.integer({ min: 0, max: 65_535 }), units(2 ** 26 - 1), units(2 ** 22 - 1))
    .map(([arena, offset, length]): BlockPointer => ({ arena, offset, length }));
  fc.assert(
    fc.property(pointer, (block) => {
      const control = Control.create();
      assert.equal(control.directory(), null);
      control.publish(block);
      assert.deepEqual(control.directory(), block);
      assert.deepEqual(new Control(control.buffer).directory(), block);
    }),
  );
});

test("epochs are ordered across the wrap-around", () => {
  assert.ok(isOlder(1, 2));
  assert.ok(!isOlder(2, 2));
  assert.ok(isOlder(0x7fffffff, -0x80000000));
});

const block = (offset: number): BlockPointer => ({ arena: 0, offset, length: 64 });

test("a retired block is freed only when no pin can reach it", () => {
  const control = Control.create();
  const freed: number[] = [];
  const reclaimer = new Reclaimer(control, ({ offset }) => freed.push(offset));
  const reader = new Pins(control, readerPin(0));
  const front = new Pins(control, FRONT_PIN);

  const first = reader.take();
  reclaimer.retire(block(64), control.publish(block(640)));
  assert.equal(reclaimer.collect(), 0);

  const second = front.take();
  reader.release(first);
  assert.equal(reclaimer.collect(), 1, "a pin of the newer epoch does not hold the older state");

  reclaimer.retire(block(128), control.publish(block(704)));
  reclaimer.retire(block(192), control.publish(block(768)));
  assert.equal(reclaimer.collect(), 0);
  front.release(second);
  assert.equal(reclaimer.collect(), 2);
  assert.deepEqual(freed, [64, 128, 192]);
});

test("several pins of one thread hold the oldest and move on", () => {
  const control = Control.create();
  const pins = new Pins(control, readerPin(3));
  const epochs = [pins.take()];
  control.advance();
  epochs.push(pins.take(), pins.take());
  control.advance();
  epochs.push(pins.take());
  assert.equal(control.oldestPin(), epochs[0]);
  pins.release(epochs[0]!);
  assert.equal(control.oldestPin(), epochs[1]);
  pins.release(epochs[1]!);
  assert.equal(control.oldestPin(), epochs[2]);
  pins.release(epochs[2]!);
  assert.equal(control.oldestPin(), epochs[3]);
  pins.release(epochs[3]!);
  assert.equal(control.oldestPin(), null);
  assert.throws(() => pins.release(epochs[3]!));
});
