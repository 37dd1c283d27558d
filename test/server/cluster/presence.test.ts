/** Servers that are slow, paused, cut off from the board and back: none answers a read without what another one has shown. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Presence } from "../../../src/server/cluster/presence.ts";
import { ShownRecords } from "../../../src/server/cluster/shown-records.ts";
import type { Note } from "../../../src/server/front/cluster-view.ts";

const NAMES = ["a", "b", "c"] as const;
const PLACES = 3;
const STEP_MS = 100;
const BEAT_STEPS = 5;

/** What is wrong for a while. */
interface Trouble {
  paused: ReadonlySet<string>;
  slow: ReadonlySet<string>;
  /** Places that a server cannot reach: `a0`. */
  cutOff: ReadonlySet<string>;
  /** Places that lose what they have when it begins, and that are gone, as all see that reach them, and lose it when it ends. */
  lost: readonly number[];
  gone: readonly number[];
}

const NO_TROUBLE: Trouble = { paused: new Set(), slow: new Set(), cutOff: new Set(), lost: [], gone: [] };

/** A board with several places, each with one order, on which every server may be behind; one journal, of which every server shows a beginning. */
class World {
  now = 0;
  journal = 0;
  readonly board = Array.from({ length: PLACES }, () => ({
    epoch: 0,
    bornAt: 0,
    notes: [] as { name: string; note: Note }[],
  }));
  readonly servers = NAMES.map((name) => new Server(name, this));

  lose(place: number): void {
    this.board[place] = { epoch: this.board[place]!.epoch + 1, bornAt: this.now, notes: [] };
  }

  /** One thing after the other is wrong. */
  endure(steps: number, trouble: Trouble): void {
    for (const place of trouble.lost) this.lose(place);
    for (let i = 0; i < steps; i++) this.step(trouble);
    for (const place of trouble.gone) this.lose(place);
  }

