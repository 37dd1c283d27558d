import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { type Waiter, Waiting } from "../../../src/engine/reader/waiting.ts";

interface Asked extends Waiter {
  index: string;
}

/** Readers that take the requests of an index as long as is said; time passes only here. */
class Stage {
  now = 0;
  readonly waiting: Waiting<Asked>;
  readonly inRing: Asked[] = [];

  constructor(readers: number) {
    this.waiting = new Waiting(readers, () => this.now);
  }

  ask(index: string, isLong = false): void {
    const item: Asked = { index, isLong, bytes: 1, lane: this.waiting.laneOf(index), sentAt: 0, sentAs: 0 };
    if (this.waiting.mayGo(item)) this.#send(item);
    else this.waiting.add(item);
  }

  /** The first request in the ring is answered after so long. */
  answer(ms: number): string {
    this.now += ms;
    const item = this.inRing.shift()!;
    this.waiting.answered(item);
    for (let next = this.waiting.next(); next !== null; next = this.waiting.next()) this.#send(next);
    return item.index;
  }

  #send(item: Asked): void {
    this.inRing.push(item);
    this.waiting.sent(item);
  }
}

test("every request has its turn, once, and those of one index in their order", () => {
  const requests = fc.array(fc.record({ index: fc.constantFrom("a", "b", "c"), isLong: fc.boolean() }), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(
      requests,
      fc.integer({ min: 1, max: 4 }),
      fc.double({ min: 0.01, max: 100, noNaN: true }),
      (asked, readers, ms) => {
        const stage = new Stage(readers);
        const order: string[] = [];
        for (const { index, isLong } of asked) stage.ask(index, isLong);
        while (stage.inRing.length > 0) order.push(stage.answer(ms));
        assert.equal(stage.waiting.count, 0);
        assert.equal(stage.waiting.bytes, 0);
        assert.deepEqual([...order].sort(), asked.map(({ index }) => index).sort());
      },
    ),
  );
});

test("who asks for one document does not wait behind who asks for a thousand of another index", () => {
  const stage = new Stage(2);
  for (let i = 0; i < 1000; i++) stage.ask("busy");
  stage.ask("quiet");
  let before = 0;
  while (stage.answer(1) !== "quiet") before++;
  assert.ok(before < 150, `${before} went before`);
});

test("a slow index does not get all readers while another one is asked, and gets them when none is", () => {
  const stage = new Stage(2);
  const slowInRing = (): number => stage.inRing.filter(({ index }) => index === "slow").length;
  for (let i = 0; i < 200; i++) stage.ask("slow");
  for (let i = 0; i < 100; i++) stage.answer(200);
  assert.ok(slowInRing() >= 2, "nobody else asks: both readers work");
  stage.ask("quick");
  for (let i = 0; i < 5; i++) stage.answer(200);
  assert.equal(slowInRing(), 1);
  stage.now += 3000;
  stage.answer(200);
  assert.ok(slowInRing() >= 2);
});

test("long requests leave a reader to the others", () => {
  const stage = new Stage(3);
  for (let i = 0; i < 10; i++) stage.ask("a", true);
  assert.equal(stage.inRing.length, 2);
  const alone = new Stage(1);
  for (let i = 0; i < 3; i++) alone.ask("a", true);
  assert.equal(alone.inRing.length, 1);
});
