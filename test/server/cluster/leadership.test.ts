import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Members, successor } from "../../../src/server/cluster/leadership.ts";
import { Sightings } from "../../../src/server/cluster/sightings.ts";
import type { LeaderRecord, Note } from "../../../src/server/front/cluster-view.ts";

const SILENCE_MS = 2000;
/** Times the silence that is borne at most. */
const PATIENCE_MAX = 8;
const note = (boot: string, count: number): Note => ({
  ...{ boot, count, applied: 0, shown: 0, isIn: true, heard: {} },
  ...{ url: "http://a:7700", version: "1.2.3", at: 0 },
});

/** One place, of which all is known whenever it is seen. */
class Seen {
  readonly members: Members;
  readonly #sightings = new Sightings(1);

  constructor(...silences: number[]) {
    this.members = new Members(this.#sightings, ...silences);
  }

  hear(notes: ReadonlyMap<string, Note>, now: number): void {
    this.#sightings.see(0, notes, now);
    this.members.judgePatience(now);
  }

  mayReplace(leader: LeaderRecord | null, self: { name: string; boot: string }, now: number): boolean {
    this.#sightings.know(0, now);
    return this.members.mayReplace(leader, self);
  }
}

/** Servers that beat, pause and end in any order; who leads is decided by one list, as in the journal. */
class World {
  readonly notes = new Map<string, Note>();
  readonly history: LeaderRecord[] = [];
  readonly #members = new Map<string, Seen>();
  readonly #counts = new Map<string, number>();

  beat(name: string, now: number): void {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    this.notes.set(name, note(`boot of ${name}`, count));
    const members = this.#members.get(name) ?? new Seen(SILENCE_MS);
    this.#members.set(name, members);
    members.hear(this.notes, now);
    const judged = this.history.at(-1) ?? null;
    if (!members.mayReplace(judged, { name, boot: `boot of ${name}` }, now)) return;
    const next = successor(this.history.at(-1) ?? null, judged, { name, boot: `boot of ${name}` });
    if (next !== null) this.history.push(next);
  }
}

test("one server leads a term, one that keeps beating is not replaced, and one that stopped is, by any that is left", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(700)), { maxLength: 80 }),
      fc.constantFrom("a", "b", "c"),
      (steps, survivor) => {
        const world = new World();
        const last = new Map<string, number>();
        let now = 0;
        for (const [name, pause] of steps) {
          now += pause;
          const before = world.history.at(-1);
          world.beat(name, now);
          const after = world.history.at(-1);
          if (before?.node != null && after !== before) {
            const silentMs = now - (last.get(before.node) ?? Number.NEGATIVE_INFINITY);
            assert.ok(silentMs >= SILENCE_MS, `${before.node} was replaced after ${silentMs} ms`);
          }
          last.set(name, now);
        }
        assert.deepEqual(
          world.history.map(({ term }) => term),
          world.history.map((_, i) => i + 1),
        );
        // Only one is left, which bears the others for longer where it took them for gone before.
        for (let ms = 0; ms <= SILENCE_MS * PATIENCE_MAX; ms += 500) world.beat(survivor, now + ms);
        assert.equal(world.history.at(-1)?.node, survivor);
      },
    ),
  );
});

test("a lead that was given back, or that an earlier process of the same name had, is taken at once", () => {
  const members = new Seen(SILENCE_MS);
  const self = { name: "a", boot: "new" };
  members.hear(new Map(), 0);
  assert.ok(members.mayReplace(null, self, 0));
  assert.ok(members.mayReplace({ term: 4, node: null, boot: null }, self, 0));
  assert.ok(members.mayReplace({ term: 4, node: "a", boot: "old" }, self, 0));
  assert.ok(!members.mayReplace({ term: 4, node: "a", boot: "new" }, self, 0));
  assert.ok(!members.mayReplace({ term: 4, node: "b", boot: "any" }, self, 0));
  assert.ok(members.mayReplace({ term: 4, node: "b", boot: "any" }, self, SILENCE_MS));
});

