import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Journal, LostRecords, TrimmedRecord } from "../../../src/storage/journal/journal.ts";
import type { Change } from "../../../src/storage/store/environment.ts";
import { StoreFault } from "../../../src/storage/store/fault.ts";
import type { Mark } from "../../../src/storage/store/journal-run.ts";
import { SharedCommits } from "../../../src/storage/store/shared-commits.ts";
import {
  decodeTransaction,
  encodeTransaction,
  hashOf,
  NOTHING_BEFORE,
} from "../../../src/storage/store/transaction.ts";
import { type Fate, Node, Records, turn } from "./journal-nodes.ts";
import { SILENT } from "./silent-host.ts";

/** Terms grow one by one, and each commit is of the one who led when it was written. */
function mustBeOneChain(records: readonly Uint8Array[]): void {
  let leader = "0 nobody";
  for (const { table, key, value } of records.flatMap((record) => decodeTransaction(record).changes)) {
    if (table === 5) {
      const next = Buffer.from(value!).toString();
      // Twice in one record where the same one has claimed twice at once.
      if (next === leader) continue;
      assert.equal(Number.parseInt(next, 10), Number.parseInt(leader, 10) + 1);
      leader = next;
    }
    if (table === 6) assert.ok((key as string).startsWith(`${leader} `), `${key} while ${leader} led`);
  }
}

const fates = fc.array(fc.constantFrom<Fate>("well", "well", "slow", "failed", "acknowledgement lost", "late"), {
  maxLength: 40,
});

test("whatever is lost on the way, all servers make the same history, and what was acknowledged is in it once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fates, fc.array(fc.boolean(), { maxLength: 6 })), { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(fc.nat(2), fc.constantFrom("enqueue", "count", "claim", "commit", "pause")), { maxLength: 60 }),
      async (plans, actions) => {
        const records = new Records();
        const nodes = plans.map(([fate, disk], i) => new Node(`n${i}`, records.for(fate), disk));
        const counted: Promise<boolean>[] = [];
        const enqueued: Promise<void>[] = [];
        const led: Promise<unknown>[] = [];
        for (const [i, [place, action]] of actions.entries()) {
          const node = nodes[place % nodes.length]!;
          if (action === "enqueue") enqueued.push(node.enqueue(`task ${i}`));
          else if (action === "count") counted.push(node.count());
          else if (action === "claim") led.push(node.claim());
          else if (action === "commit") led.push(node.commit());
          else await turn();
        }
        await Promise.all([...enqueued, ...led]);
        const counts = (await Promise.all(counted)).filter((done) => done).length;
        // A last one in which everybody can see that all others are there.
        await nodes[0]!.enqueue("last");
        for (const { commits } of nodes) await commits.reached(records.list.length);
        for (const { commits } of nodes) await commits.stop();
        const [first, ...others] = nodes;
        for (const node of others)
          assert.deepEqual(new Map([...node.tables].sort()), new Map([...first!.tables].sort()));
        for (const { order } of nodes) {
          assert.deepEqual(
            order,
            records.list.map((_, i) => i + 1),
          );
        }
        const tasks = [...first!.tables].filter(([key]) => key.startsWith("0 "));
        assert.equal(tasks.length, enqueued.length + 1);
        assert.deepEqual(
          tasks.map(([key]) => Number(key.slice(2))).sort((a, b) => a - b),
          tasks.map((_, i) => i),
        );
        for (const told of nodes.flatMap(({ acknowledged }) => acknowledged)) {
          const [key, name] = told.split("=") as [string, string];
          assert.equal(first!.tables.get(key), name);
        }
        assert.equal(Number(first!.tables.get("4 n") ?? 0), counts);
        mustBeOneChain(records.list);
      },
    ),
    { numRuns: 300 },
  );
});

