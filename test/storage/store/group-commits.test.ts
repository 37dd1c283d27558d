import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change } from "../../../src/storage/store/environment.ts";
import { GroupCommits } from "../../../src/storage/store/group-commits.ts";
import { until } from "../../lib/patience.ts";

const change = (key: number): Change => ({ table: 0, key, value: null });

test("what arrives while a commit is under way shares the next one, in order", async () => {
  const made: number[][] = [];
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const commits = new GroupCommits(async (changes) => {
    made.push(changes.map(({ key }) => Number(key)));
    await held;
  });
  const first = commits.add(() => [change(1)]);
  await until(
    () => made.length > 0,
    () => "the first commit is under way",
  );
  const refused = assert.rejects(
    commits.add(() => {
      throw new Error("refused by itself");
    }),
    /by itself/,
  );
  const later = [commits.add(() => [change(2)]), refused, commits.add(() => [change(3), change(4)])];
  release();
  await Promise.all([first, ...later]);
  assert.deepEqual(made, [[1], [2, 3, 4]]);
});

test("numbers of a commit that failed are given again: the next ones are asked for after its failure is known", async () => {
  let next = 0;
  let durable = -1;
  let failures = 2;
  const commits = new GroupCommits(async () => {
    await new Promise((resume) => setImmediate(resume));
    if (failures-- > 0) throw new Error("full");
  });
  const take = async (): Promise<number> => {
    let own = -1;
    try {
      await commits.add(() => {
        own = next++;
        return [change(own)];
      });
    } catch {
      next = durable + 1;
      return -1;
    }
    durable = Math.max(durable, own);
    return own;
  };
  const taken: Promise<number>[] = [];
  for (let i = 0; i < 6; i++) {
    taken.push(take(), take());
    await new Promise((resume) => setImmediate(resume));
  }
  const given = (await Promise.all(taken)).filter((number) => number >= 0);
  assert.ok(given.length >= 4 && given.length < 12, `${given}`);
  assert.deepEqual(
    given,
    Array.from(given, (_, i) => i),
  );
});