  step({ paused, slow, cutOff, gone }: Trouble): void {
    this.now += STEP_MS;
    for (const server of this.servers) {
      const reached = Array.from(this.board.keys()).filter((place) => !cutOff.has(`${server.name}${place}`));
      if (!paused.has(server.name)) server.step(reached, gone, slow.has(server.name));
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
  readonly #notes = Array.from({ length: PLACES }, () => new Map<string, Note>());
  readonly #read = Array.from({ length: PLACES }, () => ({ epoch: 0, count: 0 }));
  #count = 0;
  #steps = 0;
  #target: number | null = null;

  constructor(name: string, world: World) {
    this.name = name;
    this.#world = world;
    this.presence = new Presence({ name, boot: name }, PLACES);
  }

  step(answering: readonly number[], gone: readonly number[], isSlow: boolean): void {
    const { now, journal } = this.#world;
    const reached = answering.filter((place) => !gone.includes(place));
    for (const place of answering) if (gone.includes(place)) this.presence.miss(place, now, now);
    if (!isSlow && this.shown < journal) this.shown++;
    for (const place of reached) this.#look(place);
    // The journal is where most are.
    if (reached.length * 2 > PLACES && this.presence.isKnown(now)) this.#target = journal;
    if (this.#target !== null && this.shown >= this.#target) {
      this.#target = null;
      this.presence.caughtUp();
    }
    if (this.#steps++ % BEAT_STEPS === 0) this.#beat(reached);
    if (this.presence.mayAnswer(now)) {
      this.told = Math.max(
        this.told,
        this.presence.shownByAll(this.shown, () => 0),
      );
    }
  }

  #look(place: number): void {
    const { epoch, bornAt, notes } = this.#world.board[place]!;
    const read = this.#read[place]!;
    const isNew = read.epoch !== epoch;
    if (isNew) this.#read[place] = { epoch, count: 0 };
    for (const { name, note } of notes.slice(this.#read[place]!.count)) this.#notes[place]!.set(name, note);
    this.#read[place]!.count = notes.length;
    const ageMs = (this.#notes[place]!.get(this.name)?.at ?? bornAt) - bornAt;
    this.presence.see(place, this.#notes[place]!, this.#world.now, { isNew, ageMs });
  }

  #beat(reached: readonly number[]): void {
    const { board, now, journal } = this.#world;
    if (journal - this.shown <= 2) this.presence.enter();
    const heard: Note["heard"] = {};
    const { sightings } = this.presence;
    for (const name of sightings.names()) {
      const seen = sightings.seenByMost(name);
      if (seen !== null) heard[name] = seen;
    }
    const count = ++this.#count;
    const isIn = this.presence.putting(count, now);
    const { shown, name } = this;
    const note = { boot: name, count, applied: shown, shown, isIn, heard, url: null, version: "1", at: now };
    for (const place of reached) board[place]!.notes.push({ name, note });
  }
}

const some = fc.subarray([...NAMES]).map((names) => new Set<string>(names));

const places = fc.subarray(Array.from({ length: PLACES }, (_, place) => place));
const links = NAMES.flatMap((name) => Array.from({ length: PLACES }, (_, place) => `${name}${place}`));

test("whoever answers reads shows all that any server has told of as shown by all", () => {
  const phase = fc.record({
    steps: fc.integer({ min: 1, max: 60 }),
    records: fc.nat(4),
    paused: some,
    slow: some,
    cutOff: fc.subarray(links).map((found) => new Set(found)),
    lost: places,
    gone: places,
  });
  fc.assert(
    fc.property(fc.array(phase, { maxLength: 14 }), (phases) => {
      const world = new World();
      for (const { steps, records, ...trouble } of phases) {
        world.journal += records;
        world.endure(steps, trouble);
      }
      // When nothing is wrong any more, all are back and tell of everything.
      for (let i = 0; i < 150; i++) world.step(NO_TROUBLE);
      for (const server of world.servers) {
        assert.ok(server.presence.mayAnswer(world.now), `${server.name} does not come back`);
        assert.equal(server.told, world.journal);
      }
    }),
    { numRuns: 300 },
  );
});

/** Runs the world on, in which every server answers all the time. */
function mustAnswer(world: World, steps: number, trouble: Trouble): void {
  for (let i = 0; i < steps; i++) {
    world.step(trouble);
    for (const { name, presence } of world.servers) assert.ok(presence.mayAnswer(world.now), `${name} does not answer`);
  }
}

test("all answer on while one place after the other cannot be reached, and comes back empty", () => {
  const world = new World();
  for (let i = 0; i < 60; i++) world.step(NO_TROUBLE);
  for (const place of [0, 1, 2, 1]) {
    world.journal++;
    mustAnswer(world, 300, { ...NO_TROUBLE, cutOff: new Set(NAMES.map((name) => `${name}${place}`)) });
    for (const server of world.servers) assert.equal(server.told, world.journal);
    world.lose(place);
    mustAnswer(world, 30, NO_TROUBLE);
  }
});

test("all answer on while all places are gone, and when they are back empty", () => {
  const world = new World();
  for (let i = 0; i < 60; i++) world.step(NO_TROUBLE);
  for (const gone of [
    [0, 2],
    [0, 1, 2],
  ]) {
    mustAnswer(world, 300, { ...NO_TROUBLE, gone });
    for (const place of gone) world.lose(place);
    world.journal++;
    mustAnswer(world, 60, NO_TROUBLE);
    for (const server of world.servers) assert.equal(server.told, world.journal);
  }
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
  const presence = new Presence({ name: "a", boot: "a" }, 1);
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
    presence.see(0, notes, now);
    return before || presence.mayReplace(leader);
  };
  assert.ok(!beat(0, 1, 1));
  assert.ok(!beat(10_000, 2, 20));
  assert.ok(!beat(11_999, 3, 20));
  assert.ok(beat(12_000, 4, 20));
});