test("who is behind makes many records in one transaction, and brings only what the last of them left", async () => {
  const records = new Records();
  let before = NOTHING_BEFORE;
  for (let i = 1; i <= 100; i++) {
    const changes = ["each", `own ${i}`].map((key) => ({ table: 4, key, value: Buffer.from(String(i)) }));
    const record = encodeTransaction({ before, id: new Uint8Array(16), changes });
    records.append(i, record);
    before = hashOf(record);
  }
  let mark: Mark = { number: 0, hash: NOTHING_BEFORE };
  const brought: string[] = [];
  const told: number[] = [];
  const marks: number[] = [];
  const commits = new SharedCommits(
    { ...records.for([]), recordBytes: 1_000_000 },
    {
      mark: () => mark,
      commit: async (changes, next) => {
        assert.equal(changes.filter(({ key }) => key === "each").length, 1);
        marks.push(next.number);
        mark = next;
      },
    },
    {
      prepare: async (changes) => {
        for (const { key, value } of changes) if (key === "each") brought.push(Buffer.from(value!).toString());
      },
      placed: () => {},
      storing: () => {},
      applied: (run) => {
        for (const { number, changes } of run) {
          told.push(number);
          assert.deepEqual(
            changes.map(({ value }) => Buffer.from(value!).toString()),
            [String(number), String(number)],
          );
        }
      },
      regather: () => {},
      onLost: (problem) => assert.fail(problem),
      onTrouble: (problem) => assert.fail(problem),
    },
  );
  commits.start();
  await commits.reached(100);
  await commits.stop();
  assert.deepEqual(
    told,
    records.list.map((_, i) => i + 1),
  );
  assert.ok(marks.length <= 4, `${marks.length} transactions`);
  assert.deepEqual(brought, marks.map(String));
});

test("who writes again as soon as it is answered shares every record with all who do", async () => {
  const later = (): Promise<void> => new Promise((resume) => setTimeout(resume, 5));
  const records = new Records();
  const journal = records.for([]);
  const append: Journal["append"] = (number, record) => later().then(() => journal.append(number, record));
  let mark: Mark = { number: 0, hash: NOTHING_BEFORE };
  const tables = {
    mark: () => mark,
    commit: async (_changes: readonly Change[], next: Mark) => {
      await later();
      mark = next;
    },
  };
  const commits = new SharedCommits({ ...journal, append, recordBytes: 1_000_000 }, tables, SILENT);
  commits.start();
  let written = 0;
  const writer = async (own: number): Promise<void> => {
    // They come in two halves, and with a journal that acknowledges while the store commits would stay so.
    if (own % 2 === 1) await later();
    for (let i = 0; i < 16; i++) await commits.add(() => [{ table: 0, key: written++, value: Buffer.of(1) }]);
  };
  await Promise.all(Array.from({ length: 32 }, (_, own) => writer(own)));
  await commits.stop();
  assert.equal(written, 512);
  assert.ok(records.list.length <= 24, `${records.list.length} records`);
});

test("records of many changes that come one after the other are made together by who follows", async () => {
  const records = new Records();
  let mark: Mark = { number: 0, hash: NOTHING_BEFORE };
  let commits = 0;
  const tables = {
    mark: () => mark,
    commit: async (_changes: readonly Change[], next: Mark) => {
      commits++;
      mark = next;
    },
  };
  const follower = new SharedCommits({ ...records.for([]), recordBytes: 1_000_000 }, tables, SILENT);
  follower.start();
  let before = NOTHING_BEFORE;
  for (let i = 1; i <= 20; i++) {
    const changes = Array.from({ length: 300 }, (_, key) => ({ table: 4, key: `${i} ${key}`, value: Buffer.of(i) }));
    const record = encodeTransaction({ before, id: new Uint8Array(16), changes });
    before = hashOf(record);
    records.append(i, record);
    for (let turns = 0; turns < 10; turns++) await turn();
  }
  await follower.reached(20);
  await follower.stop();
  assert.ok(commits <= 10, `${commits} transactions`);
});

test("a record is on its way to the journal while the one before it is made, and no more than one", async () => {
  const records = new Records();
  let mark: Mark = { number: 0, hash: NOTHING_BEFORE };
  const disk: (() => void)[] = [];
  const commits = new SharedCommits(
    records.for([]),
    {
      mark: () => mark,
      commit: async (_changes, next) => {
        await new Promise<void>((resume) => disk.push(resume));
        mark = next;
      },
    },
    SILENT,
  );
  commits.start();
  const done: number[] = [];
  const add = async (key: number): Promise<void> => {
    await commits.add(() => (key === 4 ? [] : [{ table: 4, key: `${key}`, value: null }]));
    done.push(key);
  };
  const all: Promise<void>[] = [];
  for (const key of [1, 2, 3]) {
    all.push(add(key));
    // What could be appended is.
    for (let i = 0; i < 20; i++) await turn();
  }
  assert.equal(records.list.length, 2);
  // Whoever changes nothing waits for what was asked for before.
  all.push(add(4));
  for (const expected of [[1], [1, 2], [1, 2, 3, 4]]) {
    assert.equal(disk.length, 1);
    disk.pop()!();
    for (let i = 0; i < 20; i++) await turn();
    assert.deepEqual(done, expected);
  }
  await Promise.all(all);
  await commits.stop();
  mustBeOneChain(records.list);
});

