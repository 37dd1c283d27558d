import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DirectoryJournal } from "../../../src/storage/journal/directory.ts";
import { LostRecords, TrimmedRecord } from "../../../src/storage/journal/journal.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

test("of those who want a number one gets it, and all read the same", async (t) => {
  const folder = join(temporaryDirectory(), "journal");
  const journals = Array.from({ length: 4 }, () => new DirectoryJournal(folder));
  t.after(() => Promise.all(journals.map((journal) => journal.close())));
  for (let number = 1; number <= 20; number++) {
    const outcomes = await Promise.all(
      journals.map((journal, i) => journal.append(number, Buffer.from(`${number} of ${i}`))),
    );
    assert.equal(outcomes.filter((outcome) => outcome === "appended").length, 1);
    const winner = outcomes.indexOf("appended");
    for (const journal of journals) {
      assert.equal(String(await journal.read(number)), `${number} of ${winner}`);
      assert.equal(await journal.last(), number);
    }
  }
  assert.equal(await journals[0]!.read(21), null);
  assert.equal(readdirSync(folder).length, 20);
});

test("who waits is told of a new record", async (t) => {
  const folder = join(temporaryDirectory(), "journal");
  const [writes, follows] = [new DirectoryJournal(folder), new DirectoryJournal(folder)];
  t.after(() => Promise.all([writes.close(), follows.close()]));
  const told = new Promise<void>((resolve) => {
    follows.onNews(0, () => void follows.read(1).then((record) => record !== null && resolve()));
  });
  assert.equal(await writes.append(1, Buffer.from("one")), "appended");
  await told;
});

test("a number that was trimmed is never given again, and its record is not taken for one to come", async (t) => {
  const folder = join(temporaryDirectory(), "journal");
  const journal = new DirectoryJournal(folder);
  t.after(() => journal.close());
  for (let number = 1; number <= 5; number++) await journal.append(number, Buffer.of(number));
  await journal.trim(4);
  await journal.trim(2);
  assert.deepEqual([await journal.first(), await journal.last()], [4, 5]);
  await assert.rejects(journal.read(3), TrimmedRecord);
  assert.equal(await journal.append(2, Buffer.from("late")), "taken");
  await assert.rejects(journal.read(2), TrimmedRecord);
  await journal.trim(6);
  assert.deepEqual([await journal.first(), await journal.last()], [6, 5]);
  assert.equal(await journal.append(6, Buffer.from("six")), "appended");
});

test("records that are gone, and were not trimmed, are lost: nothing is read or added after them", async (t) => {
  const folder = join(temporaryDirectory(), "journal");
  const journal = new DirectoryJournal(folder);
  t.after(() => journal.close());
  for (let number = 1; number <= 5; number++) await journal.append(number, Buffer.of(number));
  await journal.trim(4);
  // The first record that is kept need not have one before it.
  assert.equal(String(await journal.read(4)), String(Buffer.of(4)));
  rmSync(join(folder, "000000000005"));
  await assert.rejects(journal.read(6), LostRecords);
  await assert.rejects(journal.append(6, Buffer.from("six")), LostRecords);
  assert.deepEqual(readdirSync(folder).sort(), ["000000000004", "first"]);
  assert.equal(await journal.append(5, Buffer.from("five")), "appended");
  rmSync(folder, { recursive: true });
  await assert.rejects(journal.read(6), LostRecords);
  await assert.rejects(journal.append(6, Buffer.from("six")), LostRecords);
});
