import assert from "node:assert/strict";
import test from "node:test";
import type { AnswerStream } from "../../../src/server/front/answer.ts";
import { Feed } from "../../../src/server/front/live/feed.ts";
import { until } from "../../lib/patience.ts";

class FakeOut implements AnswerStream {
  text = "";
  isOpen = true;
  isFlowing = true;
  #drained = (): void => {};
  #closed = (): void => {};
  write(chunk: string | Uint8Array): boolean {
    this.text += chunk;
    return this.isFlowing;
  }
  end(): void {
    this.isOpen = false;
    this.#closed();
  }
  onDrain(resume: () => void): void {
    this.#drained = resume;
  }
  onClose(closed: () => void): void {
    this.#closed = closed;
  }
  drain(): void {
    this.isFlowing = true;
    this.#drained();
  }
  get events(): string[] {
    return [...this.text.matchAll(/event: (\w+)\ndata: (.*)\n/g)].map(([, name, data]) => `${name} ${data}`);
  }
  get lastId(): string {
    return [...this.text.matchAll(/id: (\S+)\n/g)].at(-1)![1]!;
  }
}

const turns = async (count = 5): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resume) => setImmediate(resume));
};

const all = { wants: () => true, mayStay: () => true, lastEventId: "" };

test("a slow reader is sent nothing until it has read, and then the state of that moment", async () => {
  const states = new Map<number, string>();
  const feed = new Feed({ name: "task", render: (uid) => (states.has(uid) ? [states.get(uid)!] : null) }, 64);
  const change = (uid: number, state: string): void => {
    states.set(uid, state);
    feed.changed(uid);
  };
  const out = new FakeOut();
  feed.follow({ ...all, out });
  out.isFlowing = false;
  change(1, "a");
  await turns();
  assert.deepEqual(out.events, ["task a"]);
  for (const state of ["b", "c", "d"]) change(1, state);
  change(2, "x");
  await turns();
  assert.deepEqual(out.events, ["task a"]);
  out.drain();
  await turns();
  assert.deepEqual(out.events, ["task a", "task d", "task x"]);
});

test("who comes back is told what was missed, once each; who comes too late is told so", async () => {
  const feed = new Feed({ name: "task", render: (uid) => [String(uid)] }, 8);
  const first = new FakeOut();
  feed.follow({ ...all, out: first });
  feed.changed(1);
  await turns();
  first.end();
  assert.equal(feed.followers, 0);
  for (const uid of [2, 3, 2]) feed.changed(uid);
  const second = new FakeOut();
  feed.follow({ ...all, out: second, lastEventId: first.lastId });
  await turns();
  assert.deepEqual(second.events, ["task 3", "task 2"]);
  second.end();
  for (let uid = 10; uid < 30; uid++) feed.changed(uid);
  for (const lastEventId of [second.lastId, "0123456789ab-3", "nonsense", `${second.lastId}99`]) {
    const late = new FakeOut();
    feed.follow({ ...all, out: late, lastEventId });
    await turns();
    assert.equal(late.events.length, 1);
    assert.match(late.events[0]!, /^reset \{"reason":/);
    late.end();
  }
});

test("a follower that more happens to at once than is kept is told so, and goes on from there", async () => {
  const feed = new Feed({ name: "task", render: (uid) => [String(uid)] }, 8);
  const out = new FakeOut();
  feed.follow({ ...all, out });
  for (let uid = 0; uid < 20; uid++) feed.changed(uid);
  await turns();
  feed.changed(50);
  await turns();
  assert.match(out.events[0]!, /^reset/);
  assert.deepEqual(out.events.slice(1), ["task 50"]);
});

test("after everything was read anew, every follower is told, and old places mean nothing", async () => {
  const feed = new Feed({ name: "task", render: (uid) => [String(uid)] }, 8);
  const out = new FakeOut();
  feed.follow({ ...all, out });
  const before = out.lastId;
  feed.reload();
  const back = new FakeOut();
  feed.follow({ ...all, out: back, lastEventId: before });
  await turns();
  assert.match(out.events[0]!, /^reset/);
  assert.match(back.events[0]!, /^reset/);
});

test("who lost his right to see it is cut, and who reads nothing for long", async () => {
  const feed = new Feed({ name: "task", render: (uid) => [String(uid)] }, 8, 5);
  let mayStay = true;
  const [guest, sleeper, good] = [new FakeOut(), new FakeOut(), new FakeOut()];
  feed.follow({ ...all, out: guest, mayStay: () => mayStay });
  feed.follow({ ...all, out: sleeper });
  feed.follow({ ...all, out: good });
  sleeper.isFlowing = false;
  feed.changed(1);
  await until(
    () => good.text.endsWith("\n:\n\n"),
    () => "a sign of life",
  );
  assert.equal(guest.isOpen, true);
  mayStay = false;
  await until(
    () => !guest.isOpen,
    () => "the guest is cut",
  );
  await until(
    () => !sleeper.isOpen,
    () => "the sleeper is cut",
  );
  assert.equal(good.isOpen, true);
});

test("thousands of changes are sent in slices, to every follower, in order", async () => {
  const feed = new Feed({ name: "task", render: (uid) => JSON.stringify({ uid, filler: "x".repeat(300) }) }, 65_536);
  const outs = Array.from({ length: 5 }, () => new FakeOut());
  for (const out of outs) feed.follow({ ...all, out, wants: (uid) => uid % 2 === 0 });
  for (let uid = 0; uid < 20_000; uid++) feed.changed(uid);
  await until(
    () => outs.every(({ events }) => events.length >= 10_000),
    () => "all events are sent",
  );
  for (const out of outs) {
    const uids = out.events.map((event) => Number(/"uid":(\d+)/.exec(event)![1]));
    assert.deepEqual(
      uids,
      Array.from({ length: 10_000 }, (_, i) => i * 2),
    );
  }
});

test("a long event is sent piece by piece as it is read, and nothing comes between", async () => {
  const taken: number[] = [];
  const render = function* (uid: number): Generator<string | Uint8Array> {
    for (let i = 0; i < 3; i++) {
      taken.push(i);
      yield i === 1 ? Buffer.from(`-${i}`) : `${uid}${i}`;
    }
  };
  const feed = new Feed({ name: "task", render: (uid) => (uid === 7 ? render(uid) : [`short ${uid}`]) }, 64);
  const out = new FakeOut();
  feed.follow({ ...all, out });
  for (const uid of [1, 7, 2]) feed.changed(uid);
  out.isFlowing = false;
  await turns();
  assert.deepEqual(out.events, ["task short 1"]);
  assert.deepEqual(taken, []);
  while (out.events.length < 3) {
    out.drain();
    out.isFlowing = false;
    await turns();
  }
  assert.deepEqual(out.events, ["task short 1", "task 70-172", "task short 2"]);
});