test("what has arrived by the turn after an acknowledgement shares the next record", async () => {
  const records = new Records();
  const acknowledge: (() => void)[] = [];
  const journal: Journal = {
    ...records.for([]),
    onNews: () => {},
    append: async (number, record) => {
      await new Promise<void>((resume) => acknowledge.push(resume));
      return records.append(number, record);
    },
  };
  let mark: Mark = { number: 0, hash: NOTHING_BEFORE };
  const commit = async (_changes: readonly Change[], next: Mark): Promise<void> => {
    mark = next;
  };
  const commits = new SharedCommits(journal, { mark: () => mark, commit }, SILENT);
  commits.start();
  const all: Promise<void>[] = [];
  const add = (key: string): number => all.push(commits.add(() => [{ table: 4, key, value: null }]));
  const onItsWay = async (): Promise<void> => {
    while (acknowledge.length === 0) await turn();
  };
  add("first");
  await onItsWay();
  add("second");
  setImmediate(() => add("third"));
  acknowledge.pop()!();
  await onItsWay();
  acknowledge.pop()!();
  await Promise.all(all);
  await commits.stop();
  const keys = records.list.map((record) => decodeTransaction(record).changes.map(({ key }) => key));
  assert.deepEqual(keys, [["first"], ["second", "third"]]);
});

test("without the journal writers are told after a while, but for those that wait for as long as it takes", async () => {
  const records = new Records();
  let isReached = false;
  const journal: Journal = {
    ...records.for([]),
    append: async (number, record) => {
      if (!isReached) throw new Error("no quorum");
      return records.append(number, record);
    },
  };
  let mark: Mark = { number: 0, hash: NOTHING_BEFORE };
  const made: unknown[] = [];
  const commits = new SharedCommits(
    journal,
    {
      mark: () => mark,
      commit: async (_changes, next) => {
        mark = next;
      },
    },
    {
      prepare: async () => {},
      placed: () => {},
      storing: () => {},
      applied: (run) => {
        for (const { changes, isOwn } of run) made.push([changes.map(({ key }) => key), isOwn]);
      },
      regather: () => {},
      onLost: (problem) => assert.fail(problem),
      onTrouble: () => {},
    },
    { waitMsMax: 30, pauseMs: 5 },
  );
  commits.start();
  const change = (key: string) => (): Change[] => [{ table: 4, key, value: null }];
  const patient = commits.add(change("patient"), { isPatient: true });
  const told = (problem: StoreFault): boolean => problem.code === "EJOURNAL" && problem.kind === "unknown";
  await assert.rejects(commits.add(change("impatient")), told);
  isReached = true;
  await patient;
  // Nobody here waits for all of it any more, so it is told as if it came from elsewhere.
  assert.deepEqual(made, [[["patient", "impatient"], false]]);
  const refused = commits.add(change("deposed"), { refusal: () => new StoreFault("refused", "EDEPOSED", "no") });
  await assert.rejects(refused, /no/);
  await commits.stop();
  await assert.rejects(commits.add(change("late")), /cannot be written to/);
});

test("a journal that does not go on from what is stored, or no longer reaches back to it, stops everything", async () => {
  for (const read of [
    async () =>
      encodeTransaction({
        before: new Uint8Array(16).fill(7),
        id: new Uint8Array(16),
        changes: [],
      }),
    async () => {
      throw new TrimmedRecord("memory", 1);
    },
    async () => {
      throw new LostRecords("memory", 1);
    },
  ]) {
    const lost = new Promise<Error>((resolve) => {
      const commits = new SharedCommits(
        { ...new Records().for([]), read },
        {
          mark: () => ({ number: 0, hash: NOTHING_BEFORE }),
          commit: async () => assert.fail("nothing may be written"),
        },
        {
          prepare: async () => {},
          placed: () => {},
          storing: () => {},
          applied: () => {},
          regather: () => {},
          onLost: resolve,
          onTrouble: () => {},
        },
      );
      commits.start();
    });
    assert.match((await lost).message, /does not follow|no longer there|has lost records/);
  }
});
