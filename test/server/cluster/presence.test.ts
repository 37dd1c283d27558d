/** Servers that are slow, paused, cut off from the board and back: none answers a read without what another one has shown. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Members } from "../../../src/server/cluster/leadership.ts";
import { Presence } from "../../../src/server/cluster/presence.ts";
import { ShownRecords } from "../../../src/server/cluster/shown-records.ts";
import type { Note } from "../../../src/server/front/cluster-view.ts";

const NAMES = ["a", "b", "c"] as const;
const STEP_MS = 100;
const BEAT_STEPS = 5;

/** One board with one order, on which every server may be behind; one journal, of which every server shows a beginning. */
class World {
  now = 0;
  journal = 0;
  readonly board: { name: string; note: Note }[] = [];
  readonly servers = NAMES.map((name) => new Server(name, this));

  step(paused: ReadonlySet<string>, cutOff: ReadonlySet<string>, slow: ReadonlySet<string>): void {
    this.now += STEP_MS;
    for (const server of this.servers) {
      if (!paused.has(server.name)) server.step(cutOff.has(server.name), slow.has(server.name));
    }
    this.check();
  }

  check(): void {
    const told = Math.max(...this.servers.map((server) => server.told));
    for (const server of this.servers) {
      if (!server.presence.mayAnswer(this.now)) continue;
      assert.ok(server.shown >= told, `${server.name} answers at ${server.shown}, and ${told} was shown`);
    }
  }
}

class Server {
  readonly name: string;
  readonly presence: Presence;
  shown = 0;
  /** The last record that this server has told of as shown by all. */
  told = 0;
  readonly #world: World;
  readonly #members = new Members();
  readonly #notes = new Map<string, Note>();
  #read = 0;
  #count = 0;
  #steps = 0;
  #target: number | null = null;

  constructor(name: string, world: World) {
    this.name = name;
    this.#world = world;
    this.presence = new Presence({ name, boot: name }, this.#members);
  }

  step(isCutOff: boolean, isSlow: boolean): void {
    const { board, now, journal } = this.#world;
    if (!isSlow && this.shown < journal) this.shown++;
    if (isCutOff) return;
    while (this.#read < board.length) {
      const { name, note } = board[this.#read++]!;
      this.#notes.set(name, note);
      this.presence.hear(this.#notes, now);
    }
    if (this.presence.isKnown(now)) this.#target = journal;
    if (this.#target !== null && this.shown >= this.#target) {
      this.#target = null;
      this.presence.caughtUp();
    }
    if (this.#steps++ % BEAT_STEPS === 0) this.#beat();
    if (this.presence.mayAnswer(now)) this.told = Math.max(this.told, this.#shownByAll());
  }

  #beat(): void {
    const { board, now, journal } = this.#world;
    if (journal - this.shown <= 2) this.presence.enter();
    const heard: Note["heard"] = {};
    for (const { name, note } of this.#members.heard()) heard[name] = { boot: note.boot, count: note.count };
    const count = ++this.#count;
    const isIn = this.presence.putting(count, now);
    const { shown, name } = this;
    const note = { boot: name, count, applied: shown, shown, isIn, heard, url: null, version: "1", at: now };
    board.push({ name, note });
  }

  #shownByAll(): number {
    const others = this.presence.waitedFor().map((name) => this.#members.note(name)!.shown);
    return Math.min(this.shown, ...others);
  }
}

const some = fc.subarray([...NAMES]).map((names) => new Set<string>(names));

test("whoever answers reads shows all that any server has told of as shown by all", () => {
  const phase = fc.record({
    steps: fc.integer({ min: 1, max: 60 }),
    records: fc.nat(4),
    paused: some,
    cutOff: some,
    slow: some,
  });
  fc.assert(
    fc.property(fc.array(phase, { maxLength: 14 }), (phases) => {
      const world = new World();
      for (const { steps, records, paused, cutOff, slow } of phases) {
        world.journal += records;
        for (let i = 0; i < steps; i++) world.step(paused, cutOff, slow);
      }
      // When nothing is wrong any more, all are back and tell of everything.
      for (let i = 0; i < 150; i++) world.step(new Set(), new Set(), new Set());
      for (const server of world.servers) {
        assert.ok(server.presence.mayAnswer(world.now), `${server.name} does not come back`);
        assert.equal(server.told, world.journal);
      }
    }),
    { numRuns: 300 },
  );
});

test("records are shown in order, whatever finishes first, and told of only when they are shown", () => {
  const records = new ShownRecords();
  const told: string[] = [];
  const release =
    (name: string) =>
    (show: (() => void) | null): void => {
      if (show === null) told.push(name);
      else show();
    };
  records.applied(1, "writer", null);
  assert.equal(records.shown, 0);
  records.followed(1);
  assert.equal(records.shown, 1);
  records.applied(2, { batch: 7 }, release("two"));
  records.applied(3, "nothing", null);
  records.applied(4, { batch: 8 }, release("four"));
  assert.equal(records.shown, 1);
  records.finished(8, () => told.push("batch 8"));
  assert.equal(records.shown, 1);
  records.release(4);
  assert.equal(told.length, 0);
  records.finished(7, () => told.push("batch 7"));
  assert.equal(records.shown, 4);
  records.release(2);
  assert.deepEqual(told, ["batch 7"]);
  records.release(4);
  assert.deepEqual(told, ["batch 7", "batch 8"]);
  // One whose writer ended before it said so is shown by the next one.
  records.applied(5, { batch: 9 }, release("five"));
  records.followed(5);
  records.release(5);
  assert.deepEqual(told, ["batch 7", "batch 8", "five"]);
});

test("who stood still does not take the one that leads for gone before it has heard of it", () => {
  const presence = new Presence({ name: "a", boot: "a" }, new Members());
  const leader = { term: 1, node: "b", boot: "b" };
  const note = (boot: string, count: number): Note => ({
    ...{ boot, count, applied: 0, shown: 0, isIn: true, heard: {} },
    ...{ url: null, version: "1", at: 0 },
  });
  const beat = (now: number, own: number, other: number): boolean => {
    presence.putting(own, now);
    const before = presence.mayReplace(leader);
    const notes = new Map([
      ["a", note("a", own)],
      ["b", note("b", other)],
    ]);
    presence.hear(notes, now);
    return before || presence.mayReplace(leader);
  };
  assert.ok(!beat(0, 1, 1));
  assert.ok(!beat(10_000, 2, 20));
  assert.ok(!beat(11_999, 3, 20));
  assert.ok(beat(12_000, 4, 20));
});
