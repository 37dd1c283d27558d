/** How a server becomes one that answers, when what it asks for on the way fails or is late. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Attendance } from "../../../src/server/cluster/attendance.ts";
import type { Note } from "../../../src/server/front/cluster-view.ts";
import type { Board, Sight } from "../../../src/storage/journal/board.ts";
import { until } from "../../lib/patience.ts";

/** In memory; as long as it is held, nothing that is put shows. */
class Notes implements Board {
  readonly places = 1;
  isHeld = false;
  #put = new Map<string, string>();
  #shown = new Map<string, string>();
  #see: (sight: Sight) => void = () => {};

  async put(name: string, note: string): Promise<void> {
    this.#put.set(name, note);
    if (!this.isHeld) this.#shown = new Map(this.#put);
    this.#see(this.#sight);
  }

  last(name: string): Note | null {
    const note = this.#put.get(name);
    return note === undefined ? null : (JSON.parse(note) as Note);
  }

  get #sight(): Sight {
    return { place: 0, notes: this.#shown, isNew: false, ageMs: Number.POSITIVE_INFINITY };
  }

  look = async (): Promise<Sight[]> => [this.#sight];
  remove = async (): Promise<void> => {};
  readonly told: string[] = [];
  readonly tell = (_name: string, news: string): number => this.told.push(news);
  news: (name: string, news: string) => void = () => {};
  close = async (): Promise<void> => {};

  onSight(see: (sight: Sight) => void): void {
    this.#see = see;
  }

  onGone(): void {}

  onNews(hear: (name: string, news: string) => void): void {
    this.news = hear;
  }
}

/** `last`: how the journal answers when it is asked for its end, one time after the other. */
function attending(last: (() => Promise<number>)[]): { attendance: Attendance; notes: Notes; asked(): number } {
  const notes = new Notes();
  let asked = 0;
  const attendance = new Attendance({
    ...{ name: "one", boot: "one", version: "1.0.0", waitsForAll: true },
    board: notes,
    journal: { last: () => last[asked++]!() },
    applied: () => attendance.records.shown,
    leader: () => ({ term: 1, node: "one", boot: "one" }),
    running: () => [],
    claim: async () => {},
    onHeard: () => {},
    onTrouble: () => {},
  });
  attendance.start();
  return { attendance, notes, asked: () => asked };
}

test("where the end of the journal cannot be had it is asked for again", async () => {
  const { attendance } = attending([() => Promise.reject(new Error("timed out")), async () => 0]);
  attendance.opened();
  await until(
    () => attendance.isWell,
    () => "it is well",
  );
  attendance.stop();
});

test("the end of the journal from before a server was cut off is not what it has to catch up with", async () => {
  let tellEnd = (_end: number): void => {};
  const late = new Promise<number>((resolve) => {
    tellEnd = resolve;
  });
  const { attendance, notes, asked } = attending([async () => 10, () => late]);
  attendance.opened();
  await until(
    () => asked() === 1,
    () => "it has asked",
  );
  // Cut off, until it knows, and back.
  notes.isHeld = true;
  await until(
    () => notes.last("one")?.isIn === false,
    () => "it is out",
  );
  notes.isHeld = false;
  await until(
    () => asked() === 2,
    () => "it has asked again",
  );
  const show = (number: number): void => {
    attendance.records.applied(number, "nothing", null);
    attendance.progressed();
  };
  show(10);
  assert.equal(attendance.isWell, false);
  tellEnd(12);
  await late;
  show(11);
  assert.equal(attendance.isWell, false);
  show(12);
  await until(
    () => attendance.isWell,
    () => "it is well",
  );
  attendance.stop();
});

test("how far a server is, is told when somebody waits for it, and what all show is told of at their news", async () => {
  const { attendance, notes } = attending([async () => 0]);
  attendance.opened();
  await until(
    () => attendance.isWell,
    () => "it is well",
  );
  const count = notes.last("one")!.count;
  const other = { boot: "two", count: 1, applied: 0, shown: 0, isIn: true, url: null, version: "1.0.0", at: 0 };
  await notes.put("two", JSON.stringify({ ...other, heard: { one: { boot: "one", count } } }));
  await until(
    () => attendance.members().length === 2,
    () => "it knows the other one",
  );
  let isReleased = false;
  for (let number = 1; number <= 100; number++) {
    attendance.records.applied(number, "nothing", null);
    attendance.progressed();
  }
  assert.deepEqual(notes.told, []);
  attendance.records.applied(101, "nothing", () => {
    isReleased = true;
  });
  attendance.progressed();
  assert.deepEqual(notes.told, [JSON.stringify({ boot: "one", shown: 101 })]);
  assert.equal(isReleased, false);
  notes.news("two", JSON.stringify({ boot: "two", shown: 100 }));
  assert.equal(isReleased, false);
  notes.news("two", JSON.stringify({ boot: "two", shown: 101 }));
  assert.equal(isReleased, true);
  attendance.stop();
});