test("one that was replaced and goes on was slow: the next ones are borne for longer, and for as long as before after a while", () => {
  const members = new Seen(SILENCE_MS);
  const self = { name: "c", boot: "c" };
  let now = 0;
  let count = 0;
  const hear = (name: string): void => members.hear(new Map([[name, note(name, ++count)]]), now);
  /** How long each is borne, when it follows the one before. */
  const borne = (leader: LeaderRecord): number => {
    hear(leader.node!);
    const begin = now;
    while (!members.mayReplace(leader, self, now)) now += 500;
    return now - begin;
  };
  const led = (term: number): LeaderRecord => ({ term, node: "ab"[term % 2]!, boot: "ab"[term % 2]! });
  /** The one before goes on after each change. */
  const slow = (term: number): number => {
    const ms = borne(led(term));
    members.mayReplace(led(term + 1), self, now);
    members.hear(new Map([[led(term).node!, note(led(term).boot!, ++count)]]), now);
    return ms;
  };
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((term) => slow(term) / SILENCE_MS),
    [1, 2, 4, 8, 8],
  );
  // A minute each without a mistake.
  for (const times of [4, 2, 1, 1]) {
    now += 60_000;
    assert.equal(borne(led(6)) / SILENCE_MS, times);
  }
});

test("one that was killed, is back with a new start or has given the lead back was no mistake", () => {
  const members = new Seen(SILENCE_MS);
  const self = { name: "c", boot: "c" };
  const a = (boot: string, count: number) => members.hear(new Map([["a", note(boot, count)]]), 0);
  a("first", 1);
  members.mayReplace({ term: 1, node: "a", boot: "first" }, self, 0);
  members.mayReplace({ term: 2, node: "b", boot: "b" }, self, 0);
  a("second", 2);
  members.mayReplace({ term: 3, node: "a", boot: "second" }, self, 0);
  members.mayReplace({ term: 4, node: null, boot: null }, self, 0);
  a("second", 3);
  assert.ok(!members.mayReplace({ term: 5, node: "a", boot: "second" }, self, SILENCE_MS - 1));
  assert.ok(members.mayReplace({ term: 5, node: "a", boot: "second" }, self, SILENCE_MS));
});

test("a claim counts only in the term that was judged, and never against a lead of one's own", () => {
  const self = { name: "a", boot: "now" };
  const [before, other, own] = [
    { term: 4, node: "b", boot: "b" },
    { term: 5, node: "c", boot: "c" },
    { term: 5, node: "a", boot: "now" },
  ];
  assert.deepEqual(successor(null, null, self), { term: 1, node: "a", boot: "now" });
  assert.deepEqual(successor(before, before, self), { term: 5, node: "a", boot: "now" });
  assert.deepEqual(successor({ ...own, boot: "earlier" }, { ...own, boot: "earlier" }, self)?.term, 6);
  // Another one, or an earlier claim of its own, was quicker.
  assert.equal(successor(other, before, self), null);
  assert.equal(successor(own, before, self), null);
  assert.equal(successor(before, null, self), null);
  assert.equal(successor(own, own, self), null);
});

test("members are live while their notes change", () => {
  const members = new Seen(SILENCE_MS / 2, SILENCE_MS);
  members.hear(
    new Map([
      ["a", note("1", 1)],
      ["b", note("2", 1)],
    ]),
    0,
  );
  members.hear(
    new Map([
      ["a", note("1", 1)],
      ["b", note("2", 2)],
    ]),
    1500,
  );
  const live = (now: number): string[] =>
    members.members.all(now).flatMap(({ name, isLive }) => (isLive ? [name] : []));
  assert.deepEqual(live(1999), ["a", "b"]);
  assert.deepEqual(live(2000), ["b"]);
  members.hear(new Map([["a", note("1", 1)]]), 2000);
  assert.deepEqual(
    members.members.all(2000).map(({ name }) => name),
    ["a"],
  );
});
