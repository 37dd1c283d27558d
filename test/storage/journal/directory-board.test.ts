import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { DirectoryBoard } from "../../../src/storage/journal/directory-board.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

async function allOf(board: DirectoryBoard): Promise<[string, string][]> {
  return (await board.look()).flatMap(({ notes }) => [...notes]).sort();
}

test("whoever sees its own note has seen every note that was left before it", async () => {
  const folder = temporaryDirectory();
  const others = ["a", "b", "m", "y", "z"];
  const [own, other] = [new DirectoryBoard(folder), new DirectoryBoard(folder)];
  for (const name of others) await other.put(name, "before");
  await own.put("n", "first");
  // Its own note is read when it is written, and not before.
  const file = path.join(folder, "n.json");
  rmSync(file);
  execFileSync("mkfifo", [file]);
  const all = allOf(own);
  // Whatever is read by now is read.
  await new Promise((resume) => setTimeout(resume, 100));
  for (const name of others) await other.put(name, "after");
  await writeFile(file, "second");
  assert.deepEqual(await all, [["n", "second"], ...others.map((name) => [name, "after"])].sort());
  await own.close();
  await other.close();
});

test("notes that are left faster than they are written do not get in each other's way", async () => {
  const board = new DirectoryBoard(temporaryDirectory());
  const puts = Array.from({ length: 50 }, (_, i) => board.put("n", `note ${i}`));
  assert.deepEqual(
    await Promise.allSettled(puts),
    puts.map(() => ({ status: "fulfilled", value: undefined })),
  );
  assert.deepEqual(await allOf(board), [["n", "note 49"]]);
  void board.put("n", "late");
  await board.remove("n");
  assert.deepEqual(await allOf(board), []);
  await board.close();
});
